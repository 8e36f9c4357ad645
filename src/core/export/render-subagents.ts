// Renders the transcripts of the subagents of a tool call inside its card.
import { isRecord } from '../../base/index.ts';
import type { ToolCall } from '../../protocol/index.ts';
import { escapeHtml } from './escape.ts';
import { formatCost, formatCount, formatDuration, formatNumber, shortenLine } from './format.ts';
import { listRequestedIds, type SubagentTranscript, type TaskResult } from './load-subagents.ts';
import { createTranscript, type PageRenderers, type Transcript } from './transcript.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Empty if there are no tasks. */
export function renderSubagents(
  { subagents }: Transcript,
  tasks: readonly TaskResult[],
  render: PageRenderers,
): string {
  return tasks
    .flatMap(({ id, fields }) => {
      const repair = subagents.get(`${id}-repair`);
      const task = renderSubagent(`Subagent ${shortenLine(id, 80)}`, fields, subagents.get(id), render);
      return repair ? [task, renderSubagent(`Repair by ${shortenLine(id, 80)}`, {}, repair, render)] : [task];
    })
    .join('');
}

/** For a call without a result. Only the end of an id is known from the call: a nested subagent has its parent's id as a prefix. */
export function listRunningTasks({ subagents }: Transcript, call: ToolCall): TaskResult[] {
  const requested = listRequestedIds(call.arguments, '');
  const ids = [...subagents.keys()].filter((id) => requested.some((end) => id === end || id.endsWith(`.${end}`)));
  return ids.map((id) => ({ id, fields: {} }));
}

function renderSubagent(
  title: string,
  fields: Fields,
  subagent: SubagentTranscript | undefined,
  render: PageRenderers,
): string {
  const problem = subagent ? subagent.problem : 'There is no transcript.';
  const body = subagent && problem === undefined ? renderTranscript(subagent, render) : renderProblem(problem);
  const facts = [
    title,
    ...describeFields(fields),
    ...(problem === undefined ? describeTranscript(subagent) : ['no transcript']),
  ];
  const description = typeof fields.description === 'string' ? shortenLine(fields.description, 100) : '';
  const preview = description === '' ? '' : ` <span class="preview">${escapeHtml(description)}</span>`;
  const summary = `<span class="fold">${escapeHtml(facts.join(' · '))}</span>${preview}`;
  return `<details class="subagent"><summary>${summary}</summary>${body}</details>`;
}

function renderProblem(problem: string | undefined): string {
  return `<p class="missing">${escapeHtml(problem)}</p>`;
}

function renderTranscript(subagent: SubagentTranscript, render: PageRenderers): string {
  const { entries, leftOut, gapPosition, subagents } = subagent;
  const transcript = createTranscript(entries, { subagents, hasAnchors: false });
  const parts = entries.map((_, position) => {
    const gap = leftOut > 0 && position === gapPosition ? renderGap(leftOut) : '';
    return `${gap}${render.entry(transcript, position) ?? ''}`;
  });
  const end = leftOut > 0 && gapPosition >= entries.length ? renderGap(leftOut) : '';
  return `<div class="transcript">${parts.join('\n')}${end}</div>`;
}

function renderGap(leftOut: number): string {
  return `<p class="missing">${formatNumber(leftOut)} entries are left out here. Export the session file of the subagent to see everything.</p>`;
}

function describeFields(fields: Fields): string[] {
  const { agent, aborted, exitCode, error, durationMs, usage } = fields;
  const cost = isRecord(usage) && isRecord(usage.cost) ? Number(usage.cost.total) : 0;
  return [
    ...(typeof agent === 'string' ? [shortenLine(agent, 40)] : []),
    ...(aborted === true
      ? ['aborted']
      : exitCode === undefined
        ? []
        : [exitCode === 0 && !error ? 'completed' : 'failed']),
    ...(typeof durationMs === 'number' ? [formatDuration(durationMs)] : []),
    ...(cost > 0 ? [formatCost(cost)] : []),
  ];
}

function describeTranscript(subagent: SubagentTranscript | undefined): string[] {
  const messageCount = subagent?.entries.filter(({ type }) => type === 'message').length ?? 0;
  return [formatCount(messageCount, 'message')];
}

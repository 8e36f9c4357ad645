// Renders a tool call and its results as one card: name, arguments, status, duration, output, subagents.
import { isRecord } from '../../base/index.ts';
import { type AssistantMessage, extractText, type ToolCall, type ToolResultMessage } from '../../protocol/index.ts';
import { type CallDescription, describeCall, renderArguments } from './describe-call.ts';
import { escapeHtml } from './escape.ts';
import { countLines, formatDuration, shortenLine } from './format.ts';
import { renderImages, renderOutput } from './html-blocks.ts';
import { listTaskResults } from './load-subagents.ts';
import { renderDiff } from './render-diff.ts';
import { listRunningTasks, renderSubagents } from './render-subagents.ts';
import type { PageRenderers, Transcript } from './transcript.ts';

type Status = 'ok' | 'error' | 'aborted' | 'no result';

const NO_ARGUMENTS: CallDescription = { subject: '', others: [], isComplete: true, isAboutFile: false };

/** All calls of the answer at this position. */
export function createCardRenderer(
  transcript: Transcript,
  position: number,
  answer: AssistantMessage,
  render: PageRenderers,
): (call: ToolCall) => string {
  let previousEnd = Date.parse(String(transcript.index.entries[position]?.timestamp));
  return (call) => {
    const positions = transcript.results.getResults(position, call.id);
    const results = positions.map((at) => ({ at, message: transcript.messages[at] as ToolResultMessage }));
    const last = results.at(-1);
    const end = last && Date.parse(String(transcript.index.entries[last.at]?.timestamp));
    // Calls of one answer run one after the other.
    const duration = last && (readDuration(last.message.details) ?? (end as number) - previousEnd);
    if (end !== undefined && end > previousEnd) previousEnd = end;
    const status = last ? findStatus(last.message) : 'no result';
    const description = describeCall(call);
    const parts = [
      description.isComplete ? '' : renderArguments(call, render),
      ...results.map((result) => renderResult(transcript, result.at, result.message, description)),
      last ? '' : `<p class="missing">${describeMissingResult(answer)}</p>`,
      renderSubagents(
        transcript,
        last ? listTaskResults(last.message.details) : listRunningTasks(transcript, call),
        render,
      ),
    ];
    return renderCard({ tool: call.name, description, status, duration }, parts.join(''));
  };
}

/** A result whose call is not in the log. */
export function renderLoneResult(transcript: Transcript, message: ToolResultMessage, render: PageRenderers): string {
  const status = findStatus(message);
  const parts = [
    '<p class="missing">The call of this result is not in the session file.</p>',
    renderResultBody(message, NO_ARGUMENTS),
    renderSubagents(transcript, listTaskResults(message.details), render),
  ];
  return renderCard(
    { tool: message.toolName, description: NO_ARGUMENTS, status, duration: readDuration(message.details) },
    parts.join(''),
  );
}

interface CardHeader {
  readonly tool: string;
  readonly description: CallDescription;
  readonly status: Status;
  readonly duration: number | undefined;
}

export function renderCard({ tool, description, status, duration }: CardHeader, body: string): string {
  const others = description.others.map((text) => `<span class="other">${escapeHtml(text)}</span>`).join(' ');
  const time =
    duration === undefined || !(duration >= 1) ? '' : `<span class="took">${formatDuration(duration)}</span>`;
  const subject = description.subject === '' ? '' : `<bdi class="subject">${escapeHtml(description.subject)}</bdi> `;
  const title = `<span class="tool">${escapeHtml(tool) || '(unnamed tool)'}</span> <span class="args">${subject}${others}</span>`;
  const state = `<span class="state">${time}<span class="status">${status}</span></span>`;
  return `<div class="card ${status === 'no result' ? 'open' : status}"><div class="head">${title}${state}</div>${body}</div>`;
}

function renderResult(transcript: Transcript, at: number, message: ToolResultMessage, call: CallDescription): string {
  const anchor = transcript.anchors?.[at];
  const label = transcript.labels.get(at);
  const badge = label ? `<p class="part"><mark>${escapeHtml(label)}</mark></p>` : '';
  const attributes = anchor === undefined ? '' : ` id="${anchor}" data-part="${at}"`;
  return `<div class="outcome"${attributes}>${badge}${renderResultBody(message, call)}</div>`;
}

function renderResultBody(message: ToolResultMessage, { subject, isAboutFile }: CallDescription): string {
  const text = extractText(message.content);
  const diff = renderDiff(message.details, subject);
  const output = renderOutput(text, (lineCount) => {
    if (isAboutFile) return `${message.toolName} ${subject} · ${lineCount}`;
    return subject === '' ? `${lineCount} of output` : `${lineCount} of output · ${shortenLine(subject, 60)}`;
  });
  const images = renderImages(message.content);
  if (diff !== '' && text !== '' && countLines(text) === 1)
    return `${diff}<p class="part">${escapeHtml(text)}</p>${images}`;
  if (text === '' && diff === '' && images === '') return '<p class="missing">The result is empty.</p>';
  return `${diff}${output}${images}`;
}

/** The last words of the result of a call that the user, a host or a budget has stopped. */
const ABORTED = /\b(aborted|cancelled|canceled)\b[^\n]{0,40}$/i;

function findStatus({ isError, content, details }: ToolResultMessage): Status {
  const tasks = isRecord(details) && Array.isArray(details.results) ? details.results : [];
  if (tasks.some((task) => isRecord(task) && task.aborted === true)) return 'aborted';
  if (!isError) return tasks.some((task) => isRecord(task) && Number(task.exitCode) > 0) ? 'error' : 'ok';
  return ABORTED.test(extractText(content).trimEnd().slice(-120)) ? 'aborted' : 'error';
}

function readDuration(details: unknown): number | undefined {
  if (!isRecord(details)) return undefined;
  return [details.totalDurationMs, details.durationMs].find((value): value is number => typeof value === 'number');
}

function describeMissingResult({ stopReason }: AssistantMessage): string {
  if (stopReason === 'aborted') return 'No result: the answer was aborted.';
  if (stopReason === 'error') return 'No result: the model request failed.';
  return 'No result: the session file ends before it, or the run was interrupted.';
}

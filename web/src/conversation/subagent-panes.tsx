// The subagents of a call: their state, their verification, and their own conversation.
import type { SubagentResult } from '../../../src/protocol/index.ts';
import { formatCount, formatDuration, formatShort, shorten } from '../parts/format.ts';
import { Icon } from '../parts/icon.tsx';
import { createSubagentView, type SubagentView } from '../store/session-view.ts';
import { useConversation, useExpanded } from './conversation-context.ts';
import { SubagentConversation } from './subagent-conversation.tsx';
import { VerificationSummary } from './verification-summary.tsx';

interface CallSubagentsProps {
  readonly callId: string;
  readonly details: unknown;
}

/** Subagents that the events announced, and those of the result after the page was loaded again. */
export function CallSubagents({ callId, details }: CallSubagentsProps) {
  const { store } = useConversation();
  const live = [...store.view.value.subagents.values()].filter((view) => view.parentToolCallId === callId);
  const results = readResults(details).filter(({ id }) => !live.some((view) => view.id === id));
  if (live.length + results.length === 0) return null;
  return (
    <div class="subagents">
      {live.map((view) => (
        <SubagentPane key={view.id} view={view} />
      ))}
      {results.map((result) => (
        <SubagentPane key={result.id} view={fromResult(result, callId)} />
      ))}
    </div>
  );
}

function readResults(details: unknown): readonly SubagentResult[] {
  const results = (details as { results?: unknown } | null | undefined)?.results;
  return Array.isArray(results) ? results.filter((result) => typeof result?.agent === 'string') : [];
}

function fromResult(result: SubagentResult, parentToolCallId: string): SubagentView {
  const { id, agent, description, assignment, task, exitCode, aborted, verification, error } = result;
  const status = exitCode === 0 ? 'completed' : aborted ? 'aborted' : 'failed';
  const text = assignment ?? task;
  const known = { description, task: text, status, verification, error, parentToolCallId } as const;
  return { ...createSubagentView(id, agent), ...known };
}

export function SubagentPane({ view }: { readonly view: SubagentView }) {
  const { store, depth } = useConversation();
  const [isOpen, setIsOpen] = useExpanded(`subagent.${view.id}`, false);
  const inner = [...store.view.value.subagents.values()].filter(({ parentId }) => parentId === view.id);
  const title = view.description ?? shorten(view.task ?? '', 120);
  return (
    <section class={`subagent ${view.status}`} aria-label={`Subagent ${view.id}, ${view.status}`}>
      <button type="button" class="subagent-head" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
        <Icon name="chevronRight" size={12} class="chevron" />
        <Icon name="agents" size={14} />
        <strong>{view.id}</strong>
        <span class="quiet">{view.agent}</span>
        <span class="subject">{title}</span>
        <span class={`status ${view.status}`}>
          {view.status === 'running' ? <span class="spinner" aria-hidden="true" /> : null}
          {view.status}
        </span>
      </button>
      <ProgressLine view={view} />
      <VerificationSummary attempts={view.attempts} result={view.verification} />
      {view.error && !isShownAsVerification(view) ? <p class="problem">{view.error}</p> : null}
      {isOpen ? <SubagentConversation view={view} /> : null}
      {depth < 4 && inner.length > 0 ? (
        <div class="subagents">
          {inner.map((one) => (
            <SubagentPane key={one.id} view={one} />
          ))}
        </div>
      ) : null}
    </section>
  );
}

/** The commands that failed are listed with their output already. */
function isShownAsVerification({ error, verification, attempts }: SubagentView): boolean {
  const hasCommands = (verification?.attempts.length ?? 0) + attempts.length > 0;
  return hasCommands && (error ?? '').startsWith('Verification failed');
}

function ProgressLine({ view: { progress, status } }: { readonly view: SubagentView }) {
  if (!progress) return null;
  const { currentTool, toolCount, tokens, durationMs, recentOutput } = progress;
  const facts = [formatCount(toolCount, 'tool call'), `${formatShort(tokens)} tokens`, formatDuration(durationMs)];
  const last = recentOutput.at(-1);
  return (
    <p class="progress-line">
      {status === 'running' && currentTool ? <span class="tool-name">{currentTool}</span> : null}
      <span class="quiet">{facts.join(' · ')}</span>
      {status === 'running' && last ? <span class="quiet last-output">{shorten(last, 140)}</span> : null}
    </p>
  );
}

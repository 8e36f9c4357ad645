// Turns events into one-sentence notices. Events that are displayed in another way have no entry.
import type { AgentEvent, AgentEventOf } from '../../protocol/index.ts';

export interface EventNotice {
  readonly level: 'info' | 'warning' | 'error';
  readonly message: string;
}

type NoticeBuilders = { readonly [T in AgentEvent['type']]?: (event: AgentEventOf<T>) => EventNotice | undefined };

const NOTICE_BUILDERS: NoticeBuilders = {
  // The welcome lines already mention the offline model.
  notice: ({ level, message, source }) => (source === 'offline' && level === 'info' ? undefined : { level, message }),
  extension_error: ({ extensionPath, event, error }) =>
    createWarning(`Extension ${extensionPath} failed in ${event}: ${error}`),
  auto_compaction_end: (event) => describeCompactionEnd(event),
  compaction_end: (event) => describeCompactionEnd(event),
  subagent_end: (event) => describeSubagentEnd(event),
  subagent_verification_end: ({ id, status }) =>
    status === 'passed' ? undefined : createWarning(`Verification of ${id}: ${status.replace('_', ' ')}`),
  budget_warning: ({ scope }) => createWarning(`The ${scope} budget is almost used up.`),
  budget_exceeded: ({ scope, snapshot }) => createWarning(`The ${scope} budget is exceeded (${snapshot.reason}).`),
  ttsr_triggered: ({ rules }) => createWarning(`The answer violated a rule and is restarted: ${joinRuleNames(rules)}`),
  todo_reminder: ({ todos }) => ({
    level: 'info',
    message: `${todos.length} todos are not completed; the run continues.`,
  }),
};

/** `undefined` for events without a notice. */
export function describeEvent(event: AgentEvent): EventNotice | undefined {
  const build = NOTICE_BUILDERS[event.type] as ((event: AgentEvent) => EventNotice | undefined) | undefined;
  return build?.(event);
}

function createWarning(message: string): EventNotice {
  return { level: 'warning', message };
}

function describeSubagentEnd(event: AgentEventOf<'subagent_end'>): EventNotice {
  const { id, agent, exitCode, error, patchPath } = event;
  if (exitCode === 0) return { level: 'info', message: `${agent} finished ${id}` };
  const reason = error === undefined ? '' : `: ${error}`;
  return createWarning(
    `${agent} failed on ${id}${reason}${patchPath ? ` (its changes are saved in ${patchPath})` : ''}`,
  );
}

type CompactionEndEvent = AgentEventOf<'auto_compaction_end' | 'compaction_end'>;

function describeCompactionEnd({ result, aborted, errorMessage }: CompactionEndEvent): EventNotice {
  if (result) return { level: 'info', message: `The context was compacted (it had ${result.tokensBefore} tokens).` };
  return createWarning(aborted ? 'Compaction was aborted.' : `Compaction failed: ${errorMessage ?? 'unknown error'}`);
}

function joinRuleNames(rules: readonly { name: string }[]): string {
  return rules.map(({ name }) => name).join(', ');
}

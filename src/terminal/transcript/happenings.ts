// The hall, terminal: events that are told in a sentence. One row each; those that are shown otherwise have none.
import type { AgentEvent, AgentEventOf } from '../../protocol/index.ts';

export interface Happening {
  readonly level: 'info' | 'warning' | 'error';
  readonly message: string;
}

type Told = { readonly [T in AgentEvent['type']]?: (event: AgentEventOf<T>) => Happening | undefined };

const TOLD: Told = {
  // The first lines say already that the offline model answers.
  notice: ({ level, message, source }) => (source === 'offline' && level === 'info' ? undefined : { level, message }),
  extension_error: ({ extensionPath, event, error }) =>
    warning(`The extension ${extensionPath} failed at ${event}: ${error}`),
  auto_retry_end: ({ success, finalError }) =>
    success ? undefined : warning(`Asking again did not help: ${finalError ?? 'it was stopped'}`),
  auto_compaction_end: (event) => compacted(event),
  compaction_end: (event) => compacted(event),
  subagent_end: (event) => subagentEnded(event),
  subagent_verification_end: ({ id, status }) =>
    status === 'passed' ? undefined : warning(`The work on ${id} was checked: ${status.replace('_', ' ')}`),
  budget_warning: ({ scope }) => warning(`Much of the ${scope} budget is used up.`),
  budget_exceeded: ({ scope, snapshot }) => warning(`The ${scope} budget is used up (${snapshot.reason}).`),
  ttsr_triggered: ({ rules }) => warning(`The answer broke a rule and begins again: ${names(rules)}`),
  todo_reminder: ({ todos }) => ({
    level: 'info',
    message: `${todos.length} things are left to do; the model goes on.`,
  }),
};

/** `undefined` for what needs no words. */
export function happening(event: AgentEvent): Happening | undefined {
  const tell = TOLD[event.type] as ((event: AgentEvent) => Happening | undefined) | undefined;
  return tell?.(event);
}

function warning(message: string): Happening {
  return { level: 'warning', message };
}

function subagentEnded(event: AgentEventOf<'subagent_end'>): Happening {
  const { id, agent, exitCode, error, patchPath } = event;
  if (exitCode === 0) return { level: 'info', message: `${agent} finished ${id}` };
  const why = error === undefined ? '' : `: ${error}`;
  return warning(`${agent} failed at ${id}${why}${patchPath ? ` (its change is kept in ${patchPath})` : ''}`);
}

type Compacted = AgentEventOf<'auto_compaction_end' | 'compaction_end'>;

function compacted({ result, aborted, errorMessage }: Compacted): Happening {
  if (result)
    return { level: 'info', message: `The conversation was summarised (it had ${result.tokensBefore} tokens).` };
  return warning(aborted ? 'Summarising was stopped.' : `Summarising failed: ${errorMessage ?? 'no reason was given'}`);
}

function names(rules: readonly { name: string }[]): string {
  return rules.map(({ name }) => name).join(', ');
}

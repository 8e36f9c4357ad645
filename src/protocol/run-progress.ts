// Tells from the entries of a log whether the last run has ended. Pure.
import type { AgentMessage } from './message.ts';
import type { SessionEntry } from './session-entry.ts';

/** Written at the end of a run whose last message would look interrupted, for example after a limit was reached. */
export const RUN_END_ENTRY = 'parley.run_end';
/** Marks the new position after a move in the log. */
export const MOVED_ENTRY = 'parley.moved';
/** Before a tool that can change something is run: which call it is. Only in logs that can be taken over. */
export const TOOL_START_ENTRY = 'parley.tool_start';
/** What the run does next, after an answer that looks like its end. Only in logs that can be taken over. */
export const NEXT_STEP_ENTRY = 'parley.next_step';
/** The error message of an answer that a rule interrupted and that is not sent to the model again. */
export const INTERRUPTED_BY_RULE = 'Interrupted by a rule';

/** Messages that the agent adds when it continues a run by itself. */
const CONTINUATIONS: readonly unknown[] = ['ttsr-injection', 'todo-reminder'];

const CUSTOM_ENTRIES: ReadonlyMap<string, boolean> = new Map([
  [RUN_END_ENTRY, false],
  [MOVED_ENTRY, false],
  [NEXT_STEP_ENTRY, true],
]);

/** Whether the run must go on after this entry. `undefined`: the entry before it decides. */
export function isRunOpenAfter(entry: SessionEntry): boolean | undefined {
  if (entry.type === 'message') return isRunOpenAfterMessage(entry.message);
  if (entry.type === 'custom_message') return CONTINUATIONS.includes(entry.customType) || undefined;
  if (entry.type === 'custom') return CUSTOM_ENTRIES.get(entry.customType);
  return entry.type === 'branch_summary' ? false : undefined;
}

/** For results of tools, the answer that called them decides. Output of the host's shell commands belongs to no run. */
function isRunOpenAfterMessage(message: AgentMessage): boolean | undefined {
  if (message.role === 'user') return true;
  if (message.role !== 'assistant') return undefined;
  const { stopReason, errorMessage, content } = message;
  if (stopReason === 'error' || stopReason === 'aborted') return errorMessage === INTERRUPTED_BY_RULE;
  // Other programs write logs, too: the content may be a text, and its parts may be anything.
  return Array.isArray(content) && content.some((block) => block?.type === 'toolCall');
}

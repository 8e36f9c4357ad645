// How runs and subagents have ended, in one word.
import type { AgentEventOf, AssistantMessage } from '../protocol/index.ts';

/** The last answer decides, as it does for the exit code of a single message. */
export function describeRunOutcome({ messages, willRetry }: AgentEventOf<'agent_end'>): string {
  if (willRetry) return 'continued';
  const last = messages.findLast((message): message is AssistantMessage => message.role === 'assistant');
  if (last?.stopReason === 'error') return 'error';
  return last?.stopReason === 'aborted' ? 'aborted' : 'completed';
}

export function describeSubagentOutcome({ exitCode, aborted }: AgentEventOf<'subagent_end'>): string {
  if (aborted) return 'aborted';
  return exitCode === 0 ? 'completed' : 'failed';
}

// Writes start, notices and run results of a session to the diagnostic log. Must not log text of the conversation.
import type { AgentSession, Log } from '../../contracts/index.ts';
import type { AgentMessage } from '../../protocol/index.ts';
import { version } from '../../support/version.ts';

export function logSession(
  session: AgentSession,
  log: Log,
  facts: { mode: string; problems: readonly string[] },
): void {
  const model = session.models.current;
  log('started', {
    version: version(),
    node: process.version,
    pid: process.pid,
    mode: facts.mode,
    cwd: session.cwd,
    session: session.file ?? session.id,
    model: model && `${model.provider}/${model.id}`,
  });
  for (const problem of facts.problems) log('setting ignored', { problem });
  session.subscribe((event) => {
    if (event.type === 'agent_end') log('run ended', describeOutcome(event.messages));
    if (event.type === 'notice') log('notice', { level: event.level, message: event.message });
  });
}

function describeOutcome(messages: readonly AgentMessage[]): Record<string, unknown> {
  const last = messages.findLast((message) => message.role === 'assistant');
  return { messages: messages.length, stopReason: last?.stopReason, error: last?.errorMessage };
}

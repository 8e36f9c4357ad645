// Sends a notice when the first run of a session begins. Earlier the host may not know the session yet.
import type { AgentSession } from '../../contracts/index.ts';

export function notifyOnFirstRun(session: AgentSession, notice: Parameters<AgentSession['notify']>[0]): void {
  const stop = session.subscribe((event) => {
    if (event.type !== 'agent_start') return;
    stop();
    session.notify(notice);
  });
}

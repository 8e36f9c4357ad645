// Stores what a call has changed in the choices of a session, before the reply to the call.
import type { AgentSession, Command, SessionPool } from '../../contracts/index.ts';

export function saveChoices(
  pool: SessionPool | undefined,
  command: Command,
  session: AgentSession | undefined,
): Promise<void> | undefined {
  if (!session || command.access === 'read') return undefined;
  // The command may have closed or deleted the session.
  return pool?.find(session.id) === session ? pool.saveChoices?.(session) : undefined;
}

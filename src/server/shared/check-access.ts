// Decides whether a client may make a call: a read-only client may only call what changes nothing.
import { Fault } from '../../base/index.ts';
import type { Command } from '../../contracts/index.ts';
import type { ClientAccess } from '../../protocol/index.ts';
import type { IncomingCall } from '../call-dispatcher.ts';

/** Returns a Fault when the client may not make this call. */
export function checkAccess(access: ClientAccess, command: Command, call: IncomingCall): Fault | undefined {
  if (access === 'full' || (command.access === 'read' && !call.needsFullAccess)) return undefined;
  const message = `${call.token.name} needs full access. This client has read-only access.`;
  return new Fault('refused', message, { details: { reason: 'read_only' } });
}

// Finds out what a command needs of its caller, by running it with a call context that records which of its members are used.
import type { CallContext, Command } from '../../../src/contracts/index.ts';

/**
 * - `session`: it works on a session, which the URL names.
 * - `server`: it needs no session.
 * - `connection`: it needs the connection of a host, which an HTTP request does not have.
 */
export type CommandScope = 'session' | 'server' | 'connection';

export interface CommandNeeds {
  readonly scope: CommandScope;
  /** The reply can come before the work is done. */
  readonly canBeAccepted: boolean;
}

const CONNECTION_MEMBERS = ['host', 'requestExit', 'ui'];

/** Nothing of the command is executed beyond its first wait, because every member returns a promise that never resolves. */
export function findCommandNeeds(command: Command): CommandNeeds {
  const used = new Set<string>();
  const context = new Proxy({} as CallContext, {
    get(_, member) {
      used.add(String(member));
      return anything;
    },
  });
  const params = command.examples?.[0] ?? {};
  command.run(params, context).catch(() => {});
  const needsConnection = CONNECTION_MEMBERS.some((member) => used.has(member));
  const scope = needsConnection ? 'connection' : used.has('session') ? 'session' : 'server';
  return { scope, canBeAccepted: command.lane === 'run' || used.has('accept') };
}

/** Has every member, and can be called. */
const anything: object = new Proxy(() => {}, {
  get: (_, member) => (member === 'then' ? undefined : anything),
  apply: () => new Promise(() => {}),
});

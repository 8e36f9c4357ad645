// What the parts of one server's connection share.
import { redactExcerpt } from '../base/redaction.ts';
import type { McpContext, McpServerDefinition } from '../contracts/index.ts';
import { createAuthProvider, type ServerAuthProvider } from './oauth/auth-provider.ts';

/** Requests of the SDK have their own timers, which are not needed: the callers abort. The longest delay of a timer. */
export const NO_TIMEOUT_MS = 2 ** 31 - 1;
const MAX_PROBLEM_LENGTH = 1500;

export interface ServerScope {
  readonly definition: McpServerDefinition;
  readonly context: McpContext;
  /** Absent for processes, and for servers whose definition has an Authorization header. */
  readonly auth: ServerAuthProvider | undefined;
  /** Number of dialogs and model requests of the server that are open. Meanwhile a silent server is not timed out. */
  openRequests: number;
}

export function createServerScope(definition: McpServerDefinition, context: McpContext): ServerScope {
  const { name, server } = definition;
  const auth = server.type === 'stdio' ? undefined : createAuthProvider({ name, server }, context);
  return { definition, context, auth, openRequests: 0 };
}

/** Removes the secrets of the definition and of this process, and bounds the length. */
export function redactServerText({ definition, context }: ServerScope, text: string): string {
  return redactExcerpt(text, listSecrets(definition, context), MAX_PROBLEM_LENGTH);
}

function listSecrets({ server }: McpServerDefinition, { ports }: McpContext): string[] {
  const known = ports.listSecrets?.() ?? [];
  if (server.type === 'stdio') return [...known, ...Object.values(server.env)];
  // The token alone may be shown without its scheme (`Bearer`).
  const headers = Object.values(server.headers).flatMap((value) => [value, ...value.split(' ').slice(1)]);
  return [...known, ...headers, ...new URL(server.url).searchParams.values()];
}

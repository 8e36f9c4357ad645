// Who sends a request: the name of the client, and the access that its token and its parameters give it.
import { is, pipe, regex, string } from 'valibot';
import { clientAccess } from '../protocol/index.ts';
import type { Caller } from './backend.ts';
import type { Refusal } from './request-guard.ts';
import type { TokenOwner } from './token-owner.ts';

const VALID_NAME = /^[\w .:@-]{1,64}$/;
const NAME_RULE = 'must have 1 to 64 letters, digits, spaces and . : @ _ -';

/** For clients that send their name in a frame. */
export const clientName = pipe(string(), regex(VALID_NAME, NAME_RULE));

interface RequestedCaller {
  /** As the client has sent them. */
  readonly name: string | undefined;
  readonly access: string | undefined;
  readonly remoteAddress: string;
  /** For a client that has not sent a name. */
  readonly defaultName: string;
}

/** A client can ask for less access than its token has, never for more. */
export function readCaller(
  { name: token, access: granted, tenant }: TokenOwner,
  { name, access, remoteAddress, defaultName }: RequestedCaller,
): { readonly caller: Caller } | { readonly refusal: Refusal } {
  if (name !== undefined && !VALID_NAME.test(name)) return refuse(`client ${NAME_RULE}`);
  if (access !== undefined && !is(clientAccess, access)) return refuse('access must be full or read');
  const narrowed = access === 'read' ? 'read' : granted;
  return { caller: { name: name ?? defaultName, access: narrowed, token, tenant, remoteAddress } };
}

function refuse(message: string): { readonly refusal: Refusal } {
  return { refusal: { status: 400, code: 'invalid_params', message } };
}

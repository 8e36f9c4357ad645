// The sessions of a running agent: lists them, and finds one by its id, the beginning of its id, or its name.
import { Fault, findClosestMatch, getErrorMessage } from '../../../base/index.ts';
import type { Client } from '../../../client/index.ts';
import type { SessionState } from '../../../protocol/index.ts';
import type { TerminalPrompt } from '../choose-session.ts';
import { formatAge, formatTable } from '../format-table.ts';

/** As `list_sessions` returns it. */
export interface RemoteSession {
  readonly id: string;
  readonly path: string;
  readonly name?: string | undefined;
  readonly firstPrompt: string;
  readonly modifiedMs: number;
  readonly messageCount: number;
}

const MAX_LISTED = 8;
const ID_LENGTH = 8;
const UNKNOWN_COMMAND = /unknown command|not available|single session/i;

/** Newest first. `undefined` when the agent does not list its sessions. */
export async function listRemoteSessions(client: Pick<Client, 'callUndeclared'>): Promise<RemoteSession[] | undefined> {
  try {
    const { sessions } = (await client.callUndeclared('list_sessions', {})) as { sessions: RemoteSession[] };
    return sessions;
  } catch (thrown) {
    if (thrown instanceof Fault && UNKNOWN_COMMAND.test(thrown.message)) return undefined;
    throw thrown;
  }
}

/** Returns the id of the only session of an agent. Stored sessions are not offered: the agent cannot open them. */
export function checkOnlySession(
  reference: string,
  { sessionId, sessionName }: Pick<SessionState, 'sessionId' | 'sessionName'>,
  address: string,
): string {
  if (sessionName === reference || sessionId.startsWith(reference)) return sessionId;
  const only = [sessionId.slice(0, ID_LENGTH), ...(sessionName ? [sessionName] : [])].join(' ');
  throw new Fault(
    'not_found',
    `Session ${reference} was not found. ${address} has one session: ${only}. Leave out --session to attach to it.`,
  );
}

/** Throws a Fault that lists similar sessions. */
export function findRemoteSession(reference: string, sessions: readonly RemoteSession[], now: number): RemoteSession {
  const named = sessions.filter(({ name }) => name === reference);
  const found = named.length > 0 ? named : sessions.filter(({ id }) => id.startsWith(reference));
  const [only] = found;
  if (only && found.length === 1) return only;
  const problem = only ? 'is not unique' : 'was not found';
  const similar = only ? found : rankSimilar(reference, sessions);
  const list =
    similar.length === 0 ? 'The server has no stored sessions.' : `Similar sessions:\n${formatSessions(similar, now)}`;
  throw new Fault('not_found', `Session ${reference} ${problem}. ${list}`.trimEnd());
}

/** Sessions that contain the text, then the one with the most similar name, then the newest ones. */
function rankSimilar(reference: string, sessions: readonly RemoteSession[]): RemoteSession[] {
  const text = reference.toLowerCase();
  const containing = sessions.filter(({ id, name = '', firstPrompt }) =>
    [id, name, firstPrompt].some((field) => field.toLowerCase().includes(text)),
  );
  const closest = findClosestMatch(
    reference,
    sessions.flatMap(({ id, name }) => [id.slice(0, reference.length), ...(name ? [name] : [])]),
  );
  const similar = sessions.filter(
    ({ id, name }) => closest !== undefined && (name === closest || id.startsWith(closest)),
  );
  return [...new Set([...containing, ...similar, ...sessions])].slice(0, MAX_LISTED);
}

function formatSessions(sessions: readonly RemoteSession[], now: number): string {
  const rows = sessions.map(({ id, name, firstPrompt, modifiedMs, messageCount }) => [
    ...[id.slice(0, ID_LENGTH), formatAge(now - modifiedMs), String(messageCount), name ?? firstPrompt],
  ]);
  return formatTable(['id', 'used', 'messages', 'name'], rows);
}

/** Rows that fit on a screen. Older sessions can be chosen by id. */
const MAX_ROWS = 20;

/** Returns the id of the chosen session, or `undefined` for a new one. */
export async function chooseRemoteSession(
  sessions: readonly RemoteSession[],
  prompt: TerminalPrompt,
  now: number,
): Promise<string | undefined> {
  const listed = sessions.slice(0, MAX_ROWS);
  const rows = listed.map(({ id, name, firstPrompt, modifiedMs, messageCount }, at) => [
    ...[String(at + 1), id.slice(0, ID_LENGTH), formatAge(now - modifiedMs), String(messageCount), name ?? firstPrompt],
  ]);
  const older = sessions.length - listed.length;
  prompt.show(formatTable(['', 'id', 'used', 'messages', 'name'], [...rows, ['n', '', '', '', 'a new session']]));
  if (older > 0) prompt.show(`… and ${older} older ones\n`);
  for (;;) {
    const typed = (await prompt.ask('Number, id, or n [1]: '))?.trim();
    if (typed === undefined) throw new Fault('config', 'No session was chosen.');
    if (typed === 'n') return undefined;
    const numbered = /^\d{0,4}$/.test(typed) ? listed[typed === '' ? 0 : Number(typed) - 1] : undefined;
    if (numbered) return numbered.id;
    try {
      return findRemoteSession(typed, sessions, now).id;
    } catch (thrown) {
      prompt.show(`${getErrorMessage(thrown)}\n`);
    }
  }
}

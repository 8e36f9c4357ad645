// `--session-id`: the session that has exactly this id. Loaded when the flag is given.
import { Fault } from '../base/index.ts';
import type { SessionStore } from '../contracts/index.ts';

/** What pi accepts too. Other characters could name another file. */
const SESSION_ID = /^[a-z0-9]([\w.-]{0,126}[a-z0-9])?$/i;

export interface ChosenId {
  readonly sessionId: string;
  readonly session?: string | undefined;
  readonly continueLatest?: boolean | undefined;
  readonly chooseSession?: unknown;
}

/** Throws a Fault when it cannot be an id, or when another flag names the session too. */
export function checkSessionId({ sessionId, session, continueLatest, chooseSession }: ChosenId): void {
  const others = { '--session': session !== undefined, '--continue': continueLatest, '--resume': chooseSession };
  const [other] = Object.entries(others).find(([, given]) => given) ?? [];
  if (other) throw new Fault('config', `--session-id and ${other} exclude each other: both name the session.`);
  if (SESSION_ID.test(sessionId)) return;
  const rule = 'letters, digits, ".", "_" and "-", at most 128, a letter or digit first and last';
  throw new Fault('config', `--session-id takes ${rule} (got ${JSON.stringify(sessionId)})`);
}

/** The path of the newest session with this id. Not `locate`, which also takes paths and the beginning of an id. */
export async function findById(store: SessionStore, id: string): Promise<string | undefined> {
  return (await store.list()).find((summary) => summary.id === id)?.path;
}

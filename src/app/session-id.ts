// Checks `--session-id`. Loaded when the flag is used.
import { Fault } from '../base/index.ts';
import type { AgentOptions } from './agent-options.ts';

/** The same characters as in pi. Others, such as a slash, could address another file. */
const SESSION_ID_PATTERN = /^[a-z0-9]([\w.-]{0,126}[a-z0-9])?$/i;

type SessionIdOptions = Pick<AgentOptions, 'session' | 'continueLatest' | 'chooseSession'> & {
  readonly sessionId: string;
};

/** Throws a Fault when the id is invalid, or when another flag also names a session. */
export function checkSessionId({ sessionId, session, continueLatest, chooseSession }: SessionIdOptions): void {
  const otherFlags = { '--session': session !== undefined, '--continue': continueLatest, '--resume': chooseSession };
  const [otherFlag] = Object.entries(otherFlags).find(([, isSet]) => isSet) ?? [];
  if (otherFlag) throw new Fault('config', `--session-id and ${otherFlag} exclude each other: both name the session.`);
  if (SESSION_ID_PATTERN.test(sessionId)) return;
  const rule = 'letters, digits, ".", "_" and "-", at most 128, a letter or digit first and last';
  throw new Fault('config', `--session-id takes ${rule} (got ${JSON.stringify(sessionId)})`);
}

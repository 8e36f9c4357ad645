// `parley sessions rekey`: encrypts the sessions of a database with the first key of PARLEY_DATABASE_KEY, or removes the encryption.
import { Fault } from '../../base/index.ts';
import { createDecryptingCipher, rekeySessions } from '../../store/postgres/rekey-sessions.ts';
import type { OpenedStorage } from '../session-storage.ts';

export interface RekeyRequest {
  readonly decrypt?: boolean | undefined;
  readonly json?: boolean | undefined;
}

/** Returns the text to print. */
export async function rekeyStoredSessions(
  { decrypt = false, json }: RekeyRequest,
  { postgres }: OpenedStorage,
  warn: (line: string) => void,
): Promise<string> {
  const { cipher, clock } = postgres;
  if (cipher.keyId === null && !decrypt)
    throw new Fault(
      'config',
      'PARLEY_DATABASE_KEY is not set, so there is no key to encrypt with. Set it, or remove the encryption with --decrypt.',
    );
  const storage = decrypt ? { ...postgres, cipher: createDecryptingCipher(cipher) } : postgres;
  const failed: string[] = [];
  let done = 0;
  let text = '';
  let reportedMs = clock.now();
  for await (const result of rekeySessions(storage)) {
    if (json) text += `${JSON.stringify({ outcome: result.error ? 'failed' : 'changed', ...result })}\n`;
    if (result.error !== undefined) failed.push(result.error);
    else done += 1;
    if (clock.now() - reportedMs < REPORT_MS) continue;
    reportedMs = clock.now();
    warn(`Changed ${done} sessions`);
  }
  if (failed.length > 0) process.exitCode = 1;
  if (json) return text;
  for (const message of failed) warn(message);
  const what = decrypt ? 'Removed the encryption of' : `Encrypted with the key ${cipher.keyId}:`;
  const rest = failed.length > 0 ? `${failed.length} were not changed; repeat the command for them.\n` : '';
  return `${what} ${done} sessions.\n${rest}${decrypt ? DECRYPT_HINT : ''}`;
}

const REPORT_MS = 2000;
const DECRYPT_HINT = 'New content is encrypted as long as PARLEY_DATABASE_KEY is set.\n';

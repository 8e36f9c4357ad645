// Stores an API key in auth.json after checking it.
import { Fault } from '../../base/index.ts';
import type { AuthFile } from './auth-file.ts';
import { assertKeyCharacters } from './key-characters.ts';

/** Throws a Fault, which does not quote the key, for a blank key or one that an HTTP header cannot carry. */
export async function storeKey(authFile: Pick<AuthFile, 'update'>, provider: string, key: string): Promise<void> {
  if (key.trim() === '') throw new Fault('invalid_params', 'The key is empty.');
  assertKeyCharacters(key);
  await authFile.update(provider, async () => ({ type: 'api_key', key }));
}

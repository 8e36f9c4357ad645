// Storing a key: it is checked first, and errors never quote it.
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createSystemPorts } from '../../../src/app/system-ports/index.ts';
import { createAuthFile } from '../../../src/llm/credentials/auth-file.ts';
import { storeKey } from '../../../src/llm/credentials/store-key.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';

function createFile() {
  const { files, clock, ids } = createSystemPorts();
  const directory = join(createTemporaryDirectory(), 'user');
  return createAuthFile({ files, clock, ids, directory, platform: 'linux', warn: () => {} });
}

test('a key is stored in a private file', async () => {
  const authFile = createFile();
  await storeKey(authFile, 'openai', 'sk-one');
  expect(JSON.parse(readFileSync(authFile.path, 'utf8'))).toEqual({ openai: { type: 'api_key', key: 'sk-one' } });
  expect(statSync(authFile.path).mode & 0o777).toBe(0o600);
});

test.each([
  ['', 'The key is empty.'],
  [' \t', 'The key is empty.'],
  ['sk-canary\ntwo', 'a line break at character 10'],
  ['sk-canary\u0007', 'the control character U+0007'],
  ['sk-canarié', 'which is not ASCII'],
])('%j is refused', async (key, sentence) => {
  const authFile = createFile();
  const fault = await storeKey(authFile, 'openai', key).catch((thrown: Error) => thrown);
  expect(fault).toMatchObject({ code: 'invalid_params', message: expect.stringContaining(sentence) });
  expect((fault as Error).message).not.toContain('canar');
  expect([...(await authFile.read())]).toEqual([]);
});

// The user's settings for hosts: values with names like keys are never returned, at any depth.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createUserSettings } from '../../../src/app/session-pool/user-settings.ts';
import { createSystemPorts } from '../../../src/app/system-ports/index.ts';
import { Fault } from '../../../src/base/index.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';

const ports = createSystemPorts({});

function createSettingsWith(settings: unknown) {
  const agentDirectory = createTemporaryDirectory();
  mkdirSync(agentDirectory, { recursive: true });
  const file = join(agentDirectory, 'settings.json');
  writeFileSync(file, JSON.stringify(settings));
  const savedKeys: [string, string][] = [];
  const userSettings = createUserSettings({
    ports,
    agentDirectory,
    saveKey: async (provider, key) => void savedKeys.push([provider, key]),
    async checkDefaultModel({ model }) {
      if (model === 'missing') throw new Fault('invalid_params', 'defaultModel: Model not found: missing');
    },
  });
  return { userSettings, savedKeys, readFile: () => JSON.parse(readFileSync(file, 'utf8')) as unknown };
}

const secretName = fc.constantFrom(
  'apiKey',
  'openai_api_key',
  'accessToken',
  'client_secret',
  'Authorization',
  'password',
);
const plainName = fc.constantFrom('theme', 'maxTokens', 'keyboard', 'list', 'tokens');
const { node } = fc.letrec((tie) => ({
  node: fc.oneof({ maxDepth: 4 }, fc.constant('fine'), fc.array(tie('node'), { maxLength: 3 }), tie('record')),
  record: fc.dictionary(
    fc.oneof(
      secretName.map((name) => `s:${name}`),
      plainName,
    ),
    tie('node'),
    { maxKeys: 4 },
  ),
}));

/** Replaces the value of each secret name by a marker that must not be returned. */
function plantSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plantSecrets);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) =>
      key.startsWith('s:') ? [key.slice(2), 'HIDDEN'] : [key, plantSecrets(inner)],
    ),
  );
}

test('values with names like keys are never returned, and all others are', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.dictionary(
        fc.oneof(
          secretName.map((name) => `s:${name}`),
          plainName,
        ),
        node,
        { maxKeys: 4 },
      ),
      async (generated) => {
        const settings = plantSecrets(generated);
        const returned = await createSettingsWith(settings).userSettings.read();
        expect(JSON.stringify(returned)).not.toContain('HIDDEN');
        const count = (value: unknown) => JSON.stringify(value).split('"fine"').length;
        expect(count(returned)).toBe(count(settings));
      },
    ),
    { numRuns: 50 },
  );
});

test('API keys are passed to saveKey, settings are changed and removed, and other settings are kept', async () => {
  const { userSettings, savedKeys, readFile } = createSettingsWith({ theme: 'dark', own: { a: 1 }, old: 1 });
  await userSettings.save({
    settings: { theme: 'light', defaultProvider: 'github-copilot', defaultModel: 'claude' },
    remove: ['old'],
    apiKeys: { openai: 'sk-x' },
  });
  expect(savedKeys).toEqual([['openai', 'sk-x']]);
  const expected = { theme: 'light', own: { a: 1 }, defaultProvider: 'github-copilot', defaultModel: 'claude' };
  expect(readFile()).toEqual(expected);
  expect(await userSettings.read()).toEqual(expected);
});

test.each([
  [{ settings: { access_token: 'x' } }, 'access_token is no setting; keys are kept by save_key'],
  [{ settings: { defaultModel: 'missing' } }, 'Model not found: missing'],
  [{ settings: { 'retry.maxRetries': 'many' } }, 'retry.maxRetries must be a number'],
  [{ settings: {}, apiKeys: { openai: 'sk\n' } }, 'apiKeys.openai contains a line break at character 3'],
])('one invalid value refuses all changes: %j', async (invalid, message) => {
  const { userSettings, savedKeys, readFile } = createSettingsWith({ theme: 'dark' });
  const changes = {
    settings: { theme: 'light', ...invalid.settings },
    apiKeys: { google: 'sk-y', ...('apiKeys' in invalid ? invalid.apiKeys : {}) },
  };
  await expect(userSettings.save(changes)).rejects.toThrow(message);
  expect(savedKeys).toEqual([]);
  expect(readFile()).toEqual({ theme: 'dark' });
});

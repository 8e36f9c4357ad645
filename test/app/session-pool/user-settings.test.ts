// The user's settings over the opal protocol: values with names like keys are never returned, at any depth.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readUserSettings, saveUserSettings } from '../../../src/app/session-pool/user-settings.ts';
import { createSystemPorts } from '../../../src/app/system-ports/index.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';

const ports = createSystemPorts({});

function createDirectoryWith(settings: unknown) {
  const agentDirectory = createTemporaryDirectory();
  mkdirSync(agentDirectory, { recursive: true });
  writeFileSync(join(agentDirectory, 'settings.json'), JSON.stringify(settings));
  return { ports, agentDirectory };
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
        const returned = await readUserSettings(createDirectoryWith(settings));
        expect(JSON.stringify(returned)).not.toContain('HIDDEN');
        const count = (value: unknown) => JSON.stringify(value).split('"fine"').length;
        expect(count(returned)).toBe(count(settings));
      },
    ),
    { numRuns: 50 },
  );
});

const acceptAnyModel = async () => {};

test('API keys are passed to saveKey, the model is written to the settings, and other settings are kept', async () => {
  const options = createDirectoryWith({ theme: 'dark', own: { a: 1 } });
  const saved: [string, string][] = [];
  const save = async (provider: string, key: string) => void saved.push([provider, key]);
  await saveUserSettings(
    options,
    { openai_api_key: 'sk-x', default_model: 'copilot:claude', theme: 'light' },
    save,
    acceptAnyModel,
  );
  expect(saved).toEqual([['openai', 'sk-x']]);
  const text = readFileSync(join(options.agentDirectory, 'settings.json'), 'utf8');
  expect(JSON.parse(text)).toEqual({
    theme: 'light',
    own: { a: 1 },
    defaultProvider: 'github-copilot',
    defaultModel: 'claude',
  });
  expect(await readUserSettings(options)).toMatchObject({ default_model: 'copilot:claude', theme: 'light' });
  await expect(saveUserSettings(options, { access_token: 'x' }, save, acceptAnyModel)).rejects.toThrow(
    'access_token is no setting',
  );
});

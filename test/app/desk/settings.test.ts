// The user's settings over the wire: what is named like a key never comes back, however deep it lies.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readUserSettings, saveUserSettings } from '../../../src/app/desk/settings.ts';
import { createSystemPorts } from '../../../src/app/system-ports/index.ts';
import { temporaryDirectory } from '../../support/temporary.ts';

const ports = createSystemPorts({});

function placeWith(settings: unknown) {
  const directory = temporaryDirectory();
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'settings.json'), JSON.stringify(settings));
  return { ports, directory };
}

const secret = fc.constantFrom('apiKey', 'openai_api_key', 'accessToken', 'client_secret', 'Authorization', 'password');
const plain = fc.constantFrom('theme', 'maxTokens', 'keyboard', 'list', 'tokens');
const { node } = fc.letrec((tie) => ({
  node: fc.oneof({ maxDepth: 4 }, fc.constant('fine'), fc.array(tie('node'), { maxLength: 3 }), tie('record')),
  record: fc.dictionary(
    fc.oneof(
      secret.map((name) => `s:${name}`),
      plain,
    ),
    tie('node'),
    { maxKeys: 4 },
  ),
}));

/** Whatever stands under a secret name is replaced by the word that must not be seen. */
function planted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(planted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) =>
      key.startsWith('s:') ? [key.slice(2), 'HIDDEN'] : [key, planted(inner)],
    ),
  );
}

test('nothing that is named like a key is ever told, and nothing else is lost', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.dictionary(
        fc.oneof(
          secret.map((name) => `s:${name}`),
          plain,
        ),
        node,
        { maxKeys: 4 },
      ),
      async (given) => {
        const settings = planted(given);
        const told = await readUserSettings(placeWith(settings));
        expect(JSON.stringify(told)).not.toContain('HIDDEN');
        const count = (value: unknown) => JSON.stringify(value).split('"fine"').length;
        expect(count(told)).toBe(count(settings));
      },
    ),
    { numRuns: 50 },
  );
});

const anyModel = async () => {};

test('keys go where keys are kept, models to the settings, and the rest stays', async () => {
  const place = placeWith({ theme: 'dark', own: { a: 1 } });
  const saved: [string, string][] = [];
  const save = async (provider: string, key: string) => void saved.push([provider, key]);
  await saveUserSettings(
    place,
    { openai_api_key: 'sk-x', default_model: 'copilot:claude', theme: 'light' },
    save,
    anyModel,
  );
  expect(saved).toEqual([['openai', 'sk-x']]);
  const text = readFileSync(join(place.directory, 'settings.json'), 'utf8');
  expect(JSON.parse(text)).toEqual({
    theme: 'light',
    own: { a: 1 },
    defaultProvider: 'github-copilot',
    defaultModel: 'claude',
  });
  expect(await readUserSettings(place)).toMatchObject({ default_model: 'copilot:claude', theme: 'light' });
  await expect(saveUserSettings(place, { access_token: 'x' }, save, anyModel)).rejects.toThrow(
    'access_token is no setting',
  );
});

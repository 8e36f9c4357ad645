// Credentials: all sources of keys, their order, and errors when there is none.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import type { OAuthEntry } from '../../../src/llm/credentials/auth-file.ts';
import { KEY_VARIABLES } from '../../../src/llm/providers/key-variables.ts';
import { PROVIDERS } from '../../../src/llm/providers/providers.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';
import { createModelFixture, type ModelFixtureOptions } from '../model-fixture.ts';

const apiKey = (key: string) => ({ type: 'api_key', key });
const custom = (key: string) => ({ providers: { anthropic: { apiKey: key } } });

describe('the order', () => {
  const sources: [string, ModelFixtureOptions][] = [
    ['flag-key', { apiKey: 'flag-key', requested: { provider: 'anthropic' } }],
    ['auth-key', { files: { 'auth.json': { anthropic: apiKey('auth-key') } } }],
    ['oauth-env', { env: { ANTHROPIC_OAUTH_TOKEN: 'oauth-env' } }],
    ['env-key', { env: { ANTHROPIC_API_KEY: 'env-key' } }],
    ['models-key', { files: { 'models.json': custom('models-key') } }],
  ];
  test.each(sources.map(([key], index) => [key, index] as const))(
    '%s overrides all later sources',
    async (key, index) => {
      const rest = sources.slice(index).map(([, options]) => options);
      const fixture = createModelFixture({
        ...Object.assign({}, ...rest),
        env: Object.assign({}, ...rest.map(({ env }) => env)),
        files: Object.assign({}, ...rest.map(({ files }) => files)),
      });
      expect(await fixture.models.credentials.getKey('anthropic')).toBe(key);
      expect((await fixture.models.credentials.readSnapshot()).hasCredential('anthropic')).toBe(true);
      expect(fixture.redacted).toContain(key);
      expect(fixture.warnings).toEqual([]);
    },
  );

  test('a file that names an unset variable is skipped', async () => {
    const { models } = createModelFixture({
      env: { ANTHROPIC_API_KEY: 'env-key' },
      files: { 'auth.json': { anthropic: apiKey('NO_SUCH_KEY') } },
    });
    expect(await models.credentials.getKey('anthropic')).toBe('env-key');
  });
});

test.each(PROVIDERS.filter(({ keyless }) => !keyless).map(({ id, env }) => [id, env[0]!] as const))(
  '%s uses the key in %s',
  async (provider, variable) => {
    const { credentials } = createModelFixture({ env: { [variable]: `key-in-${variable}` } }).models;
    expect(await credentials.getKey(provider)).toBe(`key-in-${variable}`);
    expect(KEY_VARIABLES.includes(variable) || ['HF_TOKEN', 'GITHUB_TOKEN'].includes(variable)).toBe(true);
  },
);

test.each([
  ['amazon-bedrock', 'AWS_PROFILE'],
  ['amazon-bedrock', 'AWS_ACCESS_KEY_ID'],
  ['amazon-bedrock', 'AWS_WEB_IDENTITY_TOKEN_FILE'],
  ['amazon-bedrock', 'AWS_CONTAINER_CREDENTIALS_RELATIVE_URI'],
  ['amazon-bedrock', 'AWS_CONTAINER_CREDENTIALS_FULL_URI'],
  ['google-vertex', 'GOOGLE_APPLICATION_CREDENTIALS'],
])('%s with %s is available without a key', async (provider, variable) => {
  const { models, redacted } = createModelFixture({ env: { [variable]: 'default' } });
  expect((await models.credentials.readSnapshot()).hasCredential(provider)).toBe(true);
  expect(await models.credentials.getKey(provider)).toBeUndefined();
  expect(redacted).toEqual([]);
  expect(KEY_VARIABLES).not.toContain(variable);
});

test.each([
  ['amazon-bedrock', '.aws/config', {}],
  [
    'amazon-bedrock',
    undefined,
    { AWS_EC2_METADATA_SERVICE_ENDPOINT: 'http://127.0.0.1', AWS_EC2_METADATA_DISABLED: '' },
  ],
  ['google-vertex', '.config/gcloud/application_default_credentials.json', {}],
  ['google-vertex', undefined, { GCE_METADATA_HOST: '127.0.0.1', METADATA_SERVER_DETECTION: '' }],
])(
  '%s can be selected with the sign-in of its cloud (%s), but is not selected by itself',
  async (provider, path, env) => {
    const HOME = createTemporaryDirectory();
    if (path) {
      mkdirSync(dirname(join(HOME, path)), { recursive: true });
      writeFileSync(join(HOME, path), '{}');
    }
    const { models } = createModelFixture({ env: { HOME, ...env } });
    expect(await models.credentials.getKey(provider)).toBeUndefined();
    expect((await models.credentials.readSnapshot()).hasCredential(provider)).toBe(false);
  },
);

describe('no key', () => {
  test.each([
    ['anthropic', 'Set ANTHROPIC_API_KEY, or add a key for "anthropic" to '],
    ['openai', 'Set OPENAI_API_KEY, or add a key for "openai" to '],
    ['google', 'Set GEMINI_API_KEY, or add a key for "google" to '],
    ['amazon-bedrock', 'Set AWS_BEARER_TOKEN_BEDROCK or AWS_PROFILE, or add a key for "amazon-bedrock" to '],
    [
      'google-vertex',
      'Set GOOGLE_CLOUD_API_KEY or GOOGLE_APPLICATION_CREDENTIALS, or add a key for "google-vertex" to ',
    ],
  ])('the error for %s names the variable and the file', async (provider, instructions) => {
    const { models, directory } = createModelFixture();
    await expect(models.credentials.getKey(provider)).rejects.toMatchObject({
      code: 'no_credentials',
      message: `No API key for ${provider}. ${instructions}${directory}/auth.json.`,
    });
    expect((await models.credentials.readSnapshot()).hasCredential(provider)).toBe(false);
  });

  test('a variable that a file names and that is not set is reported', async () => {
    const { models, directory } = createModelFixture({
      files: { 'auth.json': { anthropic: apiKey('MY_CLAUDE_KEY') } },
    });
    await expect(models.credentials.getKey('anthropic')).rejects.toThrow(
      `No API key for anthropic. ${directory}/auth.json refers to the variable MY_CLAUDE_KEY, which is not set. Set `,
    );
  });

  test('the error for a custom provider names both files', async () => {
    const acme = {
      baseUrl: 'http://a.example',
      api: 'openai-completions',
      apiKey: 'ACME_NO_KEY',
      models: [{ id: 'x' }],
    };
    const { models, directory } = createModelFixture({ files: { 'models.json': { providers: { acme } } } });
    await expect(models.credentials.getKey('acme')).rejects.toThrow(
      `Add a key for "acme" to ${directory}/auth.json, or an apiKey to ${directory}/models.json.`,
    );
  });

  test('is not required for local servers and for custom providers without apiKey', async () => {
    const acme = { baseUrl: 'http://a.example', api: 'openai-completions', models: [{ id: 'x' }] };
    const { credentials } = createModelFixture({ files: { 'models.json': { providers: { acme } } } }).models;
    expect(await credentials.getKey('ollama')).toBeUndefined();
    expect(await credentials.getKey('acme')).toBeUndefined();
    expect((await credentials.readSnapshot()).hasCredential('acme')).toBe(true);
  });
});

test('readCurrent runs no commands', async () => {
  const spawn = vi.fn(() => Promise.reject(new Error('was run')));
  const { models } = createModelFixture({
    files: { 'auth.json': { anthropic: apiKey('!print-my-key') } },
    ports: { processes: { spawn, killAll: async () => {} } },
  });
  expect((await models.credentials.readSnapshot()).hasCredential('anthropic')).toBe(true);
  expect(spawn).not.toHaveBeenCalled();
  await expect(models.credentials.getKey('anthropic')).rejects.toThrow('The command for the key of anthropic');
});

test('variables named in files are hidden from tools as soon as the files are read', async () => {
  const { models, withheld } = createModelFixture({
    env: { MY_ONE_KEY: '1', MY_TWO_KEY: '2' },
    files: {
      'auth.json': { anthropic: apiKey('MY_ONE_KEY') },
      'models.json': { providers: { openai: { apiKey: 'MY_TWO_KEY' } } },
    },
  });
  await models.chooseInitial();
  expect(new Set(withheld)).toEqual(new Set(['MY_ONE_KEY', 'MY_TWO_KEY']));
});

test('a saved key is found immediately and redacted', async () => {
  const { models, redacted } = createModelFixture();
  await models.credentials.saveKey('anthropic', 'sk-saved-key');
  expect(await models.credentials.getKey('anthropic')).toBe('sk-saved-key');
  expect(redacted).toContain('sk-saved-key');
});

describe('logins', () => {
  const hour = 3_600_000;
  const login = (expires: number, access = 'old-access'): OAuthEntry => ({
    type: 'oauth',
    access,
    refresh: 'refresh-1',
    expires,
    account: 'extra',
  });
  const createFixture = (entry: OAuthEntry, options: ModelFixtureOptions = {}) =>
    createModelFixture({ files: { 'auth.json': { anthropic: entry } }, ...options });

  test('a valid login is the key', async () => {
    const { models, redacted } = createFixture(login(Date.now() + hour));
    expect(await models.credentials.getKey('anthropic')).toBe('old-access');
    expect(redacted).toContain('old-access');
  });

  test('an expired login that cannot be refreshed is reported', async () => {
    const { models, directory } = createFixture(login(Date.now() - 1));
    await expect(models.credentials.getKey('anthropic')).rejects.toThrow(
      `No API key for anthropic. The login in ${directory}/auth.json has expired. Set ANTHROPIC_API_KEY`,
    );
    expect((await models.credentials.readSnapshot()).hasCredential('anthropic')).toBe(false);
  });

  test('a login that is about to expire is refreshed and stored with all its fields', async () => {
    const refresh = vi.fn(async (old: OAuthEntry): Promise<OAuthEntry> => {
      expect(old.refresh).toBe('refresh-1');
      return { type: 'oauth', access: 'new-access', refresh: 'refresh-2', expires: Date.now() + hour };
    });
    const { models } = createFixture(login(Date.now() + 60_000), { refreshers: { anthropic: refresh } });
    expect(await models.credentials.getKey('anthropic')).toBe('new-access');
    expect(await models.credentials.getKey('anthropic')).toBe('new-access');
    expect(refresh).toHaveBeenCalledTimes(1);
    const stored = await models.credentials.refreshLogin('anthropic', refresh);
    expect(stored).toMatchObject({ access: 'new-access', refresh: 'refresh-2', account: 'extra' });
  });

  test('concurrent callers share one refresh', async () => {
    const refresh = vi.fn(async () => login(Date.now() + hour, 'new-access'));
    const { models } = createFixture(login(0), { refreshers: { anthropic: refresh } });
    const keys = await Promise.all(Array.from({ length: 6 }, () => models.credentials.getKey('anthropic')));
    expect(new Set(keys)).toEqual(new Set(['new-access']));
    expect(refresh).toHaveBeenCalledTimes(1);
  });

  test('a failed refresh keeps the old login', async () => {
    const refreshers = { anthropic: () => Promise.reject(new Error('invalid_grant')) };
    const { models } = createFixture(login(0), { refreshers });
    await expect(models.credentials.getKey('anthropic')).rejects.toThrow('invalid_grant');
    await expect(models.credentials.refreshLogin('openai', async (old) => old)).rejects.toThrow(
      'There is no login for openai',
    );
  });
});

// Credentials: all sources of keys, their order, and errors when there is none.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import type { OAuthEntry } from '../../../src/llm/credentials/auth-file.ts';
import { KEY_VARIABLES } from '../../../src/llm/providers/key-variables.ts';
import { PROVIDERS } from '../../../src/llm/providers/providers.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { modelStage, type StageOptions } from '../model-stage.ts';

const apiKey = (key: string) => ({ type: 'api_key', key });
const custom = (key: string) => ({ providers: { anthropic: { apiKey: key } } });

describe('the order', () => {
  const sources: [string, StageOptions][] = [
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
      const stage = modelStage({
        ...Object.assign({}, ...rest),
        env: Object.assign({}, ...rest.map(({ env }) => env)),
        files: Object.assign({}, ...rest.map(({ files }) => files)),
      });
      expect(await stage.models.credentials.key('anthropic')).toBe(key);
      expect((await stage.models.credentials.readCurrent()).hasCredential('anthropic')).toBe(true);
      expect(stage.redacted).toContain(key);
      expect(stage.warnings).toEqual([]);
    },
  );

  test('a file that names an unset variable is skipped', async () => {
    const { models } = modelStage({
      env: { ANTHROPIC_API_KEY: 'env-key' },
      files: { 'auth.json': { anthropic: apiKey('NO_SUCH_KEY') } },
    });
    expect(await models.credentials.key('anthropic')).toBe('env-key');
  });
});

test.each(PROVIDERS.filter(({ keyless }) => !keyless).map(({ id, env }) => [id, env[0]!] as const))(
  '%s uses the key in %s',
  async (provider, variable) => {
    const { credentials } = modelStage({ env: { [variable]: `key-in-${variable}` } }).models;
    expect(await credentials.key(provider)).toBe(`key-in-${variable}`);
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
  const { models, redacted } = modelStage({ env: { [variable]: 'default' } });
  expect((await models.credentials.readCurrent()).hasCredential(provider)).toBe(true);
  expect(await models.credentials.key(provider)).toBeUndefined();
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
    const HOME = temporaryDirectory();
    if (path) {
      mkdirSync(dirname(join(HOME, path)), { recursive: true });
      writeFileSync(join(HOME, path), '{}');
    }
    const { models } = modelStage({ env: { HOME, ...env } });
    expect(await models.credentials.key(provider)).toBeUndefined();
    expect((await models.credentials.readCurrent()).hasCredential(provider)).toBe(false);
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
    const { models, directory } = modelStage();
    await expect(models.credentials.key(provider)).rejects.toMatchObject({
      code: 'no_credentials',
      message: `No API key for ${provider}. ${instructions}${directory}/auth.json.`,
    });
    expect((await models.credentials.readCurrent()).hasCredential(provider)).toBe(false);
  });

  test('a variable that a file names and that is not set is reported', async () => {
    const { models, directory } = modelStage({ files: { 'auth.json': { anthropic: apiKey('MY_CLAUDE_KEY') } } });
    await expect(models.credentials.key('anthropic')).rejects.toThrow(
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
    const { models, directory } = modelStage({ files: { 'models.json': { providers: { acme } } } });
    await expect(models.credentials.key('acme')).rejects.toThrow(
      `Add a key for "acme" to ${directory}/auth.json, or an apiKey to ${directory}/models.json.`,
    );
  });

  test('is not required for local servers and for custom providers without apiKey', async () => {
    const acme = { baseUrl: 'http://a.example', api: 'openai-completions', models: [{ id: 'x' }] };
    const { credentials } = modelStage({ files: { 'models.json': { providers: { acme } } } }).models;
    expect(await credentials.key('ollama')).toBeUndefined();
    expect(await credentials.key('acme')).toBeUndefined();
    expect((await credentials.readCurrent()).hasCredential('acme')).toBe(true);
  });
});

test('readCurrent runs no commands', async () => {
  const spawn = vi.fn(() => Promise.reject(new Error('was run')));
  const { models } = modelStage({
    files: { 'auth.json': { anthropic: apiKey('!print-my-key') } },
    ports: { processes: { spawn, killAll: async () => {} } },
  });
  expect((await models.credentials.readCurrent()).hasCredential('anthropic')).toBe(true);
  expect(spawn).not.toHaveBeenCalled();
  await expect(models.credentials.key('anthropic')).rejects.toThrow('The command for the key of anthropic');
});

test('variables named in files are hidden from tools as soon as the files are read', async () => {
  const { models, withheld } = modelStage({
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
  const { models, redacted } = modelStage();
  await models.credentials.saveKey('anthropic', 'sk-saved-key');
  expect(await models.credentials.key('anthropic')).toBe('sk-saved-key');
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
  const createStage = (entry: OAuthEntry, options: StageOptions = {}) =>
    modelStage({ files: { 'auth.json': { anthropic: entry } }, ...options });

  test('a valid login is the key', async () => {
    const { models, redacted } = createStage(login(Date.now() + hour));
    expect(await models.credentials.key('anthropic')).toBe('old-access');
    expect(redacted).toContain('old-access');
  });

  test('an expired login that cannot be refreshed is reported', async () => {
    const { models, directory } = createStage(login(Date.now() - 1));
    await expect(models.credentials.key('anthropic')).rejects.toThrow(
      `No API key for anthropic. The login in ${directory}/auth.json has expired. Set ANTHROPIC_API_KEY`,
    );
    expect((await models.credentials.readCurrent()).hasCredential('anthropic')).toBe(false);
  });

  test('a login that is about to expire is refreshed and stored with all its fields', async () => {
    const refresh = vi.fn(async (old: OAuthEntry): Promise<OAuthEntry> => {
      expect(old.refresh).toBe('refresh-1');
      return { type: 'oauth', access: 'new-access', refresh: 'refresh-2', expires: Date.now() + hour };
    });
    const { models } = createStage(login(Date.now() + 60_000), { refreshers: { anthropic: refresh } });
    expect(await models.credentials.key('anthropic')).toBe('new-access');
    expect(await models.credentials.key('anthropic')).toBe('new-access');
    expect(refresh).toHaveBeenCalledTimes(1);
    const stored = await models.credentials.refreshLogin('anthropic', refresh);
    expect(stored).toMatchObject({ access: 'new-access', refresh: 'refresh-2', account: 'extra' });
  });

  test('concurrent callers share one refresh', async () => {
    const refresh = vi.fn(async () => login(Date.now() + hour, 'new-access'));
    const { models } = createStage(login(0), { refreshers: { anthropic: refresh } });
    const keys = await Promise.all(Array.from({ length: 6 }, () => models.credentials.key('anthropic')));
    expect(new Set(keys)).toEqual(new Set(['new-access']));
    expect(refresh).toHaveBeenCalledTimes(1);
  });

  test('a failed refresh keeps the old login', async () => {
    const refreshers = { anthropic: () => Promise.reject(new Error('invalid_grant')) };
    const { models } = createStage(login(0), { refreshers });
    await expect(models.credentials.key('anthropic')).rejects.toThrow('invalid_grant');
    await expect(models.credentials.refreshLogin('openai', async (old) => old)).rejects.toThrow(
      'There is no login for openai',
    );
  });
});

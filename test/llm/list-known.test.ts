// All known models with the reason why one cannot be used. No key is shown, and no server is asked that is not configured.
import { expect, test } from 'vitest';
import { createModelFixture, type ModelFixtureOptions } from './model-fixture.ts';

async function list(options: ModelFixtureOptions = {}) {
  const { models } = createModelFixture(options);
  const listing = await models.listKnown?.();
  if (!listing) throw new Error('The registry has no listKnown');
  const provider = (id: string) => listing.providers.find((known) => known.id === id);
  const ofProvider = (id: string) => listing.models.filter(({ model }) => model.provider === id);
  return { ...listing, provider, ofProvider };
}

const noFetch = async () => {
  throw new Error('a request was sent');
};

test('without any credentials only the offline model is usable, and no request is sent', async () => {
  const { models, provider, ofProvider } = await list({ ports: { fetch: noFetch as never } });
  expect(models.filter(({ reason }) => reason === undefined).map(({ model }) => model.id)).toEqual(['offline']);
  expect(provider('anthropic')).toEqual({
    id: 'anthropic',
    name: 'Anthropic',
    hasCredentials: false,
    reason: 'No credentials. Set ANTHROPIC_API_KEY, or run `parley login anthropic`.',
  });
  expect(ofProvider('anthropic').length).toBeGreaterThan(3);
  expect(ofProvider('anthropic')[0]?.reason).toBe(provider('anthropic')?.reason);
  expect(provider('github-copilot')?.reason).toBe('No credentials. Run `parley login github-copilot`.');
  expect(provider('ollama')?.reason).toContain('OLLAMA_HOST');
  expect(ofProvider('ollama')).toEqual([]);
});

test('the models of a provider with a key are usable, and the key is nowhere in the list', async () => {
  const listing = await list({
    env: { ANTHROPIC_API_KEY: 'sk-ant-secret', OPENAI_API_KEY: '' },
    files: {
      'auth.json': { groq: { type: 'api_key', key: 'gsk-secret' } },
      'models.json': {
        providers: {
          mine: {
            baseUrl: 'http://127.0.0.1:9',
            api: 'openai-completions',
            apiKey: 'mine-secret',
            models: [{ id: 'a' }],
          },
          other: { baseUrl: 'http://127.0.0.1:9', api: 'no-such-api', apiKey: 'other-secret', models: [{ id: 'b' }] },
        },
      },
    },
  });
  expect(listing.provider('anthropic')).toEqual({
    id: 'anthropic',
    name: 'Anthropic',
    hasCredentials: true,
    reason: undefined,
  });
  expect(listing.ofProvider('anthropic').every(({ reason }) => reason === undefined)).toBe(true);
  expect(listing.provider('groq')?.hasCredentials).toBe(true);
  expect(listing.provider('openai')?.reason).toContain('OPENAI_API_KEY');
  expect(listing.ofProvider('mine')).toMatchObject([{ model: { id: 'a' }, reason: undefined }]);
  expect(listing.ofProvider('other')).toMatchObject([
    { model: { id: 'b' }, reason: expect.stringContaining('no-such-api') },
  ]);
  expect(JSON.stringify(listing)).not.toContain('secret');
});

test('a server that cannot be reached is named without the secrets of its URL', async () => {
  const { provider } = await list({ env: { OLLAMA_HOST: 'http://me:password@127.0.0.1:9/?key=hidden' } });
  const reason = provider('ollama')?.reason ?? '';
  expect(reason).toContain('127.0.0.1:9');
  expect(reason).not.toMatch(/password|hidden/);
});

test('a provider whose models cannot be used without a base URL says which variable is missing', async () => {
  const { ofProvider } = await list({ env: { AZURE_OPENAI_API_KEY: 'x' } });
  expect(ofProvider('azure')[0]?.reason).toBe('It has no base URL. Set AZURE_OPENAI_BASE_URL.');
});

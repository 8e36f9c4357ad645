import { describe, expect, test, vi } from 'vitest';
import type { ModelApi, ModelRequest } from '../../src/contracts/index.ts';
import { apiLoaders, catalogue, createModels, offlineModel } from '../../src/llm/index.ts';
import { MessageBuilder } from '../../src/llm/message-builder.ts';
import type { Model } from '../../src/protocol/index.ts';
import { expectGrammar, observe } from './contract.ts';

const clock = { now: () => 7 };
const model = (provider: string, id: string, name = id): Model => ({
  ...offlineModel,
  provider,
  id,
  name,
  api: 'wire',
});
const many = [
  offlineModel,
  model('anthropic', 'claude-opus-5', 'Claude Opus'),
  model('anthropic', 'claude-haiku-5', 'Claude Haiku'),
  model('router', 'anthropic/claude-opus-5', 'Opus via router'),
  model('openai', 'GPT-9'),
];

function models(wanted: { provider?: string; model?: string }, from: readonly Model[] = many) {
  return createModels({ apis: apiLoaders({ clock }), catalogue: from, wanted, clock });
}

function request(of: Model, signal = new AbortController().signal): ModelRequest {
  return {
    model: of,
    systemPrompt: '',
    messages: [{ role: 'user', content: 'say `hi`', timestamp: 0 }],
    tools: [],
    thinkingLevel: 'off',
    signal,
    sessionId: 's',
  };
}

describe('the model to begin with', () => {
  test('is the offline one when nothing is asked', async () => {
    expect(await models({}).initial()).toBe(offlineModel);
    expect(await models({}, []).initial()).toBeNull();
  });

  test.each([
    [{ provider: 'anthropic', model: 'claude-haiku-5' }, 'anthropic/claude-haiku-5'],
    [{ model: 'anthropic/claude-haiku-5' }, 'anthropic/claude-haiku-5'],
    [{ model: 'claude-opus-5' }, 'anthropic/claude-opus-5'],
    [{ model: 'anthropic/claude-opus-5' }, 'anthropic/claude-opus-5'],
    [{ provider: 'router', model: 'opus' }, 'router/anthropic/claude-opus-5'],
    [{ provider: 'Anthropic' }, 'anthropic/claude-opus-5'],
    [{ model: 'anthropic' }, 'anthropic/claude-opus-5'],
    [{ model: 'gpt-9' }, 'openai/GPT-9'],
    [{ model: 'HAIKU' }, 'anthropic/claude-haiku-5'],
    [{ provider: 'parley', model: 'offline' }, 'parley/offline'],
  ])('%j means %s', async (wanted, name) => {
    const found = await models(wanted).initial();
    expect(`${found?.provider}/${found?.id}`).toBe(name);
  });

  test.each([
    [{ provider: 'anthropic', model: 'gpt-9' }, 'Model not found: anthropic/gpt-9.'],
    [{ model: 'nothing' }, 'Model not found: nothing.'],
    [{ provider: 'nobody' }, 'Model not found: nobody.'],
    [{ model: 'claude' }, 'Model not found: claude could be any of anthropic/claude-opus-5, anthropic/claude-haiku-5,'],
  ])('%j is refused, and nothing stands in for it', async (wanted, sentence) => {
    const asked = models(wanted).initial();
    await expect(asked).rejects.toMatchObject({ code: 'not_found' });
    await expect(asked).rejects.toThrow(sentence);
    await expect(asked).rejects.toThrow('--list-models');
  });
});

describe('finding and readiness', () => {
  test('a model is found by its exact names only', async () => {
    expect(await models({}).find('parley', 'offline')).toBe(offlineModel);
    expect(await models({}).find('parley', 'off')).toBeUndefined();
  });

  test('only models that can be reached are available and ready', async () => {
    expect(await models({}).available()).toEqual([offlineModel]);
    await expect(models({}).ready(offlineModel)).resolves.toBeUndefined();
    await expect(models({}).ready(many[1] as Model)).rejects.toMatchObject({ code: 'no_model' });
  });

  test('the catalogue holds the offline model', () => {
    expect(catalogue).toContain(offlineModel);
  });
});

describe('streaming', () => {
  const withApi = (load: () => Promise<ModelApi>) =>
    createModels({ apis: { wire: load }, catalogue: many, wanted: {}, clock });
  const remote = many[1] as Model;

  test('goes to the API of the model', async () => {
    const seen = await observe(models({}).stream(request(offlineModel)));
    expectGrammar(seen);
    expect(seen.message.content).toEqual([{ type: 'text', text: 'hi' }]);
  });

  test.each(['unheard-of', 'toString'])('an unknown API is an error at the end of the stream: %s', async (api) => {
    const seen = await observe(models({}).stream(request({ ...remote, api })));
    expectGrammar(seen);
    expect(seen.message).toMatchObject({ stopReason: 'error', api, provider: 'anthropic', timestamp: 7 });
    expect(seen.message.errorMessage).toContain(`"${api}"`);
  });

  test('an API is loaded once, and again only after its loading failed', async () => {
    const api: ModelApi = {
      async *stream({ model: of }) {
        const builder = new MessageBuilder(of, 0);
        yield builder.start();
        yield builder.finish('stop');
      },
    };
    const load = vi.fn(async () => api).mockRejectedValueOnce(new Error('no such chunk'));
    const under = withApi(load);
    expect((await observe(under.stream(request(remote)))).message.errorMessage).toBe('no such chunk');
    expect((await observe(under.stream(request(remote)))).message.stopReason).toBe('stop');
    expect((await observe(under.stream(request(remote)))).message.stopReason).toBe('stop');
    expect(load).toHaveBeenCalledTimes(2);
  });

  const breaking = (signalled?: () => void): ModelApi => ({
    async *stream({ model: of }) {
      const builder = new MessageBuilder(of, 5);
      yield builder.start();
      yield builder.startText();
      yield builder.appendText('half');
      signalled?.();
      throw new Error('socket closed');
    },
  });

  test('an API that throws ends in an error that keeps what came', async () => {
    const seen = await observe(withApi(async () => breaking()).stream(request(remote)));
    expectGrammar(seen);
    expect(seen.message).toMatchObject({
      stopReason: 'error',
      errorMessage: 'socket closed',
      content: [{ type: 'text', text: 'half' }],
      timestamp: 5,
    });
  });

  test('what an API throws after an abort is an abort', async () => {
    const aborter = new AbortController();
    const api = breaking(() => aborter.abort());
    const seen = await observe(withApi(async () => api).stream(request(remote, aborter.signal)));
    expectGrammar(seen);
    expect(seen.message).toMatchObject({ stopReason: 'aborted', errorMessage: 'Request was aborted' });
  });

  test('an API that just stops is an error', async () => {
    const silent: ModelApi = { async *stream() {} };
    const seen = await observe(withApi(async () => silent).stream(request(remote)));
    expectGrammar(seen);
    expect(seen.message.errorMessage).toBe('The model stream ended without a final message');
  });

  test('nothing after the end gets through', async () => {
    const chatty: ModelApi = {
      async *stream({ model: of }) {
        const builder = new MessageBuilder(of, 0);
        yield builder.start();
        yield builder.finish('stop');
        yield builder.fail('error', 'too late');
      },
    };
    const seen = await observe(withApi(async () => chatty).stream(request(remote)));
    expect(seen.events.map(({ type }) => type)).toEqual(['start', 'done']);
  });
});

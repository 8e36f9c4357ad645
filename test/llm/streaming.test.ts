// GuardedStream: `start` first, one end, nothing thrown, whatever the API does.
import { describe, expect, test, vi } from 'vitest';
import { Fault } from '../../src/base/index.ts';
import type { ModelApi } from '../../src/contracts/index.ts';
import { createLazyApiLoader, GuardedStream } from '../../src/llm/guarded-stream.ts';
import { createApiLoaders } from '../../src/llm/index.ts';
import { MessageBuilder } from '../../src/llm/message-builder.ts';
import { offlineModel } from '../../src/llm/offline/offline-model.ts';
import type { Model } from '../../src/protocol/index.ts';
import { expectGrammar, observe } from './contract.ts';
import { createRequest } from './model-fixture.ts';

const clock = { now: () => 7 };
const remote: Model = { ...offlineModel, provider: 'far', id: 'away', api: 'wire' };

function createStream(load: () => Promise<ModelApi>, signal?: AbortSignal) {
  const request = createRequest(remote, signal);
  const loadApi = createLazyApiLoader({ wire: load });
  return new GuardedStream(request, async () => (await loadApi(remote)).stream(request), clock);
}

const workingApi: ModelApi = {
  async *stream({ model }) {
    const builder = new MessageBuilder(model, 0);
    yield builder.start();
    yield builder.finish('stop');
  },
};

test('uses the API of the model', async () => {
  const load = createLazyApiLoader(createApiLoaders({ clock }));
  const request = createRequest(offlineModel);
  const observed = await observe(
    new GuardedStream(request, async () => (await load(offlineModel)).stream(request), clock),
  );
  expectGrammar(observed);
  expect(observed.message.content).toEqual([{ type: 'text', text: 'hi' }]);
});

test.each(['unknown-api', 'toString'])('an unknown API ends the stream with an error: %s', async (api) => {
  const model = { ...remote, api };
  const load = createLazyApiLoader({ wire: async () => workingApi });
  const request = createRequest(model);
  const observed = await observe(new GuardedStream(request, async () => (await load(model)).stream(request), clock));
  expectGrammar(observed);
  expect(observed.message).toMatchObject({ stopReason: 'error', api, provider: 'far', timestamp: 7 });
  expect(observed.message.errorMessage).toContain(`"${api}"`);
});

test('an API is loaded once, and again only after a failed load', async () => {
  const loader = vi.fn(async () => workingApi).mockRejectedValueOnce(new Error('no such chunk'));
  const load = createLazyApiLoader({ wire: loader });
  const getMessage = async () => {
    const request = createRequest(remote);
    return (await observe(new GuardedStream(request, async () => (await load(remote)).stream(request), clock))).message;
  };
  expect((await getMessage()).errorMessage).toBe('no such chunk');
  expect((await getMessage()).stopReason).toBe('stop');
  expect((await getMessage()).stopReason).toBe('stop');
  expect(loader).toHaveBeenCalledTimes(2);
});

test('keys in failures of an extension API are redacted', async () => {
  const secrets = new Set(['key/of the"user']);
  const createFailingApi = (fail: (builder: MessageBuilder) => ReturnType<MessageBuilder['fail']>): ModelApi => ({
    async *stream({ model }) {
      const builder = new MessageBuilder(model, 0);
      yield builder.start();
      yield fail(builder);
    },
  });
  const reported = createFailingApi((builder) => builder.fail('error', 'refused: key%2Fof%20the%22user'));
  const thrown = createFailingApi(() => {
    throw new Error(`refused: ${JSON.stringify('key/of the"user')}`);
  });
  const request = createRequest(remote);
  const getErrorMessage = async (open: () => ReturnType<ModelApi['stream']>) =>
    (await observe(new GuardedStream(request, async () => open(), clock, { secrets }))).message.errorMessage;
  expect(await getErrorMessage(() => reported.stream(request))).toBe('refused: [redacted]');
  expect(await getErrorMessage(() => thrown.stream(request))).toBe('refused: "[redacted]"');
  const throwOnOpen = () => {
    throw new Error('no access with key/of the"user');
  };
  expect(await getErrorMessage(throwOnOpen)).toBe('no access with [redacted]');
});

describe('a failing API', () => {
  const createBreakingApi = (onBeforeFailure?: () => void): ModelApi => ({
    async *stream({ model }) {
      const builder = new MessageBuilder(model, 5);
      yield builder.start();
      yield builder.startText();
      yield builder.appendText('half');
      onBeforeFailure?.();
      throw new Error('socket closed');
    },
  });

  test('ends with an error that keeps the received content', async () => {
    const observed = await observe(createStream(async () => createBreakingApi()));
    expectGrammar(observed);
    expect(observed.message).toMatchObject({
      stopReason: 'error',
      errorMessage: 'socket closed',
      content: [{ type: 'text', text: 'half' }],
      timestamp: 5,
    });
  });

  test('ends as aborted after an abort', async () => {
    const aborter = new AbortController();
    const api = createBreakingApi(() => aborter.abort());
    const observed = await observe(createStream(async () => api, aborter.signal));
    expectGrammar(observed);
    expect(observed.message).toMatchObject({ stopReason: 'aborted', errorMessage: 'Request was aborted' });
  });

  test('ends with an error when the stream just stops', async () => {
    const silent: ModelApi = { async *stream() {} };
    const observed = await observe(createStream(async () => silent));
    expectGrammar(observed);
    expect(observed.message.errorMessage).toBe('The model stream ended without a final message');
  });

  test('is ignored after its end event', async () => {
    const continuingApi: ModelApi = {
      async *stream({ model }) {
        const builder = new MessageBuilder(model, 0);
        yield builder.start();
        yield builder.finish('stop');
        yield builder.fail('error', 'too late');
      },
    };
    const observed = await observe(createStream(async () => continuingApi));
    expect(observed.events.map(({ type }) => type)).toEqual(['start', 'done']);
  });
});

test('missing credentials are an auth failure, which is not retried', async () => {
  const stream = new GuardedStream(
    createRequest(remote),
    async () => {
      throw new Fault('no_credentials', 'No API key for far.');
    },
    clock,
  );
  const observed = await observe(stream);
  expectGrammar(observed);
  expect(observed.events.at(-1)).toMatchObject({ type: 'error', reason: 'error', failure: { kind: 'auth' } });
  expect(observed.message.errorMessage).toBe('No API key for far.');
});

test('a consumer that stops early closes the source', async () => {
  const onClose = vi.fn();
  const endless: ModelApi = {
    async *stream({ model }) {
      const builder = new MessageBuilder(model, 0);
      try {
        yield builder.start();
        yield builder.startText();
        for (;;) yield builder.appendText('.');
      } finally {
        onClose();
      }
    },
  };
  let count = 0;
  for await (const _ of createStream(async () => endless)) if (++count === 5) break;
  expect(onClose).toHaveBeenCalledOnce();
});

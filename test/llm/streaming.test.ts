// Whatever an API does, the stream keeps its contract: `start` first, one end, nothing thrown.
import { describe, expect, test, vi } from 'vitest';
import { Fault } from '../../src/base/index.ts';
import type { ModelApi } from '../../src/contracts/index.ts';
import { apiLoaders } from '../../src/llm/index.ts';
import { MessageBuilder } from '../../src/llm/message-builder.ts';
import { offlineModel } from '../../src/llm/offline/model.ts';
import { GuardedStream, lazily } from '../../src/llm/streaming.ts';
import type { Model } from '../../src/protocol/index.ts';
import { expectGrammar, observe } from './contract.ts';
import { requestFor } from './model-stage.ts';

const clock = { now: () => 7 };
const remote: Model = { ...offlineModel, provider: 'far', id: 'away', api: 'wire' };

function through(load: () => Promise<ModelApi>, signal?: AbortSignal) {
  const request = requestFor(remote, signal);
  const loaded = lazily({ wire: load });
  return new GuardedStream(request, async () => (await loaded(remote)).stream(request), clock);
}

const good: ModelApi = {
  async *stream({ model }) {
    const builder = new MessageBuilder(model, 0);
    yield builder.start();
    yield builder.finish('stop');
  },
};

test('goes to the API of the model', async () => {
  const load = lazily(apiLoaders({ clock }));
  const request = requestFor(offlineModel);
  const seen = await observe(new GuardedStream(request, async () => (await load(offlineModel)).stream(request), clock));
  expectGrammar(seen);
  expect(seen.message.content).toEqual([{ type: 'text', text: 'hi' }]);
});

test.each(['unheard-of', 'toString'])('an unknown API is an error at the end of the stream: %s', async (api) => {
  const model = { ...remote, api };
  const load = lazily({ wire: async () => good });
  const request = requestFor(model);
  const seen = await observe(new GuardedStream(request, async () => (await load(model)).stream(request), clock));
  expectGrammar(seen);
  expect(seen.message).toMatchObject({ stopReason: 'error', api, provider: 'far', timestamp: 7 });
  expect(seen.message.errorMessage).toContain(`"${api}"`);
});

test('an API is loaded once, and again only after its loading failed', async () => {
  const loader = vi.fn(async () => good).mockRejectedValueOnce(new Error('no such chunk'));
  const load = lazily({ wire: loader });
  const ask = async () => {
    const request = requestFor(remote);
    return (await observe(new GuardedStream(request, async () => (await load(remote)).stream(request), clock))).message;
  };
  expect((await ask()).errorMessage).toBe('no such chunk');
  expect((await ask()).stopReason).toBe('stop');
  expect((await ask()).stopReason).toBe('stop');
  expect(loader).toHaveBeenCalledTimes(2);
});

test('an API of an extension cannot put a key into its failure', async () => {
  const secrets = new Set(['key/of the"user']);
  const failing = (fail: (builder: MessageBuilder) => ReturnType<MessageBuilder['fail']>): ModelApi => ({
    async *stream({ model }) {
      const builder = new MessageBuilder(model, 0);
      yield builder.start();
      yield fail(builder);
    },
  });
  const told = failing((builder) => builder.fail('error', 'refused: key%2Fof%20the%22user'));
  const thrown = failing(() => {
    throw new Error(`refused: ${JSON.stringify('key/of the"user')}`);
  });
  const request = requestFor(remote);
  const ask = async (open: () => ReturnType<ModelApi['stream']>) =>
    (await observe(new GuardedStream(request, async () => open(), clock, { secrets }))).message.errorMessage;
  expect(await ask(() => told.stream(request))).toBe('refused: [redacted]');
  expect(await ask(() => thrown.stream(request))).toBe('refused: "[redacted]"');
  const refused = () => {
    throw new Error('no door for key/of the"user');
  };
  expect(await ask(refused)).toBe('no door for [redacted]');
});

describe('an API that breaks', () => {
  const breaking = (signalled?: () => void): ModelApi => ({
    async *stream({ model }) {
      const builder = new MessageBuilder(model, 5);
      yield builder.start();
      yield builder.startText();
      yield builder.appendText('half');
      signalled?.();
      throw new Error('socket closed');
    },
  });

  test('ends in an error that keeps what came', async () => {
    const seen = await observe(through(async () => breaking()));
    expectGrammar(seen);
    expect(seen.message).toMatchObject({
      stopReason: 'error',
      errorMessage: 'socket closed',
      content: [{ type: 'text', text: 'half' }],
      timestamp: 5,
    });
  });

  test('after an abort it was aborted', async () => {
    const aborter = new AbortController();
    const api = breaking(() => aborter.abort());
    const seen = await observe(through(async () => api, aborter.signal));
    expectGrammar(seen);
    expect(seen.message).toMatchObject({ stopReason: 'aborted', errorMessage: 'Request was aborted' });
  });

  test('just stops', async () => {
    const silent: ModelApi = { async *stream() {} };
    const seen = await observe(through(async () => silent));
    expectGrammar(seen);
    expect(seen.message.errorMessage).toBe('The model stream ended without a final message');
  });

  test('goes on after its end and is not heard', async () => {
    const chatty: ModelApi = {
      async *stream({ model }) {
        const builder = new MessageBuilder(model, 0);
        yield builder.start();
        yield builder.finish('stop');
        yield builder.fail('error', 'too late');
      },
    };
    const seen = await observe(through(async () => chatty));
    expect(seen.events.map(({ type }) => type)).toEqual(['start', 'done']);
  });
});

test('a door that stays shut is a failure that nobody tries again', async () => {
  const stream = new GuardedStream(
    requestFor(remote),
    async () => {
      throw new Fault('no_credentials', 'No API key for far.');
    },
    clock,
  );
  const seen = await observe(stream);
  expectGrammar(seen);
  expect(seen.events.at(-1)).toMatchObject({ type: 'error', reason: 'error', failure: { kind: 'auth' } });
  expect(seen.message.errorMessage).toBe('No API key for far.');
});

test('a reader that leaves early takes the source with it', async () => {
  const left = vi.fn();
  const endless: ModelApi = {
    async *stream({ model }) {
      const builder = new MessageBuilder(model, 0);
      try {
        yield builder.start();
        yield builder.startText();
        for (;;) yield builder.appendText('.');
      } finally {
        left();
      }
    },
  };
  let count = 0;
  for await (const _ of through(async () => endless)) if (++count === 5) break;
  expect(left).toHaveBeenCalledOnce();
});

// The promises that every model API keeps, whatever its wire. New APIs run this suite with requests of their own.
import { describe, expect, test } from 'vitest';
import type { ModelApi, ModelRequest } from '../../src/contracts/index.ts';
import type { AssistantMessage, AssistantMessageEvent, Usage } from '../../src/protocol/index.ts';

export interface Observation {
  events: AssistantMessageEvent[];
  /** The final message. */
  message: AssistantMessage;
  /** Every usage object that was seen, with its text at first sight. */
  usages: Map<Usage, string>;
}

export async function observe(
  stream: AsyncIterable<AssistantMessageEvent>,
  onEvent: (event: AssistantMessageEvent, count: number) => void = () => {},
): Promise<Observation> {
  const events: AssistantMessageEvent[] = [];
  const usages = new Map<Usage, string>();
  for await (const event of stream) {
    events.push(event);
    const { usage } = messageIn(event);
    if (!usages.has(usage)) usages.set(usage, JSON.stringify(usage));
    onEvent(event, events.length);
  }
  const last = events.at(-1);
  if (!last) throw new Error('The stream had no events');
  return { events, message: messageIn(last), usages };
}

function messageIn(event: AssistantMessageEvent): AssistantMessage {
  if (event.type === 'done') return event.message;
  return event.type === 'error' ? event.error : event.partial;
}

const KEYS = ['role', 'content', 'api', 'provider', 'model', 'usage', 'stopReason', 'errorMessage', 'timestamp'];

/** Everything that can be said of any stream, good or broken. */
export function expectGrammar({ events, message, usages }: Observation): void {
  expect(events[0]?.type).toBe('start');
  expect(events.filter(({ type }) => type === 'start')).toHaveLength(1);
  const last = events.at(-1)!;
  expect(['done', 'error']).toContain(last.type);
  expect(events.slice(0, -1).filter(({ type }) => type === 'done' || type === 'error')).toEqual([]);
  expect(events.filter((event) => messageIn(event) !== message)).toEqual([]);
  expect(Object.keys(message)).toEqual(KEYS.filter((key) => key !== 'errorMessage' || last.type === 'error'));
  expectBlocks(events, message, last.type === 'done');
  if (last.type === 'done') expect(message.stopReason).toBe(last.reason);
  if (last.type === 'error') {
    expect(message.stopReason).toBe(last.reason);
    expect(message.errorMessage).not.toBe('');
  }
  for (const [usage, text] of usages) expect(JSON.stringify(usage)).toBe(text);
}

/** Blocks come one after the other, each begun, grown and ended; what was streamed is what the message holds. */
function expectBlocks(events: readonly AssistantMessageEvent[], message: AssistantMessage, complete: boolean): void {
  let next = 0;
  let open: { kind: string; grown: string[] } | undefined;
  for (const event of events) {
    if (event.type === 'start' || event.type === 'done' || event.type === 'error') continue;
    const [kind = '', moment] = event.type.split('_');
    if (moment === 'start') {
      expect(open).toBeUndefined();
      expect(event.contentIndex).toBe(next++);
      open = { kind, grown: [] };
      continue;
    }
    // One comparison for each delta: a long stream has many, and `expect` is slow.
    if (open?.kind !== kind || event.contentIndex !== next - 1) expect.fail(`${event.type} outside its block`);
    if ('delta' in event) open?.grown.push(event.delta);
    if (moment !== 'end') continue;
    const text = open?.grown.join('') ?? '';
    if (event.type === 'toolcall_end') {
      expect(event.toolCall).toBe(message.content[event.contentIndex]);
      if (message.stopReason !== 'length')
        expect(event.toolCall.arguments).toEqual(text === '' ? {} : JSON.parse(text));
    } else if ('content' in event) expect(event.content).toBe(text);
    expectText(message, event.contentIndex, text);
    open = undefined;
  }
  expect(message.content).toHaveLength(next);
  if (complete) expect(open).toBeUndefined();
  if (open) expectText(message, next - 1, open.grown.join(''));
}

function expectText(message: AssistantMessage, index: number, text: string): void {
  const block = message.content[index];
  if (block?.type === 'text') expect(block.text).toBe(text);
  if (block?.type === 'thinking') expect(block.thinking).toBe(text);
}

export interface ContractSubject {
  api: ModelApi;
  /** A request that is answered with a text of at least ten deltas. */
  long(signal: AbortSignal): ModelRequest;
  /** A request that is answered with at least one tool call. */
  calling(signal: AbortSignal): ModelRequest;
}

const never = () => new AbortController().signal;

export function modelApiContract(name: string, setup: () => ContractSubject): void {
  describe(`${name} keeps the promises of a model API`, () => {
    test('an answer in words', async () => {
      const { api, long } = setup();
      const seen = await observe(api.stream(long(never())));
      expectGrammar(seen);
      expect(seen.message.stopReason).toBe('stop');
      expect(seen.events.filter(({ type }) => type === 'text_delta').length).toBeGreaterThanOrEqual(10);
    });

    test('an answer with tool calls that were offered', async () => {
      const { api, calling } = setup();
      const request = calling(never());
      const seen = await observe(api.stream(request));
      expectGrammar(seen);
      expect(seen.message.stopReason).toBe('toolUse');
      const calls = seen.message.content.filter((block) => block.type === 'toolCall');
      expect(calls.length).toBeGreaterThan(0);
      expect(new Set(calls.map(({ id }) => id)).size).toBe(calls.length);
      for (const call of calls) expect(request.tools.map((tool) => tool.name)).toContain(call.name);
    });

    test('the message names its model', async () => {
      const { api, long } = setup();
      const request = long(never());
      const { message } = await observe(api.stream(request));
      const { model } = request;
      expect(message).toMatchObject({ role: 'assistant', api: model.api, provider: model.provider, model: model.id });
    });

    test('a request that is aborted before it begins ends at once', async () => {
      const { api, long } = setup();
      const seen = await observe(api.stream(long(AbortSignal.abort())));
      expectGrammar(seen);
      expect(seen.message).toMatchObject({ stopReason: 'aborted', errorMessage: 'Request was aborted', content: [] });
    });

    test('an abort in the middle keeps what came', async () => {
      const { api, long } = setup();
      const aborter = new AbortController();
      let deltas = 0;
      const seen = await observe(api.stream(long(aborter.signal)), ({ type }) => {
        if (type === 'text_delta' && ++deltas === 5) aborter.abort();
      });
      expectGrammar(seen);
      expect(seen.events.at(-1)).toMatchObject({ type: 'error', reason: 'aborted' });
      expect(seen.message.errorMessage).toBe('Request was aborted');
      expect(JSON.stringify(seen.message.content)).not.toBe('[]');
    });
  });
}

// Contract tests that every model API must pass.
import { describe, expect, test } from 'vitest';
import type { ModelApi, ModelRequest } from '../../src/contracts/index.ts';
import type { AssistantMessage, AssistantMessageEvent, Usage } from '../../src/protocol/index.ts';

export interface Observation {
  events: AssistantMessageEvent[];
  /** The final message. */
  message: AssistantMessage;
  /** Every usage object in the events, with its JSON when it was first observed. */
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
    const { usage } = getMessage(event);
    if (!usages.has(usage)) usages.set(usage, JSON.stringify(usage));
    onEvent(event, events.length);
  }
  const last = events.at(-1);
  if (!last) throw new Error('The stream had no events');
  return { events, message: getMessage(last), usages };
}

function getMessage(event: AssistantMessageEvent): AssistantMessage {
  if (event.type === 'done') return event.message;
  return event.type === 'error' ? event.error : event.partial;
}

const KEYS = ['role', 'content', 'api', 'provider', 'model', 'usage', 'stopReason', 'errorMessage', 'timestamp'];

/** Checks the rules that apply to every stream, successful or not. */
export function expectGrammar({ events, message, usages }: Observation): void {
  expect(events[0]?.type).toBe('start');
  expect(events.filter(({ type }) => type === 'start')).toHaveLength(1);
  const last = events.at(-1)!;
  expect(['done', 'error']).toContain(last.type);
  expect(events.slice(0, -1).filter(({ type }) => type === 'done' || type === 'error')).toEqual([]);
  expect(events.filter((event) => getMessage(event) !== message)).toEqual([]);
  expect(Object.keys(message)).toEqual(KEYS.filter((key) => key !== 'errorMessage' || last.type === 'error'));
  expectBlocks(events, message, last.type === 'done');
  if (last.type === 'done') expect(message.stopReason).toBe(last.reason);
  if (last.type === 'error') {
    expect(message.stopReason).toBe(last.reason);
    expect(message.errorMessage).not.toBe('');
  }
  for (const [usage, text] of usages) expect(JSON.stringify(usage)).toBe(text);
}

/** Blocks come one after the other, each with start, deltas and end; the deltas add up to the content of the message. */
function expectBlocks(events: readonly AssistantMessageEvent[], message: AssistantMessage, complete: boolean): void {
  let nextIndex = 0;
  let open: { kind: string; deltas: string[] } | undefined;
  for (const event of events) {
    if (event.type === 'start' || event.type === 'done' || event.type === 'error') continue;
    const [kind = '', phase] = event.type.split('_');
    if (phase === 'start') {
      expect(open).toBeUndefined();
      expect(event.contentIndex).toBe(nextIndex++);
      open = { kind, deltas: [] };
      continue;
    }
    // Compares without `expect` for each delta, because `expect` is slow and long streams have many deltas.
    if (open?.kind !== kind || event.contentIndex !== nextIndex - 1) expect.fail(`${event.type} outside its block`);
    if ('delta' in event) open?.deltas.push(event.delta);
    if (phase !== 'end') continue;
    const text = open?.deltas.join('') ?? '';
    if (event.type === 'toolcall_end') {
      expect(event.toolCall).toBe(message.content[event.contentIndex]);
      if (message.stopReason !== 'length')
        expect(event.toolCall.arguments).toEqual(text === '' ? {} : JSON.parse(text));
    } else if ('content' in event) expect(event.content).toBe(text);
    expectText(message, event.contentIndex, text);
    open = undefined;
  }
  expect(message.content).toHaveLength(nextIndex);
  if (complete) expect(open).toBeUndefined();
  if (open) expectText(message, nextIndex - 1, open.deltas.join(''));
}

function expectText(message: AssistantMessage, index: number, text: string): void {
  const block = message.content[index];
  if (block?.type === 'text') expect(block.text).toBe(text);
  if (block?.type === 'thinking') expect(block.thinking).toBe(text);
}

export interface ContractSubject {
  api: ModelApi;
  /** A request whose reply is a text of at least ten deltas. */
  long(signal: AbortSignal): ModelRequest;
  /** A request whose reply has at least one tool call. */
  calling(signal: AbortSignal): ModelRequest;
}

const createSignal = () => new AbortController().signal;

export function modelApiContract(name: string, setup: () => ContractSubject): void {
  describe(`${name} fulfills the model API contract`, () => {
    test('streams a text reply', async () => {
      const { api, long } = setup();
      const observed = await observe(api.stream(long(createSignal())));
      expectGrammar(observed);
      expect(observed.message.stopReason).toBe('stop');
      expect(observed.events.filter(({ type }) => type === 'text_delta').length).toBeGreaterThanOrEqual(10);
    });

    test('streams calls of the offered tools', async () => {
      const { api, calling } = setup();
      const request = calling(createSignal());
      const observed = await observe(api.stream(request));
      expectGrammar(observed);
      expect(observed.message.stopReason).toBe('toolUse');
      const calls = observed.message.content.filter((block) => block.type === 'toolCall');
      expect(calls.length).toBeGreaterThan(0);
      expect(new Set(calls.map(({ id }) => id)).size).toBe(calls.length);
      for (const call of calls) expect(request.tools.map((tool) => tool.name)).toContain(call.name);
    });

    test('the message names its model', async () => {
      const { api, long } = setup();
      const request = long(createSignal());
      const { message } = await observe(api.stream(request));
      const { model } = request;
      expect(message).toMatchObject({ role: 'assistant', api: model.api, provider: model.provider, model: model.id });
    });

    test('a request that is already aborted ends immediately', async () => {
      const { api, long } = setup();
      const observed = await observe(api.stream(long(AbortSignal.abort())));
      expectGrammar(observed);
      expect(observed.message).toMatchObject({
        stopReason: 'aborted',
        errorMessage: 'Request was aborted',
        content: [],
      });
    });

    test('an abort during the stream keeps the received content', async () => {
      const { api, long } = setup();
      const aborter = new AbortController();
      let deltas = 0;
      const observed = await observe(api.stream(long(aborter.signal)), ({ type }) => {
        if (type === 'text_delta' && ++deltas === 5) aborter.abort();
      });
      expectGrammar(observed);
      expect(observed.events.at(-1)).toMatchObject({ type: 'error', reason: 'aborted' });
      expect(observed.message.errorMessage).toBe('Request was aborted');
      expect(JSON.stringify(observed.message.content)).not.toBe('[]');
    });
  });
}

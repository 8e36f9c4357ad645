// A client of a server that loads a session during a run: the events of the run reach it once, also when the oldest are not available.
import { expect, test } from 'vitest';
import type { AgentSession, CallToken, Frame } from '../../../src/contracts/index.ts';
import { createAcpCodec } from '../../../src/dialects/acp/codec.ts';
import { encodeHistory } from '../../../src/dialects/acp/updates/index.ts';
import type { AgentEvent, AgentMessage, AssistantMessage, SessionEntry } from '../../../src/protocol/index.ts';
import { joinChunks } from '../frame-text.ts';
import { createAnswer } from './updates/updates-fixture.ts';

type Update = Record<string, unknown>;

const user = (text: string, timestamp: number): AgentMessage => ({ role: 'user', content: text, timestamp });
const entry = (id: string, parentId: string | null, message: AgentMessage) =>
  ({ type: 'message', id, parentId, timestamp: '2026-01-01T00:00:00.000Z', message }) as SessionEntry;

/** A message that grows, as the core sends it: all events have the same object. */
function growAnswer(texts: readonly string[]): { message: AssistantMessage; events: AgentEvent[] } {
  const block = { type: 'text' as const, text: '' };
  const message = createAnswer([block], { timestamp: 300 });
  const events: AgentEvent[] = [{ type: 'message_start', message }];
  for (const delta of texts) {
    block.text += delta;
    const assistantMessageEvent = { type: 'text_delta' as const, contentIndex: 0, delta, partial: message };
    events.push({ type: 'message_update', message, assistantMessageEvent } as AgentEvent);
  }
  return { message, events };
}

function openCodec(messages: readonly AgentMessage[], clientName = 'me') {
  const codec = createAcpCodec({ version: '0', stream: 'delta', clientName });
  const session = { id: 's1', cwd: '/w', history: { messages: () => messages } } as unknown as AgentSession;
  const call = (id: number, method: string, params: object) =>
    codec.decode({ text: JSON.stringify({ jsonrpc: '2.0', id, method, params }) }) as { token: CallToken };
  call(1, 'initialize', { protocolVersion: 1 });
  const { token } = call(2, 'session/load', { sessionId: 's1', cwd: '/w', mcpServers: [] });
  let seq = 0;
  const next = () => {
    seq += 1;
    return { seq, client: 'other' };
  };
  return {
    observe: (...events: AgentEvent[]) => {
      for (const event of events) codec.observeEvent?.(event, session, next());
    },
    send: (...events: AgentEvent[]) =>
      events.flatMap((event) => listUpdates(codec.encodeEvent(event, session, next()))),
    load(entries: readonly SessionEntry[]) {
      const result = {
        ...{ session, sessionId: 's1', result: {} },
        encodeHistory: (isSentLater: (message: AgentMessage) => boolean) =>
          encodeHistory(entries, entries.at(-1)?.id ?? null, { cwd: '/w', isSentLater }),
      };
      return listUpdates(codec.encodeReply(token, { status: 'settled', result }));
    },
  };
}

function listUpdates(first: Frame | undefined): Update[] {
  const updates: Update[] = [];
  for (let frame = first; frame; frame = frame.followedBy) {
    const { params } = JSON.parse(joinChunks(frame.chunks)) as { params?: { update: Update } };
    if (params) updates.push(params.update);
  }
  return updates;
}

const show = (updates: readonly Update[]) =>
  updates.map(({ sessionUpdate, content }) => `${sessionUpdate}: ${(content as { text: string }).text}`);

const EARLIER = [user('A', 100), createAnswer([{ type: 'text', text: 'alpha' }], { timestamp: 150 })];
const HISTORY = ['user_message_chunk: A', 'agent_message_chunk: alpha'];

test('the history ends before the run, whose events follow once', () => {
  const prompt = user('B', 200);
  const { message, events } = growAnswer(['one ', 'two ']);
  const codec = openCodec([...EARLIER, prompt]);
  codec.observe({ type: 'agent_start' }, { type: 'message_start', message: prompt }, ...events.slice(0, 2));
  expect(codec.send(...events.slice(2))).toEqual([]);
  // The log is read while the run goes on: it has the prompt already, as another object.
  const entries = [...EARLIER, { ...prompt }].map((one, at) => entry(`e${at}`, at === 0 ? null : `e${at - 1}`, one));
  expect(show(codec.load(entries))).toEqual([
    ...HISTORY,
    'user_message_chunk: B',
    'agent_message_chunk: one ',
    'agent_message_chunk: two ',
  ]);
  const last = growAnswer(['x']).events[1] as Extract<AgentEvent, { type: 'message_update' }>;
  expect(show(codec.send({ ...last, message }))).toEqual(['agent_message_chunk: x']);
});

test('when the start of the run is not available, the message in progress is sent as a whole', () => {
  const { message, events } = growAnswer(['one ', 'two ', 'three ']);
  const codec = openCodec([...EARLIER]);
  codec.observe(...events.slice(2));
  const entries = EARLIER.map((one, at) => entry(`e${at}`, at === 0 ? null : `e${at - 1}`, one));
  expect(show(codec.load(entries))).toEqual([...HISTORY, 'agent_message_chunk: one two three ']);
  const block = message.content[0] as { text: string };
  block.text += 'four';
  const ended = { type: 'text_end' as const, contentIndex: 0, content: block.text, partial: message };
  const event = { type: 'message_update', message, assistantMessageEvent: ended } as AgentEvent;
  expect(show(codec.send(event))).toEqual(['agent_message_chunk: four']);
});

test.each([
  ['me', ['user_message_chunk: Hello']],
  ['other', []],
])('the client %s sees the prompt of the client other as %j', (name, expected) => {
  const codec = openCodec([user('Before', 50)], name);
  codec.load([]);
  expect(show(codec.send({ type: 'message_start', message: user('Hello', 100) }))).toEqual(expected);
});

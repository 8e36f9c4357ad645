// Tests of events: listeners, readers, unknown events and back-pressure.
import { describe, expect, expectTypeOf, test } from 'vitest';
import { type AgentExitedError, type Client, type ClientEvent, createClient } from '../../src/client/index.ts';
import { isKnownEvent } from '../../src/client/known-events.ts';
import { type AgentEvent, events } from '../../src/protocol/index.ts';
import { createFakeAgent, type FakeAgentTransport } from './fake-agent-transport.ts';
import { startMemoryAgent } from './memory-agent.ts';

const notice = (message: string) => ({ type: 'notice', level: 'info', message });

async function take(reader: AsyncIterator<AgentEvent>, count: number): Promise<unknown[]> {
  const taken: unknown[] = [];
  while (taken.length < count) taken.push((await reader.next()).value);
  return taken;
}

test('events are typed by their declarations', () => {
  expectTypeOf<Parameters<Parameters<Client['onEvent']>[0]>[0]>().toEqualTypeOf<ClientEvent>();
  expectTypeOf<ClientEvent>().toExtend<AgentEvent>();
  expectTypeOf<ReturnType<Client['events']>>().toExtend<AsyncIterable<AgentEvent>>();
  expect(events.filter(({ type }) => !isKnownEvent(type))).toEqual([]);
});

test('listeners and readers receive events in the order they were sent', async () => {
  const { client, wire } = await startMemoryAgent({ script: [{ text: ['Hello', ' there'] }] });
  const receivedEvents: AgentEvent[] = [];
  client.onEvent((event) => receivedEvents.push(event));
  const read: AgentEvent[] = [];
  const reader = client.events();
  await client.call('prompt', { message: 'Hi' });
  for await (const event of reader) {
    read.push(event);
    if (event.type === 'session_settled') break;
  }
  expect(receivedEvents.map((event) => event.type)).toEqual([
    ...['agent_start', 'turn_start', 'message_start', 'message_end', 'message_start'],
    ...['message_update', 'message_update', 'message_update', 'message_update'],
    ...['message_end', 'turn_end', 'agent_end', 'agent_settled', 'session_settled'],
  ]);
  expect(read).toEqual(receivedEvents);
  const sentFrames = wire.filter((line) => !line.startsWith('>')).map((line) => JSON.parse(line) as { type: string });
  const notEvents = new Set(['ready', 'response', 'prompt_result']);
  expect(receivedEvents).toEqual(sentFrames.filter(({ type }) => !notEvents.has(type)));
});

test('a removed listener gets no events, and an exception in one listener does not affect others', async () => {
  const fakeAgent = createFakeAgent();
  const errors: unknown[] = [];
  const client = createClient(fakeAgent, { onError: (thrown) => errors.push(thrown) });
  const receivedEvents: string[] = [];
  client.onEvent(() => {
    throw new Error('bad listener');
  });
  const stop = client.onEvent((event) => receivedEvents.push(event.type));
  fakeAgent.send({ type: 'agent_start' });
  await fakeAgent.waitUntilRead();
  stop();
  fakeAgent.send({ type: 'turn_start' });
  await fakeAgent.waitUntilRead();
  expect(receivedEvents).toEqual(['agent_start']);
  expect(errors).toEqual([new Error('bad listener'), new Error('bad listener')]);
});

test('unknown frames go only to onUnhandled', async () => {
  const fakeAgent = createFakeAgent();
  const client = createClient(fakeAgent);
  const receivedEvents: AgentEvent[] = [];
  const others: unknown[] = [];
  client.onEvent((event) => receivedEvents.push(event));
  client.onUnhandled((frame) => others.push(frame));
  fakeAgent.send(
    { type: 'moon_phase', phase: 'full' },
    'Debugger attached.',
    '[1]',
    { type: 7 },
    { type: 'constructor' },
  );
  fakeAgent.send({ type: 'agent_start' });
  await fakeAgent.waitUntilRead();
  expect(others).toEqual([
    { type: 'moon_phase', phase: 'full' },
    'Debugger attached.',
    [1],
    { type: 7 },
    { type: 'constructor' },
  ]);
  expect(receivedEvents).toEqual([{ type: 'agent_start' }]);
});

describe('readers', () => {
  test('start with the next event and are independent', async () => {
    const fakeAgent = createFakeAgent();
    const client = createClient(fakeAgent);
    const early = client.events();
    fakeAgent.send(notice('1'));
    await fakeAgent.waitUntilRead();
    const late = client.events();
    fakeAgent.send(notice('2'));
    expect(await take(early, 2)).toEqual([notice('1'), notice('2')]);
    expect(await take(late, 1)).toEqual([notice('2')]);
  });

  test('may return while they wait', async () => {
    const client = createClient(createFakeAgent());
    const reader = client.events();
    const waiting = reader.next();
    await reader.return?.();
    expect(await waiting).toEqual({ done: true, value: undefined });
    expect(await reader.next()).toEqual({ done: true, value: undefined });
  });

  test('end without an error when the client was closed', async () => {
    const fakeAgent = createFakeAgent();
    const client = createClient(fakeAgent);
    const reader = client.events();
    void client.close();
    expect(fakeAgent.ended).toBe(true);
    fakeAgent.send(notice('bye'));
    fakeAgent.exit({ code: 0 });
    const read: AgentEvent[] = [];
    for await (const event of reader) read.push(event);
    expect(read).toEqual([notice('bye')]);
    expect(await client.events().next()).toMatchObject({ done: true });
  });

  test.each([
    ['without close', false, { code: 0 }],
    ['by a signal', true, { code: null, signal: 'SIGKILL' }],
  ])('throw once, after the last events, when the agent exited %s', async (_, isClosing, exitInfo) => {
    const fakeAgent = createFakeAgent();
    const client = createClient(fakeAgent);
    const reader = client.events();
    if (isClosing) void client.close();
    fakeAgent.send(notice('last'));
    fakeAgent.exit(exitInfo);
    expect(await take(reader, 1)).toEqual([notice('last')]);
    const exitError = { name: 'AgentExitedError', exitCode: exitInfo.code } satisfies Partial<AgentExitedError>;
    await expect(reader.next()).rejects.toMatchObject(exitError);
    expect(await reader.next()).toMatchObject({ done: true });
    await expect(client.events().next()).rejects.toMatchObject(exitError);
  });
});

describe('back-pressure', () => {
  const large = notice('x'.repeat(100_000));
  const full = 11;

  function createFloodedClient(answer?: Parameters<typeof createFakeAgent>[0]): {
    client: Client;
    fakeAgent: FakeAgentTransport;
  } {
    const fakeAgent = createFakeAgent(answer);
    fakeAgent.send(...Array.from({ length: 100 }, () => large));
    return { client: createClient(fakeAgent), fakeAgent };
  }

  test('reading pauses while a reader is far behind', async () => {
    const { client, fakeAgent } = createFloodedClient();
    const reader = client.events();
    await fakeAgent.waitUntilRead();
    expect(fakeAgent.readCount).toBe(full);
    await take(reader, 1);
    await fakeAgent.waitUntilRead();
    expect(fakeAgent.readCount).toBe(full + 1);
    expect(await take(reader, 99)).toEqual(Array.from({ length: 99 }, () => large));
  });

  test('a reader may make a call inside its loop', async () => {
    const { client, fakeAgent } = createFloodedClient(({ id }, { send }) =>
      send({ type: 'response', id, command: 'abort', success: true }),
    );
    let read = 0;
    for await (const _ of client.events()) {
      read++;
      if (read === 1) {
        await fakeAgent.waitUntilRead();
        expect(fakeAgent.readCount).toBe(full + 1);
        await client.call('abort');
        expect(fakeAgent.readCount).toBe(101);
      }
      if (read === 100) break;
    }
    expect(read).toBe(100);
  });

  test.each([
    ['has returned', (_: Client, reader: AsyncIterator<AgentEvent>) => reader.return?.()],
    ['is open when the client closes', (client: Client) => void client.close()],
  ])('a reader that %s does not pause reading', async (_, act) => {
    const { client, fakeAgent } = createFloodedClient();
    const reader = client.events();
    await fakeAgent.waitUntilRead();
    await act(client, reader);
    await fakeAgent.waitUntilRead();
    expect(fakeAgent.readCount).toBe(100);
  });

  test('listeners do not pause reading', async () => {
    const { client, fakeAgent } = createFloodedClient();
    let receivedEvents = 0;
    client.onEvent(() => receivedEvents++);
    await fakeAgent.waitUntilRead();
    expect(receivedEvents).toBe(100);
  });
});

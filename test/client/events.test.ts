// Events: heard by listeners, taken one at a time by readers, and what becomes of those nobody knows.
import { describe, expect, expectTypeOf, test } from 'vitest';
import { type AgentGone, type Client, createClient } from '../../src/client/index.ts';
import { isKnownEvent } from '../../src/client/known-events.ts';
import { type AgentEvent, events } from '../../src/protocol/index.ts';
import { startMemoryAgent } from './memory-agent.ts';
import { createPuppet, type PuppetTransport } from './puppet-transport.ts';

const notice = (message: string) => ({ type: 'notice', level: 'info', message });

async function take(reader: AsyncIterator<AgentEvent>, count: number): Promise<unknown[]> {
  const taken: unknown[] = [];
  while (taken.length < count) taken.push((await reader.next()).value);
  return taken;
}

test('events are typed by their declarations', () => {
  expectTypeOf<Parameters<Parameters<Client['on']>[0]>[0]>().toEqualTypeOf<AgentEvent>();
  expectTypeOf<ReturnType<Client['events']>>().toExtend<AsyncIterable<AgentEvent>>();
  expect(events.filter(({ type }) => !isKnownEvent(type))).toEqual([]);
});

test('listeners and readers hear a run in the order of the wire', async () => {
  const { client, wire } = await startMemoryAgent({ script: [{ text: ['Hello', ' there'] }] });
  const heard: AgentEvent[] = [];
  client.on((event) => heard.push(event));
  const read: AgentEvent[] = [];
  const reader = client.events();
  await client.call('prompt', { message: 'Hi' });
  for await (const event of reader) {
    read.push(event);
    if (event.type === 'agent_settled') break;
  }
  expect(heard.map((event) => event.type)).toEqual([
    ...['agent_start', 'turn_start', 'message_start', 'message_end', 'message_start'],
    ...['message_update', 'message_update', 'message_update', 'message_update'],
    ...['message_end', 'turn_end', 'agent_end', 'agent_settled'],
  ]);
  expect(read).toEqual(heard);
  const onTheWire = wire.filter((line) => !line.startsWith('>')).map((line) => JSON.parse(line) as { type: string });
  expect(heard).toEqual(onTheWire.filter(({ type }) => type !== 'ready' && type !== 'response'));
});

test('one who stops listening hears no more; one who throws does not silence the others', async () => {
  const puppet = createPuppet();
  const errors: unknown[] = [];
  const client = createClient(puppet, { onError: (thrown) => errors.push(thrown) });
  const heard: string[] = [];
  client.on(() => {
    throw new Error('bad listener');
  });
  const stop = client.on((event) => heard.push(event.type));
  puppet.say({ type: 'agent_start' });
  await puppet.heard();
  stop();
  puppet.say({ type: 'turn_start' });
  await puppet.heard();
  expect(heard).toEqual(['agent_start']);
  expect(errors).toEqual([new Error('bad listener'), new Error('bad listener')]);
});

test('what nobody knows goes to the catch-all, and nowhere else', async () => {
  const puppet = createPuppet();
  const client = createClient(puppet);
  const heard: AgentEvent[] = [];
  const others: unknown[] = [];
  client.on((event) => heard.push(event));
  client.onOther((frame) => others.push(frame));
  puppet.say({ type: 'moon_phase', phase: 'full' }, 'Debugger attached.', '[1]', { type: 7 }, { type: 'constructor' });
  puppet.say({ type: 'agent_start' });
  await puppet.heard();
  expect(others).toEqual([
    { type: 'moon_phase', phase: 'full' },
    'Debugger attached.',
    [1],
    { type: 7 },
    { type: 'constructor' },
  ]);
  expect(heard).toEqual([{ type: 'agent_start' }]);
});

describe('readers', () => {
  test('begin with the next event and do not share', async () => {
    const puppet = createPuppet();
    const client = createClient(puppet);
    const early = client.events();
    puppet.say(notice('1'));
    await puppet.heard();
    const late = client.events();
    puppet.say(notice('2'));
    expect(await take(early, 2)).toEqual([notice('1'), notice('2')]);
    expect(await take(late, 1)).toEqual([notice('2')]);
  });

  test('may leave while they wait', async () => {
    const client = createClient(createPuppet());
    const reader = client.events();
    const waiting = reader.next();
    await reader.return?.();
    expect(await waiting).toEqual({ done: true, value: undefined });
    expect(await reader.next()).toEqual({ done: true, value: undefined });
  });

  test('end with the agent when it was told to go', async () => {
    const puppet = createPuppet();
    const client = createClient(puppet);
    const reader = client.events();
    void client.close();
    expect(puppet.ended).toBe(true);
    puppet.say(notice('bye'));
    puppet.die({ code: 0 });
    const read: AgentEvent[] = [];
    for await (const event of reader) read.push(event);
    expect(read).toEqual([notice('bye')]);
    expect(await client.events().next()).toMatchObject({ done: true });
  });

  test.each([
    ['without being told', false, { code: 0 }],
    ['by a signal', true, { code: null, signal: 'SIGKILL' }],
  ])('throw once, after what was said, when it went %s', async (_, told, farewell) => {
    const puppet = createPuppet();
    const client = createClient(puppet);
    const reader = client.events();
    if (told) void client.close();
    puppet.say(notice('last'));
    puppet.die(farewell);
    expect(await take(reader, 1)).toEqual([notice('last')]);
    const gone = { name: 'AgentGone', exitCode: farewell.code } satisfies Partial<AgentGone>;
    await expect(reader.next()).rejects.toMatchObject(gone);
    expect(await reader.next()).toMatchObject({ done: true });
    await expect(client.events().next()).rejects.toMatchObject(gone);
  });
});

describe('back-pressure', () => {
  const large = notice('x'.repeat(100_000));
  const full = 11;

  function flooded(answer?: Parameters<typeof createPuppet>[0]): { client: Client; puppet: PuppetTransport } {
    const puppet = createPuppet(answer);
    puppet.say(...Array.from({ length: 100 }, () => large));
    return { client: createClient(puppet), puppet };
  }

  test('nothing is fetched for a reader that is far behind, until it has caught up', async () => {
    const { client, puppet } = flooded();
    const reader = client.events();
    await puppet.heard();
    expect(puppet.taken).toBe(full);
    await take(reader, 1);
    await puppet.heard();
    expect(puppet.taken).toBe(full + 1);
    expect(await take(reader, 99)).toEqual(Array.from({ length: 99 }, () => large));
  });

  test('the reader may call in the middle of its loop', async () => {
    const { client, puppet } = flooded(({ id }, { say }) =>
      say({ type: 'response', id, command: 'abort', success: true }),
    );
    let read = 0;
    for await (const _ of client.events()) {
      read++;
      if (read === 1) {
        await puppet.heard();
        expect(puppet.taken).toBe(full + 1);
        await client.call('abort');
        expect(puppet.taken).toBe(101);
      }
      if (read === 100) break;
    }
    expect(read).toBe(100);
  });

  test.each([
    ['leaves', (_: Client, reader: AsyncIterator<AgentEvent>) => reader.return?.()],
    ['is there when the client closes', (client: Client) => void client.close()],
  ])('a reader that %s holds nothing up', async (_, act) => {
    const { client, puppet } = flooded();
    const reader = client.events();
    await puppet.heard();
    await act(client, reader);
    await puppet.heard();
    expect(puppet.taken).toBe(100);
  });

  test('listeners alone hold nothing up', async () => {
    const { client, puppet } = flooded();
    let heard = 0;
    client.on(() => heard++);
    await puppet.heard();
    expect(heard).toBe(100);
  });
});

// Several clients on one session: numbers, origins, order, replay, access and slow clients.
import { expect, test } from 'vitest';
import { createSharedSession, type Frame } from './clients.ts';

const text = (...parts: string[]) => ({ text: parts });

function joinText(frames: readonly Frame[]): string {
  return frames.map((frame) => (frame.assistantMessageEvent as { delta?: string } | undefined)?.delta ?? '').join('');
}

/** Checks that the frames cover all numbers from the first to the last one. */
function findGaps(frames: readonly Frame[]): string[] {
  return frames.flatMap(({ seq, firstSeq = seq }, i) => {
    const previous = frames[i - 1]?.seq as number | undefined;
    return previous === undefined || firstSeq === previous + 1 ? [] : [`${previous} -> ${firstSeq}`];
  });
}

test('all clients receive the same events, with their numbers and the client that caused them', async () => {
  const { connect, close } = await createSharedSession([text('Hel', 'lo')]);
  const [one, two] = [await connect('one'), await connect('two')];
  await one.send({ id: 1, type: 'prompt', message: 'Hi' });
  expect(one.events.map(({ type }) => type)).toContain('agent_settled');
  expect(two.events).toEqual(one.events);
  expect(findGaps(two.events)).toEqual([]);
  expect(new Set(two.events.map(({ client }) => client))).toEqual(new Set(['one']));
  expect(joinText(two.events)).toBe('Hello');
  expect(two.frames.some(({ type }) => type === 'response')).toBe(false);
  await close();
});

test('a reply follows the events before it: abort is answered after agent_end', async () => {
  const { connect, close } = await createSharedSession([{ ...text('a', 'b'), hold: 'gate', holdAfter: 1 }]);
  const one = await connect('one');
  await one.send({ id: 1, type: 'prompt', message: 'Hi' });
  await one.send({ id: 2, type: 'abort' });
  const types = one.frames.map(({ type, command }) => `${type} ${command ?? ''}`.trim());
  expect(types.indexOf('response abort')).toBeGreaterThan(types.indexOf('agent_end'));
  expect(types.indexOf('agent_end')).toBeGreaterThan(0);
  await close();
});

test('a message that another client has queued is delivered as its own', async () => {
  const { connect, release, close } = await createSharedSession([{ ...text('a'), hold: 'gate' }, text('b')]);
  const [one, two] = [await connect('one'), await connect('two')];
  await one.send({ id: 1, type: 'prompt', message: 'First' });
  await two.send({ id: 1, type: 'follow_up', message: 'Second' });
  await release('gate');
  const users = one.events.filter(
    ({ type, message }) => type === 'message_start' && (message as Frame).role === 'user',
  );
  expect(users.map(({ client }) => client)).toEqual(['one', 'two']);
  expect(one.events.find(({ type }) => type === 'queue_update')).toMatchObject({ client: 'two', followUp: ['Second'] });
  await close();
});

test('a client that comes back gets exactly what it has missed, in the middle of a block, too', async () => {
  const { connect, release, close } = await createSharedSession([
    { ...text('a', 'b', 'c', 'd'), hold: 'gate', holdAfter: 2 },
  ]);
  const one = await connect('one');
  await one.send({ id: 1, type: 'prompt', message: 'Hi' });
  for (const { seq } of [...one.events]) {
    const late = await connect(`late ${seq}`, { after: String(seq) });
    expect(late.frames[1]).toMatchObject({ type: 'session_attached', replay: 'events' });
    expect(joinText(late.events)).toBe(joinText(one.events.filter((event) => Number(event.seq) > Number(seq))));
    expect(late.events[0]?.firstSeq ?? late.events[0]?.seq ?? Number(seq) + 1).toBe(Number(seq) + 1);
  }
  const middle = one.events.find(
    ({ assistantMessageEvent }) => (assistantMessageEvent as Frame)?.type === 'text_delta',
  );
  const late = await connect('late', { after: String(middle?.seq) });
  await release('gate');
  expect(joinText(late.events)).toBe(
    'abcd'.slice('abcd'.indexOf(joinText([middle as Frame])) + joinText([middle as Frame]).length),
  );
  expect(findGaps(late.events)).toEqual([]);
  await close();
});

test.each([
  ['0', 'too_old'],
  ['99999999999999', 'unknown_position'],
  ['-1', 'malformed'],
  ['abc', 'malformed'],
  ['1e3', 'malformed'],
  ['', 'malformed'],
])('the position %j gets a snapshot with the reason %s', async (after, reason) => {
  const { connect, close } = await createSharedSession([text('Hello')]);
  const one = await connect('one');
  await one.send({ id: 1, type: 'prompt', message: 'Hi' });
  const late = await connect('late', { after });
  expect(late.frames[1]).toMatchObject({ type: 'session_attached', replay: 'snapshot' });
  expect(late.frames[2]).toMatchObject({
    ...{ type: 'session_snapshot', reason, totalMessages: 2, firstIndex: 0, openMessage: null, runningTools: [] },
    state: { messageCount: 2 },
    seq: one.events.at(-1)?.seq,
  });
  await one.send({ id: 2, type: 'set_session_name', name: 'x' });
  expect(late.events.map(({ type }) => type)).toEqual(['session_info_changed', 'state_changed']);
  expect(late.events[0]?.seq).toBe(Number(late.frames[2]?.seq) + 1);
  await close();
});

test('a snapshot in the middle of an answer contains the message so far', async () => {
  const { connect, release, close } = await createSharedSession([{ ...text('Hel', 'lo'), hold: 'gate', holdAfter: 1 }]);
  const one = await connect('one');
  await one.send({ id: 1, type: 'prompt', message: 'Hi' });
  const late = await connect('late', { after: '0' });
  expect(late.frames[2]).toMatchObject({ openMessage: { content: [{ type: 'text', text: 'Hel' }] } });
  await release('gate');
  expect(joinText(late.events)).toBe('lo');
  await close();
});

test('a read-only client can read and follow, and nothing else', async () => {
  const { connect, close } = await createSharedSession([text('Hello')]);
  const [owner, reader] = [await connect('owner'), await connect('reader', { access: 'read' })];
  await reader.send({ id: 1, type: 'prompt', message: 'Hi' });
  await reader.send({ id: 2, type: 'get_state' });
  expect(reader.frames.slice(2)).toMatchObject([
    { id: 1, success: false, error: 'prompt needs full access. This client has read-only access.', code: 'read_only' },
    { id: 2, success: true, data: { messageCount: 0 } },
  ]);
  await owner.send({ id: 1, type: 'prompt', message: 'Hi' });
  expect(reader.events.map(({ type }) => type)).toContain('agent_end');
  await close();
});

test('a client that does not read is dropped with a reason, and the others and the run do not wait for it', async () => {
  const { connect, close } = await createSharedSession([text(...Array.from({ length: 50 }, () => 'x'.repeat(200)))]);
  const one = await connect('one');
  const slow = await connect('slow', { maxWaitingBytes: 2000 });
  slow.host.pause();
  await one.send({ id: 1, type: 'prompt', message: 'Hi' });
  expect(one.events.map(({ type }) => type)).toContain('agent_settled');
  expect(slow.closed).toMatchObject([{ reason: 'reads_too_slowly' }]);
  await close();
});

test('an event filter holds for one client only', async () => {
  const { connect, close } = await createSharedSession([text('Hello')]);
  const [all, few] = [await connect('all'), await connect('few')];
  await few.send({ id: 1, type: 'set_event_filter', events: ['agent_end'] });
  await all.send({ id: 1, type: 'prompt', message: 'Hi' });
  expect(few.events.map(({ type }) => type)).toEqual(['agent_end', 'session_settled']);
  expect(all.events.map(({ type }) => type)).toContain('turn_end');
  await close();
});

test.each(['pi', 'pi-legacy'])('clients of the dialect %s follow the same session', async (dialect) => {
  const { connect, close } = await createSharedSession([text('Hello')]);
  const [one, other] = [await connect('one'), await connect('other', { dialect })];
  await one.send({ id: 1, type: 'prompt', message: 'Hi' });
  expect(other.frames.map(({ type }) => type)).toContain('agent_end');
  expect(joinText(other.frames)).toBe('Hello');
  await close();
});

test('the full stream repeats the message so far, also for a client that joins in the middle', async () => {
  const { connect, release, close } = await createSharedSession([{ ...text('Hel', 'lo'), hold: 'gate', holdAfter: 1 }]);
  const one = await connect('one', { stream: 'full' });
  await one.send({ id: 1, type: 'prompt', message: 'Hi' });
  const late = await connect('late', { stream: 'full' });
  await release('gate');
  const last = (frames: readonly Frame[]) => frames.filter(({ type }) => type === 'message_update').at(-1);
  expect(last(late.events)?.message).toMatchObject({ content: [{ text: 'Hello' }] });
  expect(last(late.events)).toEqual(last(one.events));
  await close();
});

test('commands of several clients run in the order in which they arrive', async () => {
  const { connect, agent, settle, close } = await createSharedSession([]);
  const [one, two] = [await connect('one'), await connect('two')];
  for (let i = 0; i < 20; i++) {
    const client = i % 2 === 0 ? one : two;
    client.host.send(JSON.stringify({ id: i, type: 'set_session_name', name: `name ${i}` }));
  }
  await settle();
  const names = one.events.filter(({ type }) => type === 'session_info_changed').map(({ name }) => name);
  expect(names).toEqual(Array.from({ length: 20 }, (_, i) => `name ${i}`));
  expect(agent.session.naming.name).toBe('name 19');
  await close();
});

test('tools of a client are removed when it leaves, unless another client has replaced them', async () => {
  const { connect, agent, settle, close } = await createSharedSession([]);
  const tool = (name: string) => ({ name, description: 'A tool', parameters: { type: 'object' } });
  const listNames = async () => (await agent.session.tools.listAll()).map(({ name }) => name);
  const [one, two] = [await connect('one'), await connect('two')];
  await one.send({ id: 1, type: 'set_host_tools', tools: [tool('first')] });
  expect(await listNames()).toEqual(['first']);
  one.host.close();
  await settle();
  expect(await listNames()).toEqual([]);
  const three = await connect('three');
  await three.send({ id: 1, type: 'set_host_tools', tools: [tool('third')] });
  await two.send({ id: 1, type: 'set_host_tools', tools: [tool('second')] });
  three.host.close();
  await settle();
  expect(await listNames()).toEqual(['second']);
  await close();
});

test('clients learn when their host tools or URI schemes are replaced by another client', async () => {
  const { connect, close } = await createSharedSession([]);
  const tool = (name: string) => ({ name, description: 'A tool', parameters: { type: 'object' } });
  const scheme = (name: string) => ({ scheme: name, description: 'Rows' });
  const [one, two] = [await connect('one'), await connect('two')];
  const notices = () => one.events.filter(({ type }) => type === 'notice').map(({ message }) => message);
  await one.send({ id: 1, type: 'set_host_tools', tools: [tool('first')] });
  await one.send({ id: 2, type: 'set_host_tools', tools: [tool('other')] });
  await one.send({ id: 3, type: 'set_host_uri_schemes', schemes: [scheme('db')] });
  expect(notices()).toEqual([]);
  await two.send({ id: 1, type: 'set_host_tools', tools: [tool('second')] });
  await two.send({ id: 2, type: 'set_host_uri_schemes', schemes: [scheme('rows')] });
  expect(notices()).toEqual([
    'The host tools of another client are replaced: other.',
    'The host URI schemes of another client are replaced: db.',
  ]);
  await close();
});

test('what a client has sent is not processed after its session was closed', async () => {
  const { agent, shared, connect, settle, close } = await createSharedSession([]);
  async function* sendNames() {
    yield { text: JSON.stringify({ id: 1, type: 'set_session_name', name: 'one' }) };
    shared.remove(agent.session, 'The session was closed.');
    yield { text: JSON.stringify({ id: 2, type: 'set_session_name', name: 'two' }) };
  }
  const client = await connect('one', { lines: sendNames() });
  await settle();
  expect(client.closed).toEqual([{ reason: 'session_closed', message: 'The session was closed.' }]);
  expect(agent.session.state().sessionName).toBe('one');
  await close();
});

// Events of `parley serve` as server-sent events: ids, names, Last-Event-ID, dialogs and the end.
import { connect } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { WireFrame } from '../support/frame-collector.ts';
import { OFFLINE, type Server, startServer } from '../support/server.ts';
import {
  connectWebSocket,
  type EventStreamClient,
  openEventStream,
  type ServerEvent,
} from '../support/server-clients.ts';
import { waitUntil } from '../support/wait-until.ts';

const isType = (type: string) => (event: ServerEvent) => event.event === type;

async function startSession(args = OFFLINE) {
  const server = await startServer(args);
  const session = await server.createSession();
  const path = `/v1/sessions/${session}/events`;
  const prompt = (message: string) => server.call(session, 'prompt', { message });
  return { server, session, path, prompt };
}

/** Opens a stream and waits until it is attached. */
async function follow(server: Server, path: string, headers = {}): Promise<EventStreamClient> {
  const stream = await openEventStream(server, path, headers);
  await stream.next(isType('session_attached'));
  return stream;
}

const listIds = ({ events }: EventStreamClient) => events.flatMap(({ id }) => (id === undefined ? [] : [Number(id)]));

test('an event has its type as name, its number as id, and the frame of omp as data', async () => {
  const { server, session, path, prompt } = await startSession();
  const stream = await openEventStream(server, path);
  expect(stream.status).toBe(200);
  expect(stream.headers).toMatchObject({
    'content-type': 'text/event-stream; charset=utf-8',
    'x-accel-buffering': 'no',
  });
  expect(stream.headers['content-security-policy']).toContain("default-src 'none'");
  await stream.next(isType('session_attached'));
  await prompt('say `hello`');
  await stream.next(isType('agent_settled'));
  const [ready, attached, ...events] = stream.events;
  expect(ready).toMatchObject({ id: undefined, event: 'ready', data: { type: 'ready', dialect: 'omp' } });
  expect(attached).toMatchObject({ id: undefined, event: 'session_attached', data: { sessionId: session } });
  for (const { id, event, data } of events) {
    expect(event).toBe(data.type);
    expect(id).toBe(String(data.seq));
    expect(data.client).toBe('http owner');
  }
  expect(events.map(({ event }) => event)).toEqual(
    expect.arrayContaining(['agent_start', 'message_update', 'agent_end']),
  );
  const updates = events.filter(isType('message_update'));
  expect(updates.every(({ data }) => data.message === undefined)).toBe(true);
});

test('stream=full repeats the message in each update, and an unknown stream is refused', async () => {
  const { server, path, prompt } = await startSession();
  const stream = await follow(server, `${path}?stream=full`);
  await prompt('say `hello`');
  expect((await stream.next(isType('message_update'))).data.message).toMatchObject({ role: 'assistant' });
  expect((await server.request(`${path}?stream=both`)).status).toBe(400);
});

describe('coming back', () => {
  type Address = readonly [path: string, headers: Record<string, string>];
  const ADDRESSES: readonly (readonly [name: string, create: (path: string, seq: number) => Address])[] = [
    ['the header Last-Event-ID', (path, seq) => [path, { 'last-event-id': String(seq) }]],
    ['the parameter after', (path, seq) => [`${path}?after=${seq}`, {}]],
    ['both: the header counts', (path, seq) => [`${path}?after=0`, { 'last-event-id': String(seq) }]],
  ];

  test.each(ADDRESSES)('with %s gives exactly the later events, then new ones', async (_, create) => {
    const { server, path, prompt } = await startSession();
    const whole = await follow(server, path);
    await prompt('say `one`');
    await whole.next(isType('session_settled'));
    const ids = listIds(whole);
    for (const after of [ids[0], ids[Math.floor(ids.length / 2)], ids.at(-1)] as number[]) {
      const stream = await openEventStream(server, ...create(path, after));
      const attached = await stream.next(isType('session_attached'));
      expect(attached.data.replay).toBe('events');
      await prompt('say `two`');
      const { id } = await whole.next(isType('session_settled'));
      await stream.next((event) => event.id === id);
      // Later events can have reached only one of the two yet.
      const isCompared = (seq: number) => seq > after && seq <= Number(id);
      expect(rangesOf(stream).filter((seq) => seq <= Number(id))).toEqual(rangesOf(whole).filter(isCompared));
    }
  });

  test.each(['0', '1', '99999999999999999999', '-1', '1.5', 'x', '9007199254740991'])(
    'with the position %s gives a snapshot, and never nothing',
    async (position) => {
      const { server, session, path, prompt } = await startSession();
      const live = await follow(server, path);
      await prompt('say `one`');
      await live.next(isType('agent_settled'));
      const stream = await openEventStream(server, path, { 'last-event-id': position });
      expect((await stream.next(isType('session_attached'))).data.replay).toBe('snapshot');
      const snapshot = await stream.next(isType('session_snapshot'));
      expect(snapshot.data).toMatchObject({
        ...{ sessionId: session, totalMessages: 2, firstIndex: 0, openMessage: null, runningTools: [] },
        reason: expect.stringMatching(/^(too_old|unknown_position|malformed)$/),
        queues: { steering: [], followUp: [] },
      });
      expect(snapshot.id).toBe(String(snapshot.data.seq));
      const next = await follow(server, path, { 'last-event-id': String(snapshot.id) });
      expect(next.events.find(isType('session_attached'))?.data.replay).toBe('events');
    },
  );
});

/** The numbers of all events, also of those that were folded. */
function rangesOf({ events }: EventStreamClient): number[] {
  return events
    .filter(({ id }) => id !== undefined)
    .flatMap(({ data }) => {
      const last = Number(data.seq);
      const first = Number(data.firstSeq ?? last);
      return Array.from({ length: last - first + 1 }, (_, index) => first + index);
    });
}

test('dialogs are part of the stream, and of none that is read-only', async () => {
  const { server, path, prompt, session } = await startSession([...OFFLINE, '--approval-mode', 'ask']);
  const stream = await follow(server, path);
  const reading = await follow(server, `${path}?access=read`);
  await prompt('run `echo x`');
  const { data } = await stream.next(isType('extension_ui_request'));
  const late = await follow(server, path);
  expect((await late.next(isType('extension_ui_request'))).data.id).toBe(data.id);
  await server.request(`/v1/sessions/${session}/dialogs/${data.id}`, { method: 'POST', body: { value: 'allow' } });
  expect((await stream.next(isType('extension_ui_request'))).data).toMatchObject({ method: 'cancel' });
  await reading.next(isType('agent_settled'));
  expect(reading.events.filter(isType('extension_ui_request'))).toEqual([]);
});

describe('the end', () => {
  test('of the server is an event with the reason', async () => {
    const { server, path } = await startSession();
    const stream = await follow(server, path);
    server.program.kill('SIGTERM');
    const end = await stream.next(isType('end'));
    expect(end.data).toEqual({ reason: 'The server ends. Connect again later.' });
    await stream.ended;
  });

  test('of the server is not delayed by clients that do not read', async () => {
    const { server, session } = await startSession();
    const head = (path: string, ...headers: string[]) =>
      [`GET ${path} HTTP/1.1`, `Host: 127.0.0.1:${server.port}`, ...headers, '', ''].join('\r\n');
    const upgrade = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'];
    const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==';
    const requests = [
      head(`/ws?token=${server.token}&session=${session}`, ...upgrade, key),
      head(`/v1/sessions/${session}/events`, `Authorization: Bearer ${server.token}`),
      'GET / HTTP/1.1\r\n',
    ];
    for (const request of requests) {
      const socket = connect(server.port, '127.0.0.1').pause();
      socket.on('error', () => {});
      onTestFinished(() => void socket.destroy());
      socket.write(request);
    }
    const readClients = async () =>
      ((await server.request(`/v1/sessions/${session}`)).json as { data: { clients: string[] } }).data.clients;
    await waitUntil(async () => (await readClients()).length === 2);
    server.program.kill('SIGTERM');
    expect((await server.program.exited).code).toBe(143);
  });

  test('of the session is an event with the reason', async () => {
    const { server, session, path } = await startSession();
    const stream = await follow(server, path);
    await server.request(`/v1/sessions/${session}`, { method: 'DELETE' });
    expect((await stream.next(isType('end'))).data).toEqual({ reason: expect.stringContaining('deleted') });
    await stream.ended;
  });

  test('of a client is noticed: it is no longer listed', async () => {
    const { server, session, path } = await startSession();
    const stream = await follow(server, `${path}?client=page`);
    const readClients = async () =>
      ((await server.request(`/v1/sessions/${session}`)).json as { data: { clients: string[] } }).data.clients;
    expect(await readClients()).toEqual(['page']);
    stream.close();
    await waitUntil(async () => (await readClients()).length === 0);
  });

  test('HEAD opens no stream', async () => {
    const { server, session, path } = await startSession();
    expect((await server.request(path, { method: 'HEAD' })).status).toBe(200);
    const { json } = await server.request(`/v1/sessions/${session}`);
    expect(json).toMatchObject({ data: { clients: [] } });
  });
});

test('a WebSocket and a stream receive the same events', async () => {
  const { server, session, path, prompt } = await startSession();
  const stream = await follow(server, path);
  const socket = await connectWebSocket(server, { session, stream: 'delta' });
  await socket.next({ type: 'session_attached' });
  await prompt('run `echo a; echo b`');
  await stream.next(isType('agent_settled'));
  const { seq: last } = await socket.next({ type: 'agent_settled' });
  // Later events can have reached only one of the two yet.
  const isCompared = ({ type, seq }: WireFrame) => type !== 'session_attached' && Number(seq) <= Number(last);
  const ofSocket = socket.frames.filter(isCompared);
  expect(ofSocket.length).toBeGreaterThan(10);
  expect(stream.events.map(({ data }) => data).filter(isCompared)).toEqual(ofSocket);
});

// Tests of connections to a running agent: addresses, parameters, refusals, frames and reconnection.
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket as WebSocketOfBrowsers } from 'ws';
import {
  type ConnectedAgent,
  ConnectionError,
  type ConnectionState,
  type ConnectOptions,
  connectAgent,
  RpcClient,
  type WebSocketConstructor,
} from '../../src/client/index.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import {
  attached,
  type LoopbackOptions,
  type LoopbackServer,
  READY,
  startUnixServer,
  startWebSocketServer,
} from './loopback-server.ts';

const FAST = { initialDelayMs: 1, maxDelayMs: 5 };
const notice = (seq: number, message: string, fields: object = {}) => ({
  ...{ type: 'notice', level: 'info', message, seq },
  ...fields,
});
const question = (id: string) => ({ type: 'extension_ui_request', id, method: 'confirm', title: 'Sure?', message: '' });
const snapshot = (seq: number, state: object = {}) => ({
  ...{ type: 'session_snapshot', reason: 'unknown_position', sessionId: 's1', seq, state },
  ...{ messages: [], totalMessages: 0, firstIndex: 0, openMessage: null, runningTools: [] },
  queues: { steering: [], followUp: [] },
});

async function connect(options: ConnectOptions): Promise<ConnectedAgent> {
  const agent = await connectAgent(options);
  onTestFinished(async () => void (await agent.close()));
  return agent;
}

async function getFailure(promise: Promise<unknown>): Promise<ConnectionError> {
  return promise.then(
    () => expect.fail('it did not fail'),
    (thrown: unknown) => thrown as ConnectionError,
  );
}

/** The messages of the notices, and a promise for the one with a text. */
function collectNotices(agent: ConnectedAgent): { messages: string[]; waitFor(message: string): Promise<void> } {
  const messages: string[] = [];
  const waiting: { message: string; resolve(): void }[] = [];
  agent.onEvent((event) => {
    if (event.type !== 'notice') return;
    messages.push(event.message);
    for (const { message, resolve } of waiting) if (message === event.message) resolve();
  });
  return {
    messages,
    waitFor: (message) =>
      messages.includes(message) ? Promise.resolve() : new Promise((resolve) => waiting.push({ message, resolve })),
  };
}

const TRANSPORTS: readonly (readonly [
  name: string,
  start: (options?: LoopbackOptions) => Promise<LoopbackServer>,
  options: Partial<ConnectOptions>,
])[] = [
  ['the WebSocket of this package', startWebSocketServer, {}],
  ['the WebSocket of browsers', startWebSocketServer, { WebSocket: WebSocketOfBrowsers as WebSocketConstructor }],
  ['a Unix socket', startUnixServer, {}],
];

describe.each(TRANSPORTS)('over %s', (_, start, more) => {
  test('the parameters are sent, calls are answered and events have their number and client', async () => {
    const server = await start({ onFrame: (frame, one) => one.reply(frame, { sessionId: 's1', text: 'ü\u2028' }) });
    const agent = await connect({
      ...{ url: server.url, session: 's1', client: 'bot 1', stream: 'delta', cwd: '/some where' },
      ...more,
    });
    const connection = await server.waitForConnection(1);
    expect(connection.params).toMatchObject({
      ...{ dialect: 'omp', session: 's1', client: 'bot 1', stream: 'delta', cwd: '/some where' },
    });
    expect(connection.params).not.toHaveProperty('after');
    expect(agent.attachment).toEqual(attached());
    expect(await agent.ready()).toEqual(READY);
    expect(await agent.call('get_state')).toEqual({ sessionId: 's1', text: 'ü\u2028' });
    const events = agent.events();
    connection.send(notice(11, 'one', { client: 'other' }), { ...notice(14, 'two'), firstSeq: 12 });
    expect((await events.next()).value).toEqual(notice(11, 'one', { client: 'other' }));
    expect((await events.next()).value).toMatchObject({ seq: 14, firstSeq: 12 });
    expect(agent.lastSeq).toBe(14);
  });

  test('a large frame arrives whole in both directions', async () => {
    const text = 'ä'.repeat(300_000);
    const server = await start({ onFrame: (frame, one) => one.reply(frame, { echo: frame.message }) });
    const agent = await connect({ url: server.url, ...more });
    expect(await agent.callUndeclared('echo', { message: text })).toEqual({ echo: text });
  });

  test('closing ends the connection; later calls are refused', async () => {
    const server = await start();
    const agent = await connect({ url: server.url, reconnect: FAST, ...more });
    await agent.close();
    await expect(agent.call('get_state')).rejects.toThrow('The client was closed before it answered get_state');
    expect(agent.connectionState.status).toBe('closed');
    expect(server.connections).toHaveLength(1);
  });

  test('without reconnect a broken connection ends the client', async () => {
    const server = await start({ onFrame() {} });
    const agent = await connect({ url: server.url, ...more });
    const call = agent.call('get_state');
    (await server.waitForConnection(1)).cut();
    await expect(call).rejects.toThrow('disconnected');
    await agent.closed;
  });

  test('listeners that are added at once miss no event', async () => {
    const server = await start({
      onConnection: (one) => one.send(READY, attached({ replay: 'events' }), notice(6, 'a'), notice(7, 'b')),
    });
    const agent = await connect({ url: server.url, after: 5, ...more });
    const notices = collectNotices(agent);
    await notices.waitFor('b');
    expect(notices.messages).toEqual(['a', 'b']);
    expect((await server.waitForConnection(1)).params.after?.toString()).toBe('5');
  });

  test('a reconnection continues after the last event, and no event is delivered twice', async () => {
    const server = await start({
      onConnection(one, number) {
        if (number === 1) one.send(READY, attached());
        else one.send(READY, attached({ seq: 14, replay: 'events' }), notice(12, 'two'), notice(13, 'three'));
      },
    });
    const agent = await connect({ url: server.url, reconnect: FAST, client: 'me', ...more });
    const states: string[] = [];
    agent.onConnectionState(({ status }) => states.push(status));
    const notices = collectNotices(agent);
    const first = await server.waitForConnection(1);
    first.send(notice(11, 'one'), notice(12, 'two'));
    await notices.waitFor('two');
    first.cut();
    await notices.waitFor('three');
    const second = await server.waitForConnection(2);
    expect({ ...second.params, after: Number(second.params.after) }).toMatchObject({
      ...{ session: 's1', after: 12, client: 'me' },
    });
    second.send(notice(14, 'four'));
    await notices.waitFor('four');
    expect(notices.messages).toEqual(['one', 'two', 'three', 'four']);
    expect(states).toEqual(['reconnecting', 'connected']);
  });
});

describe('addresses', () => {
  test('the token is sent in a header, not in the URL', async () => {
    const server = await startWebSocketServer();
    await connect({ url: server.url });
    const { headers, params } = await server.waitForConnection(1);
    expect(headers.authorization).toBe('Bearer secret-token');
    expect(params).not.toHaveProperty('token');
  });

  test('the WebSocket of browsers sends the token in the URL', async () => {
    const server = await startWebSocketServer();
    await connect({ url: server.url, WebSocket: WebSocketOfBrowsers as WebSocketConstructor, token: 'other' });
    expect((await server.waitForConnection(1)).params.token).toBe('other');
  });

  test.each([
    ['http://127.0.0.1:PORT', '/ws'],
    ['ws://127.0.0.1:PORT/ws?token=t&session=s1', '/ws'],
    ['http://127.0.0.1:PORT/some/proxy/', '/some/proxy/ws'],
  ])('%s connects to %s', async (pattern, path) => {
    const paths: string[] = [];
    const server = await startWebSocketServer({
      refuse(request) {
        paths.push((request.url ?? '').split('?', 1)[0] ?? '');
        return undefined;
      },
    });
    await connect({ url: pattern.replace('PORT', new URL(server.url).port) });
    expect(paths).toEqual([path]);
  });

  test.each(['ftp://x', 'nowhere', 'unix:'])('%s is not an address', async (url) => {
    const failure = await getFailure(connectAgent(url));
    expect(failure.code).toBe('config');
  });

  test.each(['ftp://x/?token=secret', 'nowhere?token=secret'])('the error for %s has no token', async (url) => {
    const { message } = await getFailure(connectAgent(url));
    expect(message).toContain(`Not an address of an agent: ${url.replace('token=secret', '…')}.`);
  });
});

describe('the token', () => {
  test('may end with a newline, as a file does', async () => {
    const seen: (string | undefined)[] = [];
    const server = await startWebSocketServer({
      refuse(request) {
        seen.push(request.headers.authorization);
        return undefined;
      },
    });
    await connect({ url: server.url, token: 'from-a-file\n' });
    expect(seen).toEqual(['Bearer from-a-file']);
  });

  test.each(['a b', 'a\r\nX-Other: b', 'ä'])('%j is refused, and not repeated', async (token) => {
    const failure = await getFailure(connectAgent({ url: 'http://127.0.0.1:1', token }));
    expect(failure).toMatchObject({ code: 'config' });
    expect(failure.message).toBe('The token has characters that a token cannot have.');
  });
});

describe('refusals', () => {
  test('one whose text is cut off', async () => {
    const listener = createServer((socket) => {
      socket.once('data', () => socket.end('HTTP/1.1 503 Unavailable\r\nContent-Length: 100\r\n\r\nThe'));
    });
    onTestFinished(() => void listener.close());
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    const { port } = listener.address() as AddressInfo;
    const failure = await getFailure(connectAgent(`http://127.0.0.1:${port}`));
    expect(failure).toBeInstanceOf(ConnectionError);
    expect(failure).toMatchObject({ status: 503, isPermanent: false });
  });

  test('no server', async () => {
    const server = await startWebSocketServer();
    await server.stop();
    const failure = await getFailure(connectAgent(server.url));
    expect(failure.message).toMatch(/^No server answers at http:\/\/127\.0\.0\.1:\d+ \(connection refused\)\./);
    expect(failure.message).not.toContain('secret-token');
  });

  test('no socket', async () => {
    const path = join(createTemporaryDirectory(), 'none.sock');
    const failure = await getFailure(connectAgent(`unix:${path}`));
    expect(failure.message).toBe(`There is no socket at unix:${path}. Start a server with \`parley serve\`.`);
  });

  test('a refused token', async () => {
    const body = JSON.stringify({ error: { code: 'unauthorized', message: 'The token is not known.' } });
    const server = await startWebSocketServer({ refuse: () => ({ status: 401, body }) });
    const failure = await getFailure(connectAgent({ url: server.url, reconnect: true }));
    expect(failure).toMatchObject({ code: 'no_credentials', status: 401, isPermanent: true });
    expect(failure.message).toMatch(/^http:\/\/127\.0\.0\.1:\d+ refused the token: The token is not known\.$/);
  });

  test('another program that answers with a page', async () => {
    const server = await startWebSocketServer({ refuse: () => ({ status: 404, body: '<html>' }) });
    const failure = await getFailure(connectAgent(server.url));
    expect(failure.message).toContain('is not a server of Parley, or refused the connection (404)');
  });

  test('a parameter that the server refuses, with only its message', async () => {
    const body = JSON.stringify({ error: { code: 'invalid_params', message: 'client must have 1 to 64 characters' } });
    const server = await startWebSocketServer({ refuse: () => ({ status: 400, body }) });
    const failure = await getFailure(connectAgent({ url: server.url, client: 'x' }));
    expect(failure).toMatchObject({ code: 'refused', status: 400, isPermanent: true });
    expect(failure.message).toMatch(/^http:\S+ refused the connection: client must have 1 to 64 characters$/);
  });

  test('a session that does not exist', async () => {
    const server = await startWebSocketServer({
      onConnection: (one) => one.close(4404, 'Session not found: x'),
    });
    const failure = await getFailure(connectAgent({ url: server.url, session: 'x', reconnect: true }));
    expect(failure).toMatchObject({ code: 'not_found', closeCode: 4404, isPermanent: true });
    expect(failure.message).toMatch(/refused the connection: Session not found: x$/);
  });

  test('a refusal on a Unix socket', async () => {
    const server = await startUnixServer({
      onConnection(one) {
        one.send({ type: 'connect_error', code: 'not_found', message: 'Session not found: x' });
        one.close();
      },
    });
    const failure = await getFailure(connectAgent({ url: server.url, session: 'x' }));
    expect(failure).toMatchObject({ code: 'not_found', isPermanent: true });
    expect(failure.message).toBe(`${server.url} refused the connection: Session not found: x`);
  });

  /** The timeout ends when the test calls the result. */
  function replaceTimeout(expectedMs: number): () => void {
    const controller = new AbortController();
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(controller.signal);
    onTestFinished(() => timeout.mockRestore());
    return () => {
      expect(timeout.mock.calls).toEqual([[expectedMs]]);
      controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
    };
  }

  test('a server that never attaches a session', async () => {
    const endTimeout = replaceTimeout(5000);
    const server = await startWebSocketServer({
      onConnection(one) {
        one.send(READY);
        // The reply shows that the client reads.
        one.socket.once('pong', endTimeout);
        if ('ping' in one.socket) one.socket.ping();
      },
    });
    const failure = await getFailure(connectAgent({ url: server.url, connectTimeoutMs: 5000 }));
    expect(failure.message).toMatch(/did not attach a session in time\.$/);
  });

  test('a socket that accepts and does not answer', async () => {
    const path = join(createTemporaryDirectory(), 'silent.sock');
    const endTimeout = replaceTimeout(5000);
    // The client has sent its first line.
    const silent = createServer((socket) => void socket.once('data', endTimeout));
    await new Promise<void>((resolve) => silent.listen(path, resolve));
    onTestFinished(() => void silent.close());
    const failure = await getFailure(connectAgent({ url: `unix:${path}`, connectTimeoutMs: 5000 }));
    expect(failure.message).toContain('refused the connection');
  });
});

describe('reconnection', () => {
  test('calls in flight fail, except those that only read, which are sent again', async () => {
    const server = await startWebSocketServer({
      onFrame(frame, one) {
        if (one === server.connections[1]) one.reply(frame, { from: 'second' });
      },
    });
    const agent = await connect({ url: server.url, reconnect: FAST });
    const prompt = getFailure(agent.call('prompt', { message: 'Hi' }));
    const state = agent.call('get_state');
    const first = await server.waitForConnection(1);
    await first.waitFor('get_state');
    first.cut();
    expect((await prompt).message).toMatch(/^The connection was lost \(.*\) before prompt was answered\. It may have/);
    expect(await state).toEqual({ from: 'second' });
    const second = await server.waitForConnection(2);
    expect(second.received.filter(({ type }) => type === 'prompt')).toEqual([]);
  });

  test('calls without a connection wait for the next one; settings of the connection are restored first', async () => {
    const server = await startWebSocketServer();
    const agent = await connect({ url: server.url, reconnect: FAST });
    await agent.call('set_event_filter', { events: ['notice'] });
    await agent.call('set_event_filter', { events: ['notice', 'agent_end'] });
    const reconnecting = new Promise<ConnectionState>((resolve) => agent.onConnectionState(resolve));
    await server.stop();
    expect((await reconnecting).status).toBe('reconnecting');
    const prompt = agent.call('prompt', { message: 'later' });
    await server.restart();
    await prompt;
    const second = await server.waitForConnection(2);
    expect(second.received.map(({ type }) => type)).toEqual(['set_event_filter', 'prompt', 'get_state']);
    expect(second.received[0]?.events).toEqual(['notice', 'agent_end']);
  });

  test('each failed attempt doubles the delay up to the limit, and an attached session resets it', async () => {
    const server = await startWebSocketServer({
      onConnection(one, number) {
        if (number === 2 || number === 3) one.close(1012, 'the server ends');
        else one.send(READY, attached());
      },
    });
    // Without the random part of the delays.
    const random = vi.spyOn(Math, 'random').mockReturnValue(0);
    onTestFinished(() => random.mockRestore());
    const agent = await connect({ url: server.url, reconnect: { initialDelayMs: 2, maxDelayMs: 5 } });
    const delays: number[] = [];
    const connected = new Promise<void>((resolve) => {
      agent.onConnectionState((state) => {
        if (state.status === 'reconnecting') delays.push(state.delayMs);
        if (state.status === 'connected') resolve();
      });
    });
    (await server.waitForConnection(1)).cut();
    await connected;
    expect(delays).toEqual([2, 4, 5]);
    (await server.waitForConnection(4)).cut();
    await server.waitForConnection(5);
    expect(delays).toEqual([2, 4, 5, 2]);
  });

  test('it gives up after the last attempt, and says why', async () => {
    const server = await startWebSocketServer();
    const agent = await connect({ url: server.url, reconnect: { ...FAST, maxAttempts: 2 } });
    await server.stop();
    expect((await agent.closed).reason).toContain('No server answers');
    await expect(agent.call('get_state')).rejects.toThrow('No server answers');
  });

  test('closing ends a client that waits for the next attempt, and the calls that wait for it', async () => {
    const server = await startWebSocketServer();
    const agent = await connect({ url: server.url, reconnect: { initialDelayMs: 3_600_000, maxDelayMs: 3_600_000 } });
    const reconnecting = new Promise<ConnectionState>((resolve) => agent.onConnectionState(resolve));
    await server.stop();
    await reconnecting;
    const call = getFailure(agent.call('get_state'));
    await agent.close();
    expect((await call).message).toContain('disconnected');
    expect(agent.connectionState.status).toBe('closed');
  });

  test('it does not try again when the session is gone', async () => {
    const server = await startWebSocketServer({
      onConnection(one, number) {
        if (number === 1) one.send(READY, attached());
        else one.close(4404, 'Session not found: s1');
      },
    });
    const agent = await connect({ url: server.url, reconnect: FAST });
    (await server.waitForConnection(1)).cut();
    expect(await agent.closed).toEqual({ reason: 'Session not found: s1', closeCode: 4404 });
    expect(server.connections).toHaveLength(2);
  });

  test('a snapshot replaces the position, also when its numbers are smaller', async () => {
    const server = await startWebSocketServer({
      onConnection(one, number) {
        if (number === 1) one.send(READY, attached({ seq: 1000 }));
        else one.send(READY, attached({ seq: 3, replay: 'snapshot' }), snapshot(3), notice(4, 'after the snapshot'));
      },
    });
    const agent = await connect({ url: server.url, reconnect: FAST });
    const notices = collectNotices(agent);
    const snapshots: number[] = [];
    agent.onSnapshot(({ seq }) => snapshots.push(seq));
    (await server.waitForConnection(1)).cut();
    await notices.waitFor('after the snapshot');
    expect(snapshots).toEqual([3]);
    expect(agent.lastSeq).toBe(4);
  });

  test('after a move to another session the client comes back to that session', async () => {
    const server = await startWebSocketServer({
      onConnection(one, number) {
        one.send(READY, number === 1 ? attached() : attached({ sessionId: 's2', seq: 501, replay: 'events' }));
      },
    });
    const agent = await connect({ url: server.url, session: 's1', reconnect: FAST });
    const notices = collectNotices(agent);
    const first = await server.waitForConnection(1);
    first.send(attached({ sessionId: 's2', seq: 500 }), notice(501, 'in s2'));
    await notices.waitFor('in s2');
    expect(agent.attachment.sessionId).toBe('s2');
    first.cut();
    expect((await server.waitForConnection(2)).params).toMatchObject({ session: 's2', after: '501' });
  });

  test('waits end when a snapshot says that the session is idle', async () => {
    const server = await startWebSocketServer({
      onConnection(one, number) {
        if (number === 1) one.send(READY, attached());
        else one.send(READY, attached({ replay: 'snapshot' }), snapshot(3, { isSettled: true }));
      },
      onFrame: (frame, one) => one.reply(frame, { isSettled: false }),
    });
    const agent = await connect({ url: server.url, reconnect: FAST });
    const first = await server.waitForConnection(1);
    const prompt = getFailure(agent.promptAndWait('Hi'));
    const idle = agent.waitForIdle();
    await first.waitFor('get_state');
    await agent.call('get_messages');
    first.cut();
    expect((await prompt).message).toContain('events were missed: unknown_position');
    await idle;
  });
});

describe('dialogs of a shared session', () => {
  test('without a handler they stay open for other clients', async () => {
    const server = await startWebSocketServer();
    const agent = await connect({ url: server.url });
    const connection = await server.waitForConnection(1);
    connection.send(question('q1'));
    await agent.call('get_state');
    expect(connection.received.map(({ type }) => type)).toEqual(['get_state']);
    agent.onDialog(() => ({ confirmed: true }));
    expect(await connection.waitFor('extension_ui_response')).toMatchObject({ id: 'q1', confirmed: true });
  });

  test('an answer after another client has answered is not sent; a dialog can be left open', async () => {
    const server = await startWebSocketServer();
    const agent = await connect({ url: server.url });
    const connection = await server.waitForConnection(1);
    const answers: (() => void)[] = [];
    agent.onDialog(({ id }) =>
      id === 'left' ? 'leave-open' : new Promise((resolve) => answers.push(() => resolve({ confirmed: true }))),
    );
    const cancelled = new Promise<unknown>((resolve) => agent.onDisplay(resolve));
    connection.send(question('left'), question('q1'));
    connection.send({ ...question('c'), method: 'cancel', targetId: 'q1', answeredBy: 'other' });
    expect(await cancelled).toMatchObject({ method: 'cancel', targetId: 'q1', answeredBy: 'other' });
    for (const answer of answers) answer();
    await agent.call('get_state');
    expect(connection.received.map(({ type }) => type)).toEqual(['get_state']);
  });

  test('after a reconnection an open dialog is not shown twice, and one that was answered elsewhere is withdrawn', async () => {
    const server = await startWebSocketServer({
      onConnection: (one, number) => one.send(READY, attached(), ...(number === 1 ? [] : [question('q1')])),
    });
    const agent = await connect({ url: server.url, reconnect: FAST });
    const shown: string[] = [];
    const answers = new Map<string, () => void>();
    agent.onDialog(({ id }) => {
      shown.push(id);
      return new Promise((resolve) => answers.set(id, () => resolve({ confirmed: true })));
    });
    const withdrawn = new Promise<unknown>((resolve) => agent.onDisplay(resolve));
    const first = await server.waitForConnection(1);
    first.send(question('q1'), question('q2'));
    await agent.call('get_state');
    first.cut();
    expect(await withdrawn).toMatchObject({ method: 'cancel', targetId: 'q2' });
    answers.get('q1')?.();
    answers.get('q2')?.();
    const second = await server.waitForConnection(2);
    expect(await second.waitFor('extension_ui_response')).toMatchObject({ id: 'q1' });
    await agent.call('get_state');
    expect(second.received.filter(({ type }) => type === 'extension_ui_response')).toHaveLength(1);
    expect(shown).toEqual(['q1', 'q2']);
  });

  test('an answer that is given while the connection is lost is sent once, when the dialog is sent again', async () => {
    const server = await startWebSocketServer({
      onConnection: (one, number) => one.send(READY, attached(), ...(number === 2 ? [question('q1')] : [])),
    });
    const agent = await connect({ url: server.url, reconnect: FAST });
    const shown: string[] = [];
    const displays: unknown[] = [];
    const answers = new Map<string, () => void>();
    agent.onDialog(({ id }) => {
      shown.push(id);
      return new Promise((resolve) => answers.set(id, () => resolve({ confirmed: true })));
    });
    agent.onDisplay((display) => displays.push(display));
    agent.onConnectionState(({ status }) => {
      if (status === 'reconnecting') for (const answer of answers.values()) answer();
    });
    const first = await server.waitForConnection(1);
    first.send(question('q1'), question('answered by another client'));
    await agent.call('get_state');
    first.cut();
    const second = await server.waitForConnection(2);
    expect(await second.waitFor('extension_ui_response')).toMatchObject({ id: 'q1', confirmed: true });
    await agent.call('get_state');
    second.cut();
    await agent.call('get_state');
    const responses = server.connections.flatMap(({ received }) => received.filter(({ id }) => id === 'q1'));
    expect(responses).toHaveLength(1);
    expect(server.connections[2]?.received.map(({ type }) => type)).not.toContain('extension_ui_response');
    expect(shown).toEqual(['q1', 'answered by another client']);
    expect(displays).toEqual([]);
  });
});

describe('RpcClient with a url', () => {
  test('connects, keeps its listeners after a restart, and only leaves when it is stopped', async () => {
    const server = await startWebSocketServer({ onFrame: (frame, one) => one.reply(frame, { sessionId: 's1' }) });
    const client = new RpcClient({ url: server.url, client: 'bot' });
    const seen: (number | undefined)[] = [];
    const exits: unknown[] = [];
    client.onEvent(({ seq }) => seen.push(seq));
    client.onExit(() => exits.push(true));
    await client.start();
    expect(client.pid).toBeUndefined();
    expect(await client.getState()).toEqual({ sessionId: 's1' });
    (await server.waitForConnection(1)).send(notice(11, 'x'));
    await client.getState();
    await client.stop();
    await client.start();
    (await server.waitForConnection(2)).send(notice(12, 'y'));
    await client.getState();
    await client.stop();
    expect(seen).toEqual([11, 12]);
    expect(exits).toHaveLength(2);
    expect(server.connections.map(({ params }) => params.client)).toEqual(['bot', 'bot']);
  });
});

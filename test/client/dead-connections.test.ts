// Tests of connections that are dead without an end, attempts that lead nowhere, and frames that are too large.
import { expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket as WebSocketOfBrowsers } from 'ws';
import {
  type ConnectedAgent,
  type ConnectionState,
  type ConnectOptions,
  connectAgent,
  type WebSocketConstructor,
} from '../../src/client/index.ts';
import { openGlobalWebSocket } from '../../src/client/socket/global-web-socket.ts';
import { waitUntil } from '../support/wait-until.ts';
import { attached, type Frame, READY, startUnixServer, startWebSocketServer } from './loopback-server.ts';

const FAST = { initialDelayMs: 1, maxDelayMs: 5 };
const WebSocket = WebSocketOfBrowsers as WebSocketConstructor;
const idleSnapshot = (seq: number) => ({
  ...{ type: 'session_snapshot', reason: 'unknown_position', sessionId: 's1', seq, state: { isSettled: true } },
  ...{ messages: [], totalMessages: 0, firstIndex: 0, openMessage: null, runningTools: [] },
  queues: { steering: [], followUp: [] },
});

async function connect(options: ConnectOptions): Promise<ConnectedAgent> {
  const agent = await connectAgent(options);
  onTestFinished(async () => void (await agent.close()));
  return agent;
}

/** Reads all lines of a transport of browsers. */
async function readFrom(url: string, heartbeatMs: number) {
  const target = new URL(url);
  target.protocol = 'ws:';
  const { signal } = new AbortController();
  const transport = await openGlobalWebSocket(target, { signal, WebSocket, heartbeatMs });
  const lines: string[] = [];
  const read = (async () => {
    for await (const line of transport.lines) lines.push(line);
    return transport.closed;
  })();
  return { transport, lines, read };
}

test('in a browser a server that answers nothing counts as unreachable', async () => {
  const server = await startWebSocketServer({ onConnection() {}, onFrame() {} });
  const { read } = await readFrom(server.url, 5);
  expect(await read).toEqual({ reason: 'the server does not answer', closeCode: 1006 });
});

/** Intervals end only when a test advances them, so that a busy machine does not look like a dead server. */
function useFakeIntervals(): void {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
}

test('in a browser a server that answers is kept, and its answers are not delivered', async () => {
  useFakeIntervals();
  const heartbeats: Frame[] = [];
  const server = await startWebSocketServer({
    onConnection() {},
    onFrame(frame, one) {
      heartbeats.push(frame);
      one.reply(frame, { sessionId: 's1' });
      one.send(`{"type":"notice","message":"${heartbeats.length}"}`);
    },
  });
  const { transport, lines, read } = await readFrom(server.url, 300);
  for (let count = 1; count <= 3; count++) {
    // A heartbeat follows an interval in which nothing was received.
    vi.advanceTimersByTime(count === 1 ? 300 : 600);
    await waitUntil(() => lines.length === count);
  }
  transport.end();
  expect((await read).closeCode).toBe(1000);
  expect(lines).toEqual([1, 2, 3].map((count) => `{"type":"notice","message":"${count}"}`));
  expect(heartbeats.map(({ type }) => type)).toEqual(['get_state', 'get_state', 'get_state']);
});

test('in a browser closing does not wait for a server that does not answer', async () => {
  class Unanswered extends WebSocketOfBrowsers {
    override close(): void {}
  }
  const server = await startWebSocketServer({ onConnection() {}, onFrame() {} });
  const url = new URL(server.url.replace('http:', 'ws:'));
  const { signal } = new AbortController();
  const transport = await openGlobalWebSocket(url, {
    ...{ signal, heartbeatMs: 60_000, WebSocket: Unanswered as unknown as WebSocketConstructor },
  });
  transport.end();
  expect((await transport.closed).closeCode).toBe(1006);
});

test.each([401, 403])('in a browser the status %i says that another attempt would fail too', async (status) => {
  const body = JSON.stringify({ error: { message: 'Unknown token.' } });
  const server = await startWebSocketServer({ refuse: () => ({ status, body }), request: () => ({ status, body }) });
  const failure = await connectAgent({ url: server.url, WebSocket }).catch((thrown: unknown) => thrown);
  expect(failure).toMatchObject({ name: 'ConnectionError', status, isPermanent: true });
  expect((failure as Error).message).toContain('Unknown token.');
});

test('an attempt that attaches no session is given up, and the next one follows', async () => {
  useFakeIntervals();
  const server = await startWebSocketServer({
    onConnection(one, number) {
      one.send(READY);
      if (number !== 2) one.send(attached());
    },
  });
  const agent = await connect({ url: server.url, reconnect: FAST, connectTimeoutMs: 10_000 });
  const states: ConnectionState[] = [];
  const connected = new Promise<void>((resolve) => {
    agent.onConnectionState((state) => {
      states.push(state);
      if (state.status === 'connected') resolve();
    });
  });
  (await server.waitForConnection(1)).cut();
  await waitUntil(() => {
    vi.advanceTimersByTime(1000);
    return states.length >= 2;
  });
  await connected;
  expect(states.map(({ status }) => status)).toEqual(['reconnecting', 'reconnecting', 'connected']);
  expect(states[1]).toMatchObject({ reason: 'the server did not attach a session in time', attempt: 2 });
});

test('delays are shortened at random, so that clients do not come back all at once', async () => {
  const random = vi.spyOn(Math, 'random').mockReturnValue(0.5);
  onTestFinished(() => random.mockRestore());
  const server = await startWebSocketServer();
  const agent = await connect({ url: server.url, reconnect: { initialDelayMs: 8, maxDelayMs: 100 } });
  const state = new Promise<ConnectionState>((resolve) => agent.onConnectionState(resolve));
  (await server.waitForConnection(1)).cut();
  expect(await state).toMatchObject({ status: 'reconnecting', delayMs: 6 });
});

test.each([
  ['a WebSocket', startWebSocketServer],
  ['a Unix socket', startUnixServer],
])('a call whose frame is too large for %s fails, and is not sent again', async (_, start) => {
  const server = await start({
    onFrame(frame, one) {
      if (frame.type !== 'get_tree') one.reply(frame);
      else if (start === startWebSocketServer) one.close(1009, 'frame too large');
      else {
        one.send({ type: 'connection_end', code: 1009, reason: 'frame too large' });
        one.close();
      }
    },
  });
  const agent = await connect({ url: server.url, reconnect: FAST });
  await expect(agent.call('get_tree')).rejects.toThrow('The connection was lost (frame too large) before get_tree');
  await agent.call('get_state');
  expect(server.connections[1]?.received.map(({ type }) => type)).not.toContain('get_tree');
});

test('a prompt right after a connection that begins with a snapshot is not refused', async () => {
  const server = await startWebSocketServer({
    onConnection: (one) => one.send(READY, attached({ replay: 'snapshot', seq: 3 }), idleSnapshot(3)),
    onFrame(frame, one) {
      one.reply(frame);
      if (frame.type === 'prompt') one.send({ type: 'agent_settled', seq: 4 });
    },
  });
  const agent = await connect({ url: server.url, after: 0 });
  const events = agent.collectEvents();
  expect(await agent.promptAndWait('Hi')).toEqual([]);
  expect(await events).toHaveLength(1);
});

// The client against the built server: connections that break at any byte lose and repeat no event, and a restart is survived.
import { createConnection, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  type ClientEvent,
  type ConnectedAgent,
  type ConnectOptions,
  connectAgent,
  RpcClient,
} from '../../src/client/index.ts';
import { createDirectories } from '../support/program.ts';
import { findLastingPort, startServeProgram } from '../support/serve-program.ts';
import { waitUntil } from '../support/wait-until.ts';

const FAST = { initialDelayMs: 1, maxDelayMs: 20 };
const LONG_TEXT = Array.from({ length: 300 }, (_, at) => `word${at}`).join(' ');
const PROMPTS = [`say ${LONG_TEXT}`, 'what files are here?', 'run `seq 1 300`', 'say the end'] as const;
const MIN_BREAKS = 4;

async function connect(options: ConnectOptions): Promise<ConnectedAgent> {
  const agent = await connectAgent(options);
  onTestFinished(async () => void (await agent.close()));
  return agent;
}

/** A generator of pseudorandom numbers below `limit`, so that a failure can be repeated. */
function createRandom(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

interface BreakingProxy {
  readonly port: number;
  /** Connections are broken only while this is true. */
  isBreaking: boolean;
  breakCount: number;
}

/** Forwards connections to a socket or a port, and breaks each of them after a random number of bytes from the server. */
async function startBreakingProxy(
  listenAt: string | 0,
  getTarget: () => { port: number } | { path: string },
  random: (limit: number) => number,
): Promise<BreakingProxy> {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = createConnection(getTarget());
    let left = 300 + random(4000);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        client.destroy();
        upstream.destroy();
      });
    }
    client.pipe(upstream);
    upstream.on('data', (chunk: Buffer) => {
      left -= chunk.length;
      if (!proxy.isBreaking || left > 0) return void client.write(chunk);
      proxy.breakCount++;
      client.write(chunk.subarray(0, Math.max(0, left + chunk.length)), () => client.destroy());
      upstream.destroy();
    });
  });
  await new Promise<void>((resolve) =>
    listenAt === 0 ? server.listen(0, '127.0.0.1', resolve) : server.listen(listenAt, resolve),
  );
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const proxy: BreakingProxy = { port, isBreaking: false, breakCount: 0 };
  return proxy;
}

function collectEvents(agent: ConnectedAgent): ClientEvent[] {
  const events: ClientEvent[] = [];
  agent.onEvent((event) => events.push(event));
  return events;
}

/** Deltas of one block as one event, and only the last progress of each tool: how often these are sent depends on the connection. */
function fold(events: readonly ClientEvent[]): unknown[] {
  const folded: Record<string, unknown>[] = [];
  for (const event of events) {
    const last = folded.at(-1);
    const update = event.type === 'message_update' ? event.assistantMessageEvent : undefined;
    if (event.type === 'tool_execution_update') continue;
    if (update && 'delta' in update) {
      const key = `${update.type} ${update.contentIndex}`;
      if (last?.key === key) Object.assign(last, { text: `${last.text}${update.delta}`, seq: event.seq });
      else folded.push({ key, text: update.delta, seq: event.seq });
    } else folded.push({ type: event.type, seq: event.seq, event: update ?? { ...event, firstSeq: undefined } });
  }
  return folded;
}

describe.each(['WebSocket', 'Unix socket'] as const)('over a %s', (kind) => {
  test.each([1, 2, 3])('no event is lost or repeated when connections break (seed %i)', async (seed) => {
    const isWebSocket = kind === 'WebSocket';
    const directories = createDirectories();
    const [path, proxyPath] = ['server.sock', 'proxy.sock'].map((name) => join(directories.home, name)) as [
      string,
      string,
    ];
    const target = { port: 0 };
    const getTarget = () => (isWebSocket ? target : { path });
    const proxy = await startBreakingProxy(isWebSocket ? 0 : proxyPath, getTarget, createRandom(seed));
    const allowedHosts = `serve.allowedHosts=${JSON.stringify([`127.0.0.1:${proxy.port}`])}`;
    const server = await startServeProgram({ directories, args: ['--socket', path, '--set', allowedHosts] });
    target.port = Number(server.port);
    const { token } = server;
    const writer = await connect({ url: isWebSocket ? server.url : `unix:${path}`, token, stream: 'delta' });
    const { sessionId: session } = writer.attachment;
    const url = isWebSocket ? `http://127.0.0.1:${proxy.port}` : `unix:${proxyPath}`;
    const follower = await connect({ url, token, session, stream: 'delta', reconnect: FAST });
    const expected = collectEvents(writer);
    const received = collectEvents(follower);
    const snapshots: unknown[] = [];
    follower.onSnapshot((snapshot) => snapshots.push(snapshot));
    proxy.isBreaking = true;
    for (const prompt of PROMPTS) await writer.promptAndWait(prompt);
    // On a busy machine the runs can end before the follower has connected again often enough.
    while (proxy.breakCount < MIN_BREAKS) await writer.promptAndWait(PROMPTS[0]);
    proxy.isBreaking = false;
    await waitUntil(() => follower.lastSeq >= writer.lastSeq);
    expect(snapshots).toEqual([]);
    expect(fold(received)).toEqual(fold(expected));
  });
});

test('after a restart of the server the client gets a snapshot, and its next prompt is answered', async () => {
  const port = await findLastingPort();
  const first = await startServeProgram({ port });
  const { directories, url, token } = first;
  const client = new RpcClient({ url, token, reconnect: FAST, client: 'bot' });
  const snapshots: { reason: string; messages: readonly unknown[] }[] = [];
  const states: string[] = [];
  client.onSnapshot((snapshot) => snapshots.push(snapshot));
  client.onConnectionState(({ status }) => states.push(status));
  await client.start();
  onTestFinished(async () => void (await client.stop()));
  expect(await client.promptAndWait('say before')).toHaveLength(2);
  first.program.kill('SIGKILL');
  await waitUntil(() => states.includes('reconnecting'));
  const waiting = client.getLastAssistantText();
  await startServeProgram({ directories, port });
  expect(await waiting).toEqual({ text: 'before' });
  expect(snapshots).toMatchObject([{ reason: 'too_old', messages: [{ role: 'user' }, { role: 'assistant' }] }]);
  expect(await client.promptAndWait('say after')).toHaveLength(2);
});

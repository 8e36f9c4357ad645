// The measurements of `parley serve`: memory of open sessions, delays of streams, cost of followers, and time to start.
// @ts-check
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { startHost } from '../host.mjs';
import { median } from '../median.mjs';
import { memoryMiB, readCpu } from '../system.mjs';
import { startServer } from './server-process.mjs';
import { sharedNow } from './worker.mjs';

/** @typedef {Awaited<ReturnType<typeof startServer>>} Server */
/** @typedef {import('./worker.mjs').Worker} Worker */
/** @typedef {import('./server-process.mjs').ServerOptions} ServerOptions */

/** Connections, compiled code and files of the start are not counted as memory of sessions. */
const FIRST_SESSIONS = 50;
const IDLE_MS = 500;
/** The runs are started during this share of the time of a stream. */
const SPREAD = 0.25;

/**
 * Opens sessions, and sends a prompt to some of them.
 * @param {Server} server
 * @param {Worker} clients
 * @param {{ directories: string[], sessions: number, prompted: number }} options
 */
export async function measureSessions(server, clients, { directories, sessions, prompted }) {
  const list = (/** @type {number} */ count) =>
    Array.from({ length: count }, (_, index) => directories[index % directories.length]);
  const first = await clients.call('openSessions', server.address, list(Math.min(FIRST_SESSIONS, sessions)));
  await clients.call('promptAll', server.address, first.ids);
  const before = await readMemory(server);
  const { ids, times } = await clients.call('openSessions', server.address, list(sessions));
  const idle = await readMemory(server);
  await clients.call('promptAll', server.address, ids.slice(0, prompted));
  const used = await readMemory(server);
  const part = Math.ceil(times.length / 10);
  return {
    ids: /** @type {string[]} */ (ids),
    idle: (idle.afterCollection - before.afterCollection) / sessions,
    idleUncollected: (idle.asItIs - before.afterCollection) / sessions,
    prompted: (used.afterCollection - idle.afterCollection) / prompted,
    openFirst: median(times.slice(0, part)),
    openLast: median(times.slice(-part)),
  };
}

/**
 * In MiB. PSS, because the other processes of the bench share the pages of the node binary during the whole run.
 * @param {Server} server
 */
async function readMemory({ pid, collectGarbage }) {
  await sleep(IDLE_MS);
  const asItIs = memoryMiB(pid).pss;
  await collectGarbage();
  await sleep(IDLE_MS);
  return { asItIs, afterCollection: memoryMiB(pid).pss };
}

/**
 * The delays of the deltas of streams, and how busy the processes are (1 is one core).
 * @param {Server} server
 * @param {{ clients: Worker, model: Worker }} workers
 * @param {{ ids: string[], followers: number, rate: number, seconds: number }} options
 */
export async function measureStreams(server, { clients, model }, { ids, followers, rate, seconds }) {
  // Connections are made before, because they cost much more than following.
  await clients.call('connectAll', server.address, ids, followers);
  await sleep(IDLE_MS);
  const before = [readCpu(server.pid), readCpu(model.pid)];
  const startedAt = sharedNow();
  const prompt = `stream ${rate} per second for ${seconds} seconds`;
  const { busy, ...delays } = await clients.call('runAll', prompt, SPREAD * 1000 * seconds);
  const durationMs = sharedNow() - startedAt;
  const [own, ofModel] = [readCpu(server.pid), readCpu(model.pid)].map(({ usedMs, waitedMs }, index) => ({
    usedMs: usedMs - (before[index]?.usedMs ?? 0),
    waitedMs: waitedMs - (before[index]?.waitedMs ?? 0),
  }));
  await clients.call('disconnectAll');
  return {
    .../** @type {Record<'count' | 'frames' | 'median' | 'p99', number>} */ (delays),
    ...{ serverMs: own?.usedMs ?? NaN, waited: (own?.waitedMs ?? NaN) / durationMs },
    ...{ busyServer: (own?.usedMs ?? NaN) / durationMs, busyModel: (ofModel?.usedMs ?? NaN) / durationMs },
    busyClients: /** @type {number} */ (busy),
  };
}

/**
 * Time from the start of the server to the first byte of its page.
 * @param {ServerOptions} options
 */
export async function measurePageStart(options) {
  const server = await startServer(options);
  try {
    const { port, host } = new URL(server.address.url);
    const socket = connect(Number(port), '127.0.0.1');
    socket.write(`GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    const [head] = await once(socket, 'data');
    const ms = performance.now() - server.startedAt;
    socket.destroy();
    if (!String(head).startsWith('HTTP/1.1 200')) throw new Error(`The page was refused: ${head}`);
    return ms;
  } finally {
    await server.end();
  }
}

/**
 * Time from the start of the program on stdio to its first reply.
 * @param {ServerOptions} options
 */
export async function measureReplyStart({ program, home, cwd }) {
  const flags = ['--mode', 'rpc', '--provider', 'own', '--model', 'bench', '--thinking', 'off'];
  const host = startHost([program, ...flags], { cwd, env: { HOME: home, PARLEY_DIR: home } });
  host.send({ id: '1', type: 'get_state' });
  const { at } = await host.line('"get_state"');
  await host.end();
  return at - host.startedAt;
}

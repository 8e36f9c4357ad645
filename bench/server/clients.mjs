// A worker process: the clients of the server. Opens sessions over HTTP, follows streams over WebSockets and measures delays.
// @ts-check
import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { answerCalls, sharedNow } from './worker.mjs';

/** @typedef {{ url: string, token: string }} Address */

const agent = new Agent({ keepAlive: true, maxSockets: 8 });
/** The time of the model in a delta. Several deltas may be folded into one frame. */
const TIMES = /@(\d+\.\d{3}) /g;

/**
 * @param {Address} address
 * @param {string} path
 * @param {object} body
 * @returns {Promise<any>}
 */
async function post({ url, token }, path, body) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const response = await new Promise((resolve, reject) => {
    request(new URL(path, url), { method: 'POST', agent, headers }, resolve)
      .on('error', reject)
      .end(JSON.stringify(body));
  });
  const reply = JSON.parse(await text(response));
  if (!reply.success) throw new Error(`${path}: ${JSON.stringify(reply)}`);
  return reply.data;
}

/**
 * Opens sessions one after the other.
 * @param {Address} address
 * @param {string[]} directories
 */
async function openSessions(address, directories) {
  const ids = [];
  const times = [];
  for (const cwd of directories) {
    const start = performance.now();
    ids.push((await post(address, 'v1/sessions', { cwd })).sessionId);
    times.push(performance.now() - start);
  }
  return { ids, times };
}

/**
 * A short prompt in each session, up to 8 at the same time.
 * @param {Address} address
 * @param {string[]} ids
 */
async function promptAll(address, ids) {
  const rest = [...ids];
  const work = async () => {
    for (let id = rest.pop(); id !== undefined; id = rest.pop())
      await post(address, `v1/sessions/${id}/commands/prompt?wait=settled`, { message: 'Hello' });
  };
  await Promise.all(Array.from({ length: 8 }, work));
}

/**
 * @param {Address} address
 * @param {string} id
 * @param {(frame: string) => void} onFrame
 * @returns {Promise<WebSocket>}
 */
function connect({ url, token }, id, onFrame) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}ws?session=${id}&stream=delta&token=${token}`, {
    perMessageDeflate: false,
  });
  return new Promise((resolve, reject) => {
    socket.on('error', reject);
    socket.on('close', (code, reason) => reject(new Error(`Connection closed: ${code} ${reason}`)));
    socket.on('message', (/** @type {Buffer} */ data) => {
      const frame = data.toString();
      if (frame.includes('"session_attached"')) resolve(socket);
      onFrame(frame);
    });
  });
}

/** @typedef {{ socket: WebSocket, isFirst: boolean, onDelta: (frame: string) => void, onSettled: () => void }} Follower */

/** @type {Follower[]} */
let connected = [];

/**
 * Connects a number of clients to each session.
 * @param {Address} address
 * @param {string[]} ids
 * @param {number} followers
 */
async function connectAll(address, ids, followers) {
  const wanted = ids.flatMap((id) => Array.from({ length: followers }, (_, index) => ({ id, isFirst: index === 0 })));
  connected = await Promise.all(
    wanted.map(async ({ id, isFirst }) => {
      const handlers = { onDelta: (/** @type {string} */ _frame) => {}, onSettled: () => {} };
      const socket = await connect(address, id, (frame) => {
        if (frame.includes('"text_delta"')) handlers.onDelta(frame);
        else if (frame.includes('"session_settled"')) handlers.onSettled();
      });
      return Object.assign(handlers, { socket, isFirst });
    }),
  );
}

function disconnectAll() {
  for (const { socket } of connected) socket.terminate();
}

/**
 * Sends a prompt to each session, and waits until all clients have seen the end of its run.
 * @param {string} prompt
 * @param {number} spreadMs The prompts are sent one after the other during this time.
 */
async function runAll(prompt, spreadMs) {
  const cpu = process.cpuUsage();
  const startedAt = sharedNow();
  let frames = 0;
  /** @type {{ written: number, delay: number }[][]} By follower. */
  const deltas = connected.map(() => []);
  const settled = connected.map((follower, index) => {
    follower.onDelta = (frame) => {
      const now = sharedNow();
      frames += 1;
      for (const [, time] of frame.matchAll(TIMES))
        deltas[index]?.push({ written: Number(time), delay: now - Number(time) });
    };
    return new Promise((resolve) => {
      follower.onSettled = () => resolve(undefined);
    });
  });
  const first = connected.filter(({ isFirst }) => isFirst);
  for (const { socket } of first) {
    socket.send(JSON.stringify({ id: 'p', type: 'prompt', message: prompt }));
    await sleep(spreadMs / first.length);
  }
  await Promise.all(settled);
  const { user, system } = process.cpuUsage(cpu);
  return { frames, ...describeDelays(deltas), busy: (user + system) / 1000 / (sharedNow() - startedAt) };
}

/**
 * The delays of the deltas that were written while all streams were open.
 * @param {{ written: number, delay: number }[][]} deltas
 */
function describeDelays(deltas) {
  const from = Math.max(...deltas.map((own) => own[0]?.written ?? Number.NaN));
  const until = Math.min(...deltas.map((own) => own.at(-1)?.written ?? Number.NaN));
  const delays = deltas
    .flatMap((own) => own.filter(({ written }) => written >= from && written <= until))
    .map(({ delay }) => delay)
    .sort((a, b) => a - b);
  const at = (/** @type {number} */ share) => delays[Math.floor((delays.length - 1) * share)] ?? Number.NaN;
  return { count: delays.length, median: at(0.5), p99: at(0.99) };
}

answerCalls({ openSessions, promptAll, connectAll, runAll, disconnectAll });

// The measurements. Each starts a program, measures it and returns named figures.
// @ts-check
import { setTimeout as sleep } from 'node:timers/promises';
import { startHost } from './host.mjs';
import { median } from './median.mjs';
import { cpuMs, memoryMiB } from './system.mjs';

/** @typedef {Parameters<typeof startHost>} Start */
/** @typedef {Record<string, number>} Figures */

const IDLE_MS = 300;
const DELTAS = 8000;
const TURNS = 10;

/**
 * Time from spawn to the first reply, and idle memory.
 * @param {Start} start
 * @returns {Promise<Figures>}
 */
export async function firstReply(start) {
  const host = startHost(...start);
  host.send({ id: '1', type: 'get_state' });
  const { at } = await host.line('"get_state"');
  await sleep(IDLE_MS);
  const memory = memoryMiB(host.pid);
  await host.end();
  return { reply: at - host.startedAt, ...memory };
}

/**
 * The same for Node without a program: time until exit of `node -e 0`, and idle memory.
 * @returns {Promise<Figures>}
 */
export async function bareNode() {
  const short = startHost(['-e', '0']);
  const exitedAt = await short.end();
  const waiting = startHost(['-e', 'process.stdin.resume(); process.stdout.write("up\\n")']);
  await waiting.line('up');
  await sleep(IDLE_MS);
  const memory = memoryMiB(waiting.pid);
  await waiting.end();
  return { reply: exitedAt - short.startedAt, ...memory };
}

/**
 * @param {Start} start
 * @returns {Promise<Figures>}
 */
export async function firstDelta(start) {
  const host = await startReadyHost(start);
  const sent = host.send({ type: 'prompt', message: 'hello' });
  const { at } = await host.line('_delta"');
  await host.line('"agent_settled"');
  await host.end();
  return { delta: at - sent };
}

/**
 * CPU time of a long answer. A short one runs first, because firstDelta already measures the loading of chunks.
 * @param {Start} start
 * @returns {Promise<Figures>}
 */
export async function manyDeltas(start) {
  const host = await startReadyHost(start);
  host.send({ type: 'prompt', message: 'hello' });
  await host.line('"agent_settled"');
  const firstLine = host.lines.length;
  const before = cpuMs(host.pid);
  const sent = host.send({ type: 'prompt', message: `count to ${DELTAS}` });
  const { at } = await host.line('"agent_settled"');
  const cpu = cpuMs(host.pid) - before;
  const updates = host.lines.slice(firstLine).filter(({ line }) => line.includes('"text_delta"'));
  const bytes = updates.reduce((sum, { line }) => sum + Buffer.byteLength(line) + 1, 0);
  await host.end();
  return { cpu, wall: at - sent, bytes: bytes / updates.length, lines: updates.length };
}

/**
 * A turn with a shell command that does nothing: the first turn, and later turns, when all chunks are loaded.
 * @param {Start} start
 * @returns {Promise<Figures>}
 */
export async function toolTurn(start) {
  const host = await startReadyHost(start);
  const first = await measureTurn(host);
  /** @type {{ tool: number, whole: number }[]} */
  const later = [];
  for (let i = 0; i < TURNS; i++) later.push(await measureTurn(host));
  await host.end();
  const medianOf = (/** @type {'tool' | 'whole'} */ key) => median(later.map((turn) => turn[key]));
  return { firstTool: first.tool, firstWhole: first.whole, tool: medianOf('tool'), whole: medianOf('whole') };
}

/** @param {ReturnType<typeof startHost>} host */
async function measureTurn(host) {
  const sent = host.send({ type: 'prompt', message: 'run `true`' });
  const started = await host.line('"tool_execution_start"');
  const turn = await host.line('"turn_end"');
  const settled = await host.line('"agent_settled"');
  return { tool: turn.at - started.at, whole: settled.at - sent };
}

/** @param {Start} start */
async function startReadyHost(start) {
  const host = startHost(...start);
  host.send({ id: '1', type: 'get_state' });
  await host.line('"get_state"');
  return host;
}

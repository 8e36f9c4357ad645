// What is measured, each as one short life of a program. Every measure gives named figures; the table is made elsewhere.
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
 * From spawn to the first reply, and what is occupied once it rests.
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
  return { reply: at - host.begun, ...memory };
}

/**
 * The same for Node alone: how long until it is gone again, and what it occupies while it only waits.
 * @returns {Promise<Figures>}
 */
export async function bareNode() {
  const short = startHost(['-e', '0']);
  const gone = await short.end();
  const waiting = startHost(['-e', 'process.stdin.resume(); process.stdout.write("up\\n")']);
  await waiting.line('up');
  await sleep(IDLE_MS);
  const memory = memoryMiB(waiting.pid);
  await waiting.end();
  return { reply: gone - short.begun, ...memory };
}

/**
 * @param {Start} start
 * @returns {Promise<Figures>}
 */
export async function firstDelta(start) {
  const host = await ready(start);
  const sent = host.send({ type: 'prompt', message: 'hello' });
  const { at } = await host.line('_delta"');
  await host.line('"agent_settled"');
  await host.end();
  return { delta: at - sent };
}

/**
 * A long answer, after a short one: what is loaded with the first prompt belongs to firstDelta.
 * @param {Start} start
 * @returns {Promise<Figures>}
 */
export async function manyDeltas(start) {
  const host = await ready(start);
  host.send({ type: 'prompt', message: 'hello' });
  await host.line('"agent_settled"');
  const past = host.lines.length;
  const before = cpuMs(host.pid);
  const sent = host.send({ type: 'prompt', message: `count to ${DELTAS}` });
  const { at } = await host.line('"agent_settled"');
  const cpu = cpuMs(host.pid) - before;
  const updates = host.lines.slice(past).filter(({ line }) => line.includes('"text_delta"'));
  const bytes = updates.reduce((sum, { line }) => sum + Buffer.byteLength(line) + 1, 0);
  await host.end();
  return { cpu, wall: at - sent, bytes: bytes / updates.length, lines: updates.length };
}

/**
 * A turn with a shell command that does nothing: the first one, and one when everything is loaded.
 * @param {Start} start
 * @returns {Promise<Figures>}
 */
export async function toolTurn(start) {
  const host = await ready(start);
  const first = await oneTurn(host);
  /** @type {{ tool: number, whole: number }[]} */
  const later = [];
  for (let i = 0; i < TURNS; i++) later.push(await oneTurn(host));
  await host.end();
  const typical = (/** @type {'tool' | 'whole'} */ key) => median(later.map((turn) => turn[key]));
  return { firstTool: first.tool, firstWhole: first.whole, tool: typical('tool'), whole: typical('whole') };
}

/** @param {ReturnType<typeof startHost>} host */
async function oneTurn(host) {
  const sent = host.send({ type: 'prompt', message: 'run `true`' });
  const begun = await host.line('"tool_execution_start"');
  const turn = await host.line('"turn_end"');
  const settled = await host.line('"agent_settled"');
  return { tool: turn.at - begun.at, whole: settled.at - sent };
}

/** @param {Start} start */
async function ready(start) {
  const host = startHost(...start);
  host.send({ id: '1', type: 'get_state' });
  await host.line('"get_state"');
  return host;
}

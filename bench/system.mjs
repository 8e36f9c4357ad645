// Reads memory and CPU time of a process from /proc. Linux only.
// @ts-check
import { readdirSync, readFileSync } from 'node:fs';

/**
 * PSS counts shared pages, such as those of the node binary, by their share, so it decreases when other node processes run.
 * RSS counts shared pages fully.
 * @param {number} pid
 */
export function memoryMiB(pid) {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1');
  const of = (/** @type {string} */ name) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1]) / 1024;
  return { pss: of('Pss'), rss: of('Rss') };
}

/**
 * User and system time of all threads.
 * @param {number} pid
 */
export function cpuMs(pid) {
  return readCpu(pid).usedMs;
}

/**
 * The time that all threads have used, and the time of the main thread in which it was ready, but other processes used the cores.
 * @param {number} pid
 */
export function readCpu(pid) {
  const threads = readdirSync(`/proc/${pid}/task`).map((id) => {
    const [used = 0, waited = 0] = readFileSync(`/proc/${pid}/task/${id}/schedstat`, 'latin1').split(' ').map(Number);
    return { used, waited, isMain: id === `${pid}` };
  });
  const usedNs = threads.reduce((sum, { used }) => sum + used, 0);
  return { usedMs: usedNs / 1e6, waitedMs: (threads.find(({ isMain }) => isMain)?.waited ?? 0) / 1e6 };
}

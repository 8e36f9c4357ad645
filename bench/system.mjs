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
  const threads = readdirSync(`/proc/${pid}/task`);
  const times = threads.map((id) => Number(readFileSync(`/proc/${pid}/task/${id}/schedstat`, 'latin1').split(' ')[0]));
  return times.reduce((sum, ns) => sum + ns, 0) / 1e6;
}

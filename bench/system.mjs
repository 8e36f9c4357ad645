// What the system says about a process: its share of memory and the time it has used. Linux only.
// @ts-check
import { readdirSync, readFileSync } from 'node:fs';

/**
 * Proportional set size: pages that others use too, such as those of the node binary, count by their share. It falls with
 * every other node process on the machine; the resident set size, which counts them whole, does not.
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
  const spent = threads.map((id) => Number(readFileSync(`/proc/${pid}/task/${id}/schedstat`, 'latin1').split(' ')[0]));
  return spent.reduce((sum, ns) => sum + ns, 0) / 1e6;
}

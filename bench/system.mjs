// What the system says about a process: its share of memory and the time it has used. Linux only.
// @ts-check
import { readdirSync, readFileSync } from 'node:fs';

/**
 * Proportional set size: pages that are shared, such as those of the node binary, count by their share.
 * @param {number} pid
 */
export function pssMiB(pid) {
  return Number(/^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1'))?.[1]) / 1024;
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

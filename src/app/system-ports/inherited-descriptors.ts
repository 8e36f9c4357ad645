// Keeps file descriptors that this process has inherited from its own children. Linux.
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';

/** Of `flags` in /proc/self/fdinfo. */
const O_CLOEXEC = 0o2000000;

/**
 * Node opens its own descriptors so that children do not get them, and marks inherited ones up to the first unused number after 16.
 * Others reach every child, for example those of `flock 200`. An open directory would be a way out of the sandbox.
 */
let inherited: readonly number[] | undefined;

/** Other systems close them when a child is started. */
function findInherited(): number[] {
  let names: string[];
  try {
    names = readdirSync('/proc/self/fdinfo');
  } catch {
    return [];
  }
  return names.map(Number).filter((descriptor) => descriptor > 2 && !isClosedOnExec(descriptor));
}

function isClosedOnExec(descriptor: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8'))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & O_CLOEXEC) !== 0;
  } catch {
    // The descriptor with which the directory was listed.
    return true;
  }
}

/** Calls `start` with the `stdio` entries from 3 on, which give a child /dev/null in place of each inherited descriptor. */
export function hideInherited<T>(start: (rest: ('ignore' | number)[]) => T): T {
  inherited ??= findInherited();
  const last = Math.max(2, ...inherited);
  if (last === 2) return start([]);
  const empty = openSync('/dev/null', 'r+');
  try {
    const hidden = new Set(inherited);
    // `ignore` leaves a number above 2 as it is.
    return start(Array.from({ length: last - 2 }, (_, at) => (hidden.has(at + 3) ? empty : 'ignore')));
  } finally {
    closeSync(empty);
  }
}

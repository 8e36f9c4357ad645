// Identifies this process in locks, and checks whether the holder of a lock is alive. Reads system data only on demand.
import { readFileSync } from 'node:fs';
import { getSystemErrorCode } from '../../base/fault.ts';
import type { ProcessId, ProcessIdentity } from '../../contracts/index.ts';
import { hostName } from '../../support/home-directory.ts';

export function createProcessIdentity(): ProcessIdentity {
  let self: ProcessId | undefined;
  return {
    get self() {
      self ??= { pid: process.pid, startTime: readProcessStat('self')?.startTime, host: hostName() };
      return self;
    },
    async isAlive(pid, startTime) {
      const stat = readProcessStat(pid);
      // No data: the system has no /proc, the process belongs to another user, or it does not exist.
      if (!stat) return isSignalable(pid);
      if (stat.hasEnded) return false;
      return startTime === undefined || stat.startTime === startTime;
    },
  };
}

function readProcessStat(pid: number | 'self'): ReturnType<typeof parseProcessStat> {
  try {
    return parseProcessStat(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return undefined;
  }
}

/** The process name may contain any character, also brackets. The fields after it are separated by spaces. See proc(5). */
function parseProcessStat(stat: string): { startTime: number; hasEnded: boolean } | undefined {
  const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const startTime = Number(fields[18]);
  if (!Number.isSafeInteger(startTime)) return undefined;
  // A zombie holds no locks; it only waits to be reaped by its parent.
  return { startTime, hasEnded: state === 'Z' || state === 'X' };
}

function isSignalable(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return getSystemErrorCode(error) === 'EPERM';
  }
}

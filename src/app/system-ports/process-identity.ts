// The app's own identity among processes: what a lock says about its holder. Asks the system only when a lock is met.
import { readFileSync } from 'node:fs';
import { systemCode } from '../../base/fault.ts';
import type { ProcessId, ProcessIdentity } from '../../store/index.ts';
import { hostName } from '../home.ts';

export function createProcessIdentity(): ProcessIdentity {
  let self: ProcessId | undefined;
  return {
    get self() {
      self ??= { pid: process.pid, startTime: factsOf('self')?.startTime, host: hostName() };
      return self;
    },
    async isAlive(pid, startTime) {
      const facts = factsOf(pid);
      // Not told by the system: another kind of system, another user's process, or none at all.
      if (!facts) return answers(pid);
      if (facts.hasEnded) return false;
      return startTime === undefined || facts.startTime === startTime;
    },
  };
}

function factsOf(pid: number | 'self'): ReturnType<typeof factsIn> {
  try {
    return factsIn(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return undefined;
  }
}

/** The process's name may hold anything, brackets too; the fields after it are plain. See proc(5). */
function factsIn(stat: string): { startTime: number; hasEnded: boolean } | undefined {
  const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const startTime = Number(fields[18]);
  if (!Number.isSafeInteger(startTime)) return undefined;
  // A zombie holds nothing any more; only its parent has not noticed.
  return { startTime, hasEnded: state === 'Z' || state === 'X' };
}

function answers(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return systemCode(error) === 'EPERM';
  }
}

// Finds and kills processes of the agent. Never signals a process that is neither tagged nor in a process group of the agent.
import { readdir, readFile } from 'node:fs/promises';
import { getSystemErrorCode } from '../../base/fault.ts';

/** Identifies the agent in the environment of every child, so that descendants that left their process group can be found. */
export const AGENT_ID_VARIABLE = 'PARLEY_PROCESS_TREE';
/** The same for one spawn. */
export const SPAWN_ID_VARIABLE = 'PARLEY_PROCESS_CALL';

const CONCURRENT_READERS = 8;

/**
 * Kills all processes that were started with `NAME=value` in their environment, where the system shows it (Linux). Returns how many
 * there were. Processes that forked in the meantime are found by the next call: call again until it returns 0.
 */
export async function killTagged(tag: string): Promise<number> {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name)).map(Number);
  let found = 0;
  const reader = async () => {
    for (let pid = pids.pop(); pid !== undefined; pid = pids.pop()) {
      // The signal is sent synchronously after the check, so that the pid cannot have been reused.
      if (pid !== process.pid && (await isTagged(pid, tag)) && sendSignal(pid, 'SIGKILL')) found += 1;
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT_READERS }, reader));
  return found;
}

async function isTagged(pid: number, tag: string): Promise<boolean> {
  // Not readable when the process has ended, is a zombie, or belongs to another user.
  const environment = await readFile(`/proc/${pid}/environ`).catch(() => undefined);
  return environment?.includes(`${tag}\0`) ?? false;
}

/** Kills the process group of a leader that may still be running. */
export function killGroup(leader: number): void {
  sendSignal(-leader, 'SIGKILL');
}

/**
 * Kills the remaining processes in the group of a finished leader. While a group exists, the pid of its leader is not reused. So if a
 * process with that pid is alive, the group has ended and the pid belongs to an unrelated process.
 */
export function killLeftovers(leader: number): void {
  if (!sendSignal(leader, 0)) sendSignal(-leader, 'SIGKILL');
}

export function hasLeftovers(leader: number): boolean {
  return !sendSignal(leader, 0) && sendSignal(-leader, 0);
}

/** Returns whether the target exists, even if it may not be signalled (EPERM). */
function sendSignal(target: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(target, name);
  } catch (error) {
    return getSystemErrorCode(error) === 'EPERM';
  }
}

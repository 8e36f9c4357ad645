// The app's real processes: children in groups of their own that end with us. Knows nothing of shells and tools.
import type { ChildProcessByStdio, spawn as Spawn } from 'node:child_process';
import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { deferred } from '../../base/deferred.ts';
import { Fault, messageOf, systemCode } from '../../base/fault.ts';
import type { Ids, Processes, RunningProcess, SpawnRequest } from '../../contracts/ports.ts';
import { readOutput } from './process-output.ts';
import { CALL_VARIABLE, hasLeftovers, killGroup, killLeftovers, sweepTagged, TREE_VARIABLE } from './process-tree.ts';
import { createProcessWatch } from './process-watch.ts';

const KILL_ALL_MS = 5000;
const SWEEP_PAUSE_MS = 5;

type Child = ChildProcessByStdio<null, Readable, Readable>;

/**
 * What a finished command left in the background lives on until the agent ends, cleanly or not; then it ends too. A
 * command that is killed takes its background with it.
 */
export function createProcesses({ ids }: { ids: Ids }): Processes & { close(): Promise<void> } {
  const tree = ids.uuid();
  const watch = createProcessWatch(tree);
  const running = new Set<number>();
  /** Leaders that finished before others in their group did. */
  const kept = new Set<number>();
  let used = false;
  let closed = false;

  function settle(leader: number): void {
    running.delete(leader);
    kept.add(leader);
    watch.keep(leader);
    for (const group of kept) {
      if (hasLeftovers(group)) continue;
      kept.delete(group);
      watch.forget(group);
    }
  }

  function attend(child: Child, leader: number, call: string, request: SpawnRequest): RunningProcess {
    watch.add(leader);
    running.add(leader);
    const output = readOutput(child, request.onOutput);
    const finished = deferred<{ code: number | null; signal: string | null }>();
    child.once('exit', (code, signal) => {
      settle(leader);
      void output.drain().then(() => finished.resolve({ code, signal }));
    });
    return {
      pid: leader,
      finished: finished.promise,
      kill() {
        if (running.has(leader)) killGroup(leader);
        else if (kept.has(leader)) killLeftovers(leader);
        void sweepUntilGone(`${CALL_VARIABLE}=${call}`, () => true);
      },
    };
  }

  async function killAll(): Promise<void> {
    if (!used) return;
    await sweepUntilGone(`${TREE_VARIABLE}=${tree}`, () => {
      for (const leader of running) killGroup(leader);
      for (const leader of kept) killLeftovers(leader);
      return running.size === 0;
    });
  }

  return {
    async spawn(request) {
      const { spawn } = await import('node:child_process');
      if (closed) throw new Fault('aborted', `Cannot start ${request.command}: the agent is shutting down`);
      used = true;
      watch.ready(spawn);
      const call = ids.uuid();
      try {
        const child = start(spawn, request, { [TREE_VARIABLE]: tree, [CALL_VARIABLE]: call });
        if (child.pid !== undefined) return attend(child, child.pid, call, request);
        throw await new Promise((resolve) => child.once('error', resolve));
      } catch (error) {
        throw await refusal(request, error);
      }
    },
    killAll,
    async close() {
      closed = true;
      await killAll();
      watch.close();
    },
  };
}

function start(spawn: typeof Spawn, request: SpawnRequest, tags: Record<string, string>): Child {
  const child = spawn(request.command, request.args, {
    cwd: request.cwd,
    env: { ...request.env, ...tags },
    // A session of its own, so that the whole group can be ended by number.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.on('error', () => {});
  return child;
}

/** Why it did not start. Node blames the command for a missing directory, so that is looked at first. */
async function refusal(request: SpawnRequest, cause: unknown): Promise<Fault> {
  const code = systemCode(cause);
  let reason = messageOf(cause);
  if (code === 'ERR_INVALID_ARG_VALUE') reason = 'no system takes a NUL character in a command or its directory';
  else if (code === 'ENOENT' || code === 'ENOTDIR') {
    const directory = await stat(request.cwd).catch(() => undefined);
    if (directory?.isDirectory()) reason = 'no such command';
    else reason = `its working directory ${request.cwd} ${directory ? 'is not a directory' : 'does not exist'}`;
  }
  if (code === 'EACCES') reason = 'permission denied';
  return new Fault('tool_failed', `Cannot start ${request.command}: ${reason}`, { cause });
}

/** Sweeps until nothing that carries the tag is left and `ended` agrees, or until waiting is no use any more. */
async function sweepUntilGone(tag: string, ended: () => boolean): Promise<void> {
  const deadline = Date.now() + KILL_ALL_MS;
  // Twice, because a process that is just becoming another program shows no tag.
  for (let clean = 0; Date.now() < deadline; ) {
    const agreed = ended();
    clean = (await sweepTagged(tag)) === 0 && agreed ? clean + 1 : 0;
    if (clean === 2) return;
    await new Promise((resolve) => setTimeout(resolve, SWEEP_PAUSE_MS));
  }
}

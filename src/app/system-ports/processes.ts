// Processes port: starts children in their own process groups, and ends them with the agent.
import type { ChildProcessByStdio, spawn as Spawn } from 'node:child_process';
import { stat } from 'node:fs/promises';
import type { Readable, Writable } from 'node:stream';
import { createDeferred } from '../../base/deferred.ts';
import { Fault, getErrorMessage, getSystemErrorCode } from '../../base/fault.ts';
import type { IdGenerator, Processes, RunningProcess, SpawnRequest } from '../../contracts/ports.ts';
import { hideInherited } from './inherited-descriptors.ts';
import { createProcessInput } from './process-input.ts';
import { readChildOutput, readInfo } from './process-output.ts';
import {
  AGENT_ID_VARIABLE,
  hasLeftovers,
  killGroup,
  killLeftovers,
  killTagged,
  SPAWN_ID_VARIABLE,
} from './process-tree.ts';
import { createProcessWatcher, type ProcessWatcher } from './process-watcher.ts';

const KILL_ALL_TIMEOUT_MS = 5000;
const SWEEP_PAUSE_MS = 5;

type Child = ChildProcessByStdio<Writable | null, Readable, Readable>;

/**
 * Background processes of a finished command run until the agent ends, cleanly or not. When a command is killed, its background
 * processes are killed too.
 */
export function createProcesses({ ids }: { ids: IdGenerator }): Processes & { close(): Promise<void> } {
  const agentId = ids.uuid();
  const watcher = createProcessWatcher(agentId);
  const groups = new ProcessGroups(watcher);
  let hasSpawned = false;
  let closed = false;

  async function killAll(): Promise<void> {
    if (hasSpawned) await killTaggedUntilGone(`${AGENT_ID_VARIABLE}=${agentId}`, () => groups.killAll());
  }

  return {
    async spawn(request) {
      const { spawn } = await import('node:child_process');
      if (closed) throw new Fault('aborted', `Cannot start ${request.command}: the agent is shutting down`);
      hasSpawned = true;
      watcher.ensureRunning(spawn);
      const call = ids.uuid();
      try {
        const child = spawnChild(spawn, request, { [AGENT_ID_VARIABLE]: agentId, [SPAWN_ID_VARIABLE]: call });
        if (child.pid !== undefined) return track(child, child.pid, { groups, call, request });
        throw await new Promise((resolve) => child.once('error', resolve));
      } catch (error) {
        throw await createSpawnFault(request, error);
      }
    },
    killAll,
    async close() {
      closed = true;
      await killAll();
      watcher.close();
    },
  };
}

/** The process groups that this agent has started, each named by the pid of its leader. */
class ProcessGroups {
  readonly #watcher: ProcessWatcher;
  readonly #running = new Set<number>();
  /** Leaders that finished while other processes in their group were running. */
  readonly #finishedLeaders = new Set<number>();

  constructor(watcher: ProcessWatcher) {
    this.#watcher = watcher;
  }

  add(leader: number): void {
    this.#watcher.addRunning(leader);
    this.#running.add(leader);
  }

  markFinished(leader: number): void {
    this.#running.delete(leader);
    this.#finishedLeaders.add(leader);
    this.#watcher.addFinished(leader);
    for (const group of this.#finishedLeaders) {
      if (hasLeftovers(group)) continue;
      this.#finishedLeaders.delete(group);
      this.#watcher.remove(group);
    }
  }

  kill(leader: number): void {
    if (this.#running.has(leader)) killGroup(leader);
    else if (this.#finishedLeaders.has(leader)) killLeftovers(leader);
  }

  /** Returns whether all leaders had finished. */
  killAll(): boolean {
    for (const leader of this.#running) killGroup(leader);
    for (const leader of this.#finishedLeaders) killLeftovers(leader);
    return this.#running.size === 0;
  }
}

function track(
  child: Child,
  leader: number,
  { groups, call, request }: { groups: ProcessGroups; call: string; request: SpawnRequest },
): RunningProcess {
  groups.add(leader);
  const output = readChildOutput(child, (chunk, stream) => request.onOutput(chunk, stream));
  const info = request.onInfo && readInfo(child, request.onInfo);
  const finished = createDeferred<{ code: number | null; signal: string | null }>();
  child.once('exit', (code, signal) => {
    groups.markFinished(leader);
    void Promise.all([output.drain(), info?.drain()]).then(() => finished.resolve({ code, signal }));
  });
  return {
    pid: leader,
    ...(child.stdin ? { input: createProcessInput(child.stdin) } : {}),
    finished: finished.promise,
    kill() {
      groups.kill(leader);
      void killTaggedUntilGone(`${SPAWN_ID_VARIABLE}=${call}`, () => true);
    },
  };
}

function spawnChild(spawn: typeof Spawn, request: SpawnRequest, tags: Record<string, string>): Child {
  const child = hideInherited((rest) =>
    spawn(request.command, request.args, {
      cwd: request.cwd,
      env: { ...request.env, ...tags },
      // A new process session, so that the whole group can be killed by its id.
      detached: true,
      stdio: [
        request.stdin ?? 'ignore',
        'pipe',
        'pipe',
        ...(request.onInfo ? ['pipe' as const, ...rest.slice(1)] : rest),
      ],
    }),
  ) as Child;
  child.on('error', () => {});
  return child;
}

/** Node reports a missing working directory as a missing command, so the directory is checked first. */
async function createSpawnFault(request: SpawnRequest, cause: unknown): Promise<Fault> {
  const code = getSystemErrorCode(cause);
  let reason = getErrorMessage(cause);
  if (code === 'ERR_INVALID_ARG_VALUE') reason = 'a command and its directory must not contain a NUL character';
  else if (code === 'ENOENT' || code === 'ENOTDIR') {
    const directory = await stat(request.cwd).catch(() => undefined);
    if (directory?.isDirectory()) reason = 'no such command';
    else reason = `its working directory ${request.cwd} ${directory ? 'is not a directory' : 'does not exist'}`;
  }
  if (code === 'EACCES') reason = 'permission denied';
  return new Fault('tool_failed', `Cannot start ${request.command}: ${reason}`, { cause });
}

/** Repeats until no tagged process is left and `isDone` returns true, or until the timeout. */
async function killTaggedUntilGone(tag: string, isDone: () => boolean): Promise<void> {
  const deadline = Date.now() + KILL_ALL_TIMEOUT_MS;
  // Two empty sweeps are needed, because a process shows no tag during exec.
  for (let emptySweeps = 0; Date.now() < deadline; ) {
    const done = isDone();
    emptySweeps = (await killTagged(tag)) === 0 && done ? emptySweeps + 1 : 0;
    if (emptySweeps === 2) return;
    await new Promise((resolve) => setTimeout(resolve, SWEEP_PAUSE_MS));
  }
}

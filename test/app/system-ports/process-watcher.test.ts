import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createIds } from '../../../src/app/system-ports/ids.ts';
import { hasLeftovers, killLeftovers } from '../../../src/app/system-ports/process-tree.ts';
import { createProcessWatcher } from '../../../src/app/system-ports/process-watcher.ts';
import { createProcesses } from '../../../src/app/system-ports/processes.ts';
import { findProcesses, isAlive, parseNumbers, readEnvironment, startShell } from '../../support/processes.ts';
import { waitUntil } from '../../support/wait-until.ts';

const tree = createIds().uuid();
const findWatchers = (agentId: string) => findProcesses(`PARLEY_PROCESS_TREE=${agentId}`, 'cmdline');

/** Processes that do not belong to the tree of an agent. Each leads its own group. */
const unrelatedPids: number[] = [];
function startUnrelated(script = 'exec sleep 600', env: NodeJS.ProcessEnv = {}) {
  const child = spawn('/bin/sh', ['-c', script], { detached: true, stdio: ['ignore', 'pipe', 'ignore'], env });
  unrelatedPids.push(child.pid!);
  return { pid: child.pid!, exit: once(child, 'exit'), child };
}

/** The pid of the only watcher, after its shell has set its traps. Before that the shell opens files to load itself. */
async function waitForWatcher(): Promise<number> {
  await waitUntil(() => findWatchers(tree).length === 1 && ignores(findWatchers(tree)[0]!, [1, 2, 15]));
  return findWatchers(tree)[0]!;
}

let processWatcher: ReturnType<typeof createProcessWatcher>;
beforeEach(() => {
  processWatcher = createProcessWatcher(tree);
});
afterEach(async () => {
  processWatcher.close();
  await waitUntil(() => findWatchers(tree).length === 0);
  for (const pid of unrelatedPids.splice(0)) if (isAlive(pid)) process.kill(-pid, 'SIGKILL');
});

test('the watcher inherits only its pipe, and has no tag', async () => {
  processWatcher.ensureRunning(spawn);
  const pid = await waitForWatcher();
  // Node passes on descriptors above 15 that were open when it was started.
  const descriptors = readDescriptors(pid).filter(([fd]) => fd <= 15);
  expect(descriptors).toEqual([
    [0, expect.stringMatching(/^(socket|pipe):/)],
    [1, '/dev/null'],
    [2, '/dev/null'],
  ]);
  expect(readlinkSync(`/proc/${pid}/cwd`)).toBe('/');
  expect(Object.keys(readEnvironment(pid)).filter((name) => name.startsWith('PARLEY_'))).toEqual([]);
});

test('only one watcher is started, and it ignores SIGHUP, SIGINT and SIGTERM', async () => {
  processWatcher.ensureRunning(spawn);
  processWatcher.ensureRunning(spawn);
  const victim = startUnrelated();
  processWatcher.addRunning(victim.pid);
  const pid = await waitForWatcher();
  for (const name of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const) process.kill(pid, name);
  processWatcher.close();
  expect(await victim.exit).toEqual([null, 'SIGKILL']);
});

test('kills running groups and leftovers of finished leaders, but not removed groups', async () => {
  processWatcher.ensureRunning(spawn);
  const [removed, running, other] = [startUnrelated(), startUnrelated(), startUnrelated()];
  const finished = startUnrelated('sleep 600 >/dev/null & echo $!');
  const [output] = await once(finished.child.stdout, 'data');
  const [background] = parseNumbers(String(output));
  await finished.exit;
  for (const each of [removed, running, finished]) processWatcher.addRunning(each.pid);
  processWatcher.addFinished(finished.pid);
  processWatcher.remove(removed.pid);
  // As if the leader had finished and its pid was reused by an unrelated process.
  processWatcher.addFinished(other.pid);
  processWatcher.close();
  expect(await running.exit).toEqual([null, 'SIGKILL']);
  await waitUntil(() => !isAlive(background!));
  await waitUntil(() => findWatchers(tree).length === 0);
  expect([removed.pid, other.pid].map(isAlive)).toEqual([true, true]);
});

test('kills tagged processes that were never listed, and not those with another tag', async () => {
  processWatcher.ensureRunning(spawn);
  const tagged = startUnrelated('exec setsid sleep 600', { PARLEY_PROCESS_TREE: tree, PATH: process.env.PATH });
  const otherTag = startUnrelated('exec sleep 600', { PARLEY_PROCESS_TREE: `${tree}-0`, PATH: process.env.PATH });
  // setsid leaves the group and continues with another pid.
  await tagged.exit;
  await waitUntil(() => findProcesses(`PARLEY_PROCESS_TREE=${tree}\0`, 'environ').length === 1);
  processWatcher.close();
  await waitUntil(() => findProcesses(`PARLEY_PROCESS_TREE=${tree}\0`, 'environ').length === 0);
  await waitUntil(() => findWatchers(tree).length === 0);
  expect(isAlive(otherTag.pid)).toBe(true);
});

test('a killed watcher is replaced at the next spawn, and the new one gets the old groups', async () => {
  const processes = createProcesses({ ids: createIds() });
  const first = await startShell(processes, 'printf $PARLEY_PROCESS_TREE; exec env -i sleep 600');
  await waitUntil(() => first.output.stdout.length === 36);
  await waitUntil(() => findWatchers(first.output.stdout).length === 1);
  const [old] = findWatchers(first.output.stdout);
  process.kill(old!, 'SIGKILL');
  await waitUntil(async () => {
    await (await startShell(processes, 'true')).finished;
    return findWatchers(first.output.stdout).some((pid) => pid !== old);
  });
  await processes.close();
  await waitUntil(() => findWatchers(first.output.stdout).length === 0);
  await waitUntil(() => !isAlive(first.pid));
});

test('sends each change of the list once', async () => {
  const lines: string[] = [];
  const recording = ((...args: Parameters<typeof spawn>) => {
    const child = spawn(...args);
    const write = child.stdin!.write.bind(child.stdin!);
    child.stdin!.write = (chunk: string) => {
      lines.push(chunk);
      return write(chunk);
    };
    return child;
  }) as typeof spawn;
  processWatcher.ensureRunning(recording);
  const leader = startUnrelated();
  processWatcher.addRunning(leader.pid);
  processWatcher.addFinished(leader.pid);
  processWatcher.remove(leader.pid);
  processWatcher.remove(leader.pid);
  expect(lines).toEqual([`+${leader.pid}\n`, `=${leader.pid}\n`, `-${leader.pid}\n`]);
});

test('a reused pid is not taken for the group of a finished leader', async () => {
  const living = startUnrelated();
  expect(hasLeftovers(living.pid)).toBe(false);
  killLeftovers(living.pid);
  expect(isAlive(living.pid)).toBe(true);
});

function readDescriptors(pid: number): [number, string][] {
  return readdirSync(`/proc/${pid}/fd`).map((fd) => [Number(fd), readlinkSync(`/proc/${pid}/fd/${fd}`)]);
}

/** Whether the process ignores these signals, according to /proc. */
function ignores(pid: number, signals: number[]): boolean {
  const mask = BigInt(`0x${/SigIgn:\s*(\w+)/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? 0}`);
  return signals.every((signal) => (mask >> BigInt(signal - 1)) & 1n);
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createIds } from '../../../src/app/system-ports/ids.ts';
import { hasLeftovers, killLeftovers } from '../../../src/app/system-ports/process-tree.ts';
import { createProcessWatch } from '../../../src/app/system-ports/process-watch.ts';
import { createProcesses } from '../../../src/app/system-ports/processes.ts';
import { environmentOf, isAlive, numbers, processesWith, shell } from '../../support/processes.ts';
import { until } from '../../support/until.ts';

const tree = createIds().uuid();
const watcherOf = (of: string) => processesWith(`PARLEY_PROCESS_TREE=${of}`, 'cmdline');

/** Something that belongs to nobody's tree: leader of its own group. */
const strangers: number[] = [];
function stranger(script = 'exec sleep 600', env: NodeJS.ProcessEnv = {}) {
  const child = spawn('/bin/sh', ['-c', script], { detached: true, stdio: ['ignore', 'pipe', 'ignore'], env });
  strangers.push(child.pid!);
  return { pid: child.pid!, exit: once(child, 'exit'), child };
}

/** The number of the only watcher, once its shell has got as far as its traps: before that it opens files to load itself. */
async function watcher(): Promise<number> {
  await until(() => watcherOf(tree).length === 1 && ignores(watcherOf(tree)[0]!, [1, 2, 15]));
  return watcherOf(tree)[0]!;
}

let watch: ReturnType<typeof createProcessWatch>;
beforeEach(() => {
  watch = createProcessWatch(tree);
});
afterEach(async () => {
  watch.close();
  await until(() => watcherOf(tree).length === 0);
  for (const pid of strangers.splice(0)) if (isAlive(pid)) process.kill(-pid, 'SIGKILL');
});

test('the watcher holds nothing of ours but its pipe, and bears no tag', async () => {
  watch.ready(spawn);
  const pid = await watcher();
  // Node itself passes on what was open above 15 when it was started.
  const held = descriptorsOf(pid).filter(([fd]) => fd <= 15);
  expect(held).toEqual([
    [0, expect.stringMatching(/^(socket|pipe):/)],
    [1, '/dev/null'],
    [2, '/dev/null'],
  ]);
  expect(readlinkSync(`/proc/${pid}/cwd`)).toBe('/');
  expect(Object.keys(environmentOf(pid)).filter((name) => name.startsWith('PARLEY_'))).toEqual([]);
});

test('there is one watcher, however often it is asked for, and it heeds no polite signal', async () => {
  watch.ready(spawn);
  watch.ready(spawn);
  const victim = stranger();
  watch.add(victim.pid);
  const pid = await watcher();
  for (const name of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const) process.kill(pid, name);
  watch.close();
  expect(await victim.exit).toEqual([null, 'SIGKILL']);
});

test('a group that was forgotten is spared; one that runs or was kept is ended', async () => {
  watch.ready(spawn);
  const [forgotten, running, other] = [stranger(), stranger(), stranger()];
  const kept = stranger('sleep 600 >/dev/null & echo $!');
  const [said] = await once(kept.child.stdout, 'data');
  const [background] = numbers(String(said));
  await kept.exit;
  for (const each of [forgotten, running, kept]) watch.add(each.pid);
  watch.keep(kept.pid);
  watch.forget(forgotten.pid);
  // As if the leader had finished and its number had gone to a stranger that lives.
  watch.keep(other.pid);
  watch.close();
  expect(await running.exit).toEqual([null, 'SIGKILL']);
  await until(() => !isAlive(background!));
  await until(() => watcherOf(tree).length === 0);
  expect([forgotten.pid, other.pid].map(isAlive)).toEqual([true, true]);
});

test('what bears the tag is ended though it was never listed, and what bears another is not', async () => {
  watch.ready(spawn);
  const ours = stranger('exec setsid sleep 600', { PARLEY_PROCESS_TREE: tree, PATH: process.env.PATH });
  const theirs = stranger('exec sleep 600', { PARLEY_PROCESS_TREE: `${tree}-0`, PATH: process.env.PATH });
  // It leaves its group and goes on under another number.
  await ours.exit;
  await until(() => processesWith(`PARLEY_PROCESS_TREE=${tree}\0`, 'environ').length === 1);
  watch.close();
  await until(() => processesWith(`PARLEY_PROCESS_TREE=${tree}\0`, 'environ').length === 0);
  await until(() => watcherOf(tree).length === 0);
  expect(isAlive(theirs.pid)).toBe(true);
});

test('a watcher that was killed is replaced at the next child, and the new one knows the old groups', async () => {
  const processes = createProcesses({ ids: createIds() });
  const first = await shell(processes, 'printf $PARLEY_PROCESS_TREE; exec env -i sleep 600');
  await until(() => first.written.stdout.length === 36);
  await until(() => watcherOf(first.written.stdout).length === 1);
  const [old] = watcherOf(first.written.stdout);
  process.kill(old!, 'SIGKILL');
  await until(async () => {
    await (await shell(processes, 'true')).finished;
    return watcherOf(first.written.stdout).some((pid) => pid !== old);
  });
  await processes.close();
  await until(() => watcherOf(first.written.stdout).length === 0);
  await until(() => !isAlive(first.pid));
});

test('the list holds what runs or was left, and nothing else', async () => {
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
  watch.ready(recording);
  const leader = stranger();
  watch.add(leader.pid);
  watch.keep(leader.pid);
  watch.forget(leader.pid);
  watch.forget(leader.pid);
  expect(lines).toEqual([`+${leader.pid}\n`, `=${leader.pid}\n`, `-${leader.pid}\n`]);
});

test('a number that went to a stranger is not taken for the group of a leader that finished', async () => {
  const living = stranger();
  expect(hasLeftovers(living.pid)).toBe(false);
  killLeftovers(living.pid);
  expect(isAlive(living.pid)).toBe(true);
});

function descriptorsOf(pid: number): [number, string][] {
  return readdirSync(`/proc/${pid}/fd`).map((fd) => [Number(fd), readlinkSync(`/proc/${pid}/fd/${fd}`)]);
}

/** Whether the process ignores these signals, by the mask that the kernel shows. */
function ignores(pid: number, signals: number[]): boolean {
  const mask = BigInt(`0x${/SigIgn:\s*(\w+)/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? 0}`);
  return signals.every((signal) => (mask >> BigInt(signal - 1)) & 1n);
}

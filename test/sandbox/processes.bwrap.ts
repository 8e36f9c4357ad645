// What remains of a sandboxed command: processes, placeholders and the private directory. With the built program.
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findProcesses } from '../support/processes.ts';
import { waitUntil } from '../support/wait-until.ts';
import {
  becomeUnprivileged,
  createMachine,
  listPrivateDirectories,
  type Machine,
  startHost,
  startSandboxed,
} from './sandboxed-program.ts';

/** The time in which all processes of a killed command must end. */
const MAX_END_MS = 3000;

/** Processes in other sessions and process groups, without a parent, and some that ignore signals. `up` is created when all run. */
function createStubbornCommand(mark: string): string {
  const sleeper = `exec -a ${mark} sleep 1000`;
  return [
    `(${sleeper}) &`,
    `setsid bash -c '${sleeper}' &`,
    `setsid -f bash -c '(setsid -f bash -c "${sleeper}")'`,
    `nohup bash -c '${sleeper}' >/dev/null 2>&1 &`,
    `env -i setsid -f /bin/bash -c '${sleeper}' </dev/null >/dev/null 2>&1`,
    `bash -c 'trap "" HUP INT TERM; touch up; while true; do sleep 1; done' ${mark} &`,
    'wait',
  ].join('\n');
}

async function startStubborn({ cwd }: Machine, start: (command: string) => void): Promise<string> {
  const mark = `mark-${randomUUID()}`;
  start(createStubbornCommand(mark));
  await waitUntil(() => existsSync(join(cwd, 'up')) && findProcesses(`${mark}\u00001000`, 'cmdline').length === 5);
  return mark;
}

const hasEnded = (mark: string) => waitUntil(() => findProcesses(mark, 'cmdline').length === 0, MAX_END_MS);
const listNames = ({ cwd }: Machine) => readdirSync(cwd).sort();

describe('all processes of a command end', () => {
  test('when the agent is killed; the next command removes what was left behind', async () => {
    const machine = createMachine();
    const killed = startHost(machine);
    const mark = await startStubborn(machine, (command) => killed.program.send({ id: 'b', type: 'bash', command }));
    expect(listNames(machine)).toContain('.vscode');
    killed.program.kill('SIGKILL');
    await killed.program.exited;
    await hasEnded(mark);
    const [left] = listPrivateDirectories(machine);
    const next = startHost(machine);
    expect(await next.run('echo x > /tmp/x; ls /tmp')).toMatchObject({ exitCode: 0, output: 'x\n' });
    expect(listPrivateDirectories(machine)).not.toContain(left);
    await next.close();
    expect(listNames(machine)).toEqual(['up']);
    expect(listPrivateDirectories(machine)).toEqual([]);
  });

  test('when the host aborts it', async () => {
    const machine = createMachine();
    const { program } = startHost(machine);
    const mark = await startStubborn(machine, (command) => program.send({ id: 'b', type: 'bash', command }));
    await program.call({ type: 'abort_bash' });
    await hasEnded(mark);
    await waitUntil(() => listNames(machine).join() === 'up');
  });

  test('when the run of the model is aborted', async () => {
    const machine = createMachine();
    const { program } = startHost(machine, ['--model', 'parley/offline']);
    const mark = await startStubborn(machine, (command) => {
      writeFileSync(join(machine.cwd, 'stubborn.sh'), command);
      program.send({ type: 'prompt', message: 'run `bash stubborn.sh`' });
    });
    await program.call({ type: 'abort' });
    await hasEnded(mark);
  });

  test('when its time is over', async () => {
    const machine = createMachine();
    const { program } = startHost(machine, ['--model', 'parley/offline', '--set', 'bash.timeout=5']);
    const mark = `mark-${randomUUID()}`;
    writeFileSync(join(machine.cwd, 'stubborn.sh'), createStubbornCommand(mark));
    program.send({ type: 'prompt', message: 'run `bash stubborn.sh`' });
    const { result } = await program.nextFrame({ type: 'tool_execution_end' });
    expect(JSON.stringify(result)).toContain('timed out after 5 seconds');
    expect(listNames(machine)).toContain('up');
    await hasEnded(mark);
  });

  test('when its first process ends', async () => {
    const machine = createMachine();
    const { run } = startHost(machine);
    const mark = `mark-${randomUUID()}`;
    await run(`setsid -f bash -c 'exec -a ${mark} sleep 1000' >/dev/null 2>&1; true`);
    await hasEnded(mark);
  });
});

test('exit codes and signals are passed on', async () => {
  const { run } = startHost(createMachine());
  const expected = { 'exit 7': 7, 'kill -9 $$': 137, 'kill -TERM $$': 143, '/does/not/exist': 127, true: 0 };
  const codes: Record<string, number> = {};
  for (const command of Object.keys(expected)) codes[command] = (await run(command)).exitCode;
  expect(codes).toEqual(expected);
});

describe('the private directory is removed', () => {
  const LEAVE_FILES =
    'mkdir -p /tmp/a/b && touch /tmp/a/b/c && chmod 0 /tmp/a/b && chmod 555 /tmp/a && ln -s / /tmp/root';

  test.each(['root or the user of the tests', 'unprivileged'])('at the end of print mode, %s', async (user) => {
    const machine = createMachine();
    const prefix = user === 'unprivileged' ? becomeUnprivileged(machine) : [];
    const args = ['--sandbox', 'workspace-write', '--model', 'parley/offline', '-p', `run \`${LEAVE_FILES}; ls /tmp\``];
    const program = startSandboxed(machine, args, { prefix });
    program.stdin.end();
    const { stdout, code } = await program.exited;
    expect([stdout, code]).toEqual([expect.stringContaining('a\nroot'), 0]);
    expect(listPrivateDirectories(machine)).toEqual([]);
    expect(listNames(machine)).toEqual([]);
  });

  test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('after %s', async (signal) => {
    const machine = createMachine();
    const { run, program } = startHost(machine);
    await run(LEAVE_FILES);
    expect(listPrivateDirectories(machine)).toHaveLength(1);
    program.kill(signal);
    await program.exited;
    expect(listPrivateDirectories(machine)).toEqual([]);
  });
});

test('a writable directory that contains the private directories is refused', async () => {
  const machine = createMachine();
  for (const roots of [[machine.base], [machine.temporary]]) {
    const { run } = startHost(machine, ['--set', `sandbox.writableRoots=${JSON.stringify(roots)}`]);
    await expect(run('touch ran')).rejects.toThrow(/keeps its own files in .*TMPDIR/);
  }
  expect(listNames(machine)).toEqual([]);
});

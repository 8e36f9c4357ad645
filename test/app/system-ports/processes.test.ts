import { afterEach, beforeEach, expect, test } from 'vitest';
import { createIds } from '../../../src/app/system-ports/ids.ts';
import { createProcesses } from '../../../src/app/system-ports/processes.ts';
import { createDeferred } from '../../../src/base/index.ts';
import { findProcesses, isAlive, parseNumbers, startShell } from '../../support/processes.ts';
import { waitUntil } from '../../support/wait-until.ts';

let processes: ReturnType<typeof createProcesses>;
beforeEach(() => {
  processes = createProcesses({ ids: createIds() });
});
afterEach(() => processes.close());

const defaults = { args: [], env: {}, onOutput: () => {} };

test('returns the complete output of both streams and the exit code', async () => {
  const child = await startShell(
    processes,
    `printf out; printf err >&2; head -c 300000 /dev/zero | tr '\\0' x; exit 7`,
  );
  expect(await child.finished).toEqual({ code: 7, signal: null });
  expect(child.output.stdout).toBe(`out${'x'.repeat(300_000)}`);
  expect(child.output.stderr).toBe('err');
});

test('a child can write to a further pipe, also just before it exits', async () => {
  let info = '';
  const onInfo = (chunk: Uint8Array) => {
    info += Buffer.from(chunk).toString('latin1');
  };
  const args = ['-c', 'printf a >&3; printf b >&3; kill -9 $$'];
  const child = await processes.spawn({ ...defaults, command: '/bin/sh', args, cwd: '/', onInfo });
  expect(await child.finished).toEqual({ code: null, signal: 'SIGKILL' });
  expect(info).toBe('ab');
});

test('a background process that keeps the further pipe open does not delay the end', async () => {
  const args = ['-c', 'sleep 100 >/dev/null 2>&1 & printf a >&3'];
  const child = await processes.spawn({ ...defaults, command: '/bin/sh', args, cwd: '/', onInfo: () => {} });
  expect(await child.finished).toEqual({ code: 0, signal: null });
});

test('a slow consumer pauses the child, and still gets all output', async () => {
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  let [chunkCount, bytes] = [0, 0];
  const child = await processes.spawn({
    command: '/bin/sh',
    // More bytes than a pipe and its reader can buffer.
    args: ['-c', 'head -c 3000000 /dev/zero'],
    cwd: '/',
    env: { PATH: process.env.PATH ?? '' },
    onOutput(chunk) {
      chunkCount += 1;
      bytes += chunk.length;
      return chunkCount === 1 ? gate : undefined;
    },
  });
  await waitUntil(() => chunkCount > 0);
  // Longer than the pause after which the output is considered complete.
  const deadline = Date.now() + 400;
  await waitUntil(() => Date.now() > deadline);
  expect([chunkCount, isAlive(child.pid)]).toEqual([1, true]);
  open();
  expect(await child.finished).toEqual({ code: 0, signal: null });
  expect(bytes).toBe(3_000_000);
});

test.each([
  ['nothing', ''],
  ['a silent process', 'sleep 600 &'],
])('after a child has exited and left %s, a slow consumer still gets all output', async (_, background) => {
  const gate = createDeferred();
  let [bytes, done] = [0, false];
  const child = await processes.spawn({
    command: '/bin/sh',
    args: ['-c', `${background} head -c 150000 /dev/zero`],
    cwd: '/',
    env: { PATH: process.env.PATH ?? '' },
    onOutput(chunk) {
      bytes += chunk.length;
      return gate.promise;
    },
  });
  void child.finished.then(() => {
    done = true;
  });
  await waitUntil(() => bytes > 0 && !isAlive(child.pid));
  // Several times the pause after which the output is considered complete.
  const deadline = Date.now() + 400;
  await waitUntil(() => Date.now() > deadline);
  expect(done).toBe(false);
  gate.resolve();
  await child.finished;
  expect(bytes).toBe(150_000);
});

test('returns the signal that killed the child', async () => {
  const child = await startShell(processes, 'kill -TERM $$');
  expect(await child.finished).toEqual({ code: null, signal: 'SIGTERM' });
});

test('a child has an empty stdin, its own process group and only the given environment', async () => {
  process.env.PARLEY_TEST_STRAY = 'stray';
  try {
    const child = await startShell(processes, 'cat; cut -d" " -f5 /proc/$$/stat; env');
    await child.finished;
    const [group, ...env] = child.output.stdout.trim().split('\n');
    expect(Number(group)).toBe(child.pid);
    const names = env
      .map((line) => line.split('=')[0])
      .filter((name) => !['PWD', 'OLDPWD', '_', 'SHLVL'].includes(name!));
    expect(names.sort()).toEqual(['PARLEY_PROCESS_CALL', 'PARLEY_PROCESS_TREE', 'PATH']);
  } finally {
    delete process.env.PARLEY_TEST_STRAY;
  }
});

test.each([
  ['a missing command', { command: '/no/such/tool', cwd: '/' }, 'Cannot start /no/such/tool: no such command'],
  ['a directory as command', { command: '/tmp', cwd: '/' }, 'Cannot start /tmp: permission denied'],
  [
    'a missing directory',
    { command: 'true', cwd: '/no/such/place' },
    'working directory /no/such/place does not exist',
  ],
  ['a file as directory', { command: 'true', cwd: '/etc/passwd' }, 'working directory /etc/passwd is not a directory'],
  ['a command with a NUL', { command: 'tr\0ue', cwd: '/' }, /^Cannot start tr\0ue: /],
  [
    'arguments that are too long',
    { command: 'true', cwd: '/', args: ['x'.repeat(4e6)] },
    /^Cannot start true: .*E2BIG/,
  ],
])('%s is refused with an error message', async (_, request, message) => {
  await expect(processes.spawn({ ...defaults, ...request })).rejects.toMatchObject({
    name: 'Fault',
    code: 'tool_failed',
    message: typeof message === 'string' ? expect.stringContaining(message) : expect.stringMatching(message),
  });
});

test.each([
  ['silent', 'sleep 600 &'],
  ['silent in its own session', 'setsid sleep 600 &'],
  ['on stderr only', 'sleep 600 >/dev/null &'],
  ['on stdout only', 'sleep 600 2>/dev/null &'],
  ['disowned', 'nohup sleep 600 </dev/null &'],
  ['in a subshell of a subshell', '( (sleep 600 &) & ) &'],
])(
  'a background child that keeps the pipes open (%s) does not delay the result, and runs until killAll()',
  async (_, holder) => {
    const child = await startShell(
      processes,
      `${holder} head -c 100000 /dev/zero | tr '\\0' x; printf $PARLEY_PROCESS_TREE >&2`,
    );
    expect(await child.finished).toEqual({ code: 0, signal: null });
    expect(child.output.stdout).toHaveLength(100_000);
    const tree = child.output.stderr.slice(-36);
    await waitUntil(() => findProcesses(tree, 'environ').length === 1);
    await processes.killAll();
    await waitUntil(() => findProcesses(tree, 'environ').length === 0);
  },
);

test.each([
  ['without a pause', 'yes'],
  ['without a pause, on stderr', 'yes >&2'],
  ['without a pause, in its own session', 'setsid yes'],
  ['now and then', 'while :; do echo y; sleep 0.02; done'],
])(
  'a background child that writes endlessly (%s) does not delay the result, and its output ends with the call',
  async (_, writer) => {
    let bytes = 0;
    let call = '';
    const { finished } = await processes.spawn({
      command: '/bin/sh',
      args: ['-c', `printf "$PARLEY_PROCESS_CALL\\n"; (${writer}) & exit 3`],
      cwd: '/',
      env: { PATH: process.env.PATH ?? '' },
      onOutput(chunk, stream) {
        if (stream === 'stdout') call ||= Buffer.from(chunk).toString('latin1', 0, 36);
        bytes += chunk.length;
      },
    });
    expect(await finished).toEqual({ code: 3, signal: null });
    const bytesAtEnd = bytes;
    // The pipe is closed, so the next write kills the writer.
    await waitUntil(() => findProcesses(call, 'environ').length === 0);
    expect(bytes).toBe(bytesAtEnd);
  },
);

/** Starts itself recursively. Every level prints its pid and waits. */
const DEEP = 'echo $$; if [ $1 -gt 1 ]; then sh -c "$2" sh $(($1 - 1)) "$2" & fi; sleep 600 & wait';

test('kill() ends a process tree of depth five', async () => {
  const child = await startShell(processes, DEEP, '5', DEEP);
  await waitUntil(() => parseNumbers(child.output.stdout).length === 5);
  const pids = parseNumbers(child.output.stdout);
  child.kill();
  expect(await child.finished).toEqual({ code: null, signal: 'SIGKILL' });
  await waitUntil(() => !pids.some(isAlive));
});

test('kill() also ends processes that left the group, but none of another call', async () => {
  const printIds = 'printf "$PARLEY_PROCESS_CALL $$ "; exec sleep 600';
  const escaping = await startShell(processes, `setsid sh -c '${printIds}' & setsid setsid sh -c '${printIds}' & wait`);
  const other = await startShell(processes, `setsid sh -c '${printIds}' & wait`);
  await waitUntil(() => escaping.output.stdout.split(' ').length === 5 && other.output.stdout.split(' ').length === 3);
  const [call, first, , second] = escaping.output.stdout.split(' ');
  // The shell and its two children. Intermediate processes may still be exiting.
  await waitUntil(() => findProcesses(call!, 'environ').length === 3);
  escaping.kill();
  await waitUntil(() => findProcesses(call!, 'environ').length === 0);
  await waitUntil(() => ![Number(first), Number(second)].some(isAlive));
  expect(isAlive(Number(other.output.stdout.split(' ')[1]))).toBe(true);
});

test('kill() after the exit still ends background processes, also without a tag', async () => {
  const child = await startShell(processes, 'env -i sleep 600 & echo $!');
  await child.finished;
  const [background] = parseNumbers(child.output.stdout);
  expect(isAlive(background!)).toBe(true);
  child.kill();
  await waitUntil(() => !isAlive(background!));
});

test('killAll() ends running commands, processes that left their group, and background processes', async () => {
  const running = await startShell(processes, DEEP, '2', DEEP);
  const escaped = await startShell(processes, 'setsid sleep 600 & printf $PARLEY_PROCESS_TREE; wait');
  const finished = await startShell(processes, 'env -i sleep 600 & echo $!');
  await finished.finished;
  await waitUntil(() => parseNumbers(running.output.stdout).length === 2 && escaped.output.stdout.length === 36);
  await processes.killAll();
  await waitUntil(() => findProcesses(escaped.output.stdout, 'environ').length === 0);
  await waitUntil(
    () => ![...parseNumbers(running.output.stdout), ...parseNumbers(finished.output.stdout)].some(isAlive),
  );
  await Promise.all([running.finished, escaped.finished]);
});

test('spawn() after close() fails', async () => {
  await processes.close();
  await expect(startShell(processes, 'true')).rejects.toMatchObject({
    code: 'aborted',
    message: 'Cannot start /bin/sh: the agent is shutting down',
  });
});

test('a hundred concurrent commands each return their own exit code', async () => {
  const codes = await Promise.all(
    Array.from({ length: 100 }, async (_, i) => (await (await startShell(processes, `exit ${i}`)).finished).code),
  );
  expect(codes).toEqual(Array.from({ length: 100 }, (_, i) => i));
});

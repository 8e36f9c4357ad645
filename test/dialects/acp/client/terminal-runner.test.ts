// Commands in a terminal of the client: output, exit status, kill and release.
import { expect, test } from 'vitest';
import { createFakeClock } from '../../../../src/testing/fake-clock.ts';
import { FakeClient, settle } from './fake-client.ts';

const CREATE = 'terminal/create';
const WAIT = 'terminal/wait_for_exit';
const OUTPUT = 'terminal/output';
const KILL = 'terminal/kill';
const RELEASE = 'terminal/release';

function start(client = new FakeClient({ terminal: true })) {
  const clock = createFakeClock();
  const runner = client.services.createTerminalRunner?.({ toolCallId: 'call-1', shell: '/bin/bash', clock });
  if (!runner) throw new Error('The client offers no terminals');
  const controller = new AbortController();
  const chunks: Uint8Array[] = [];
  const result = runner({
    command: 'npm test',
    cwd: '/project',
    signal: controller.signal,
    onOutput: (chunk) => chunks.push(chunk),
  });
  result.catch(() => {});
  return {
    ...{ client, clock, result },
    abort: () => controller.abort(),
    output: () => Buffer.concat(chunks).toString(),
    async respond(method: string, value: unknown) {
      client.respond(method, value);
      await settle();
    },
    async refuse(method: string) {
      client.refuse(method);
      await settle();
    },
  };
}

/** A run whose terminal was created. */
async function startCreated() {
  const run = start();
  await run.respond(CREATE, { terminalId: 'term-1' });
  return run;
}

test('clients without terminals have no runner', () => {
  expect(new FakeClient({}).services.createTerminalRunner).toBe(undefined);
});

test('a command runs in the shell with an empty standard input', async () => {
  const { client } = start();
  expect(client.last.params).toEqual({
    sessionId: 'session-1',
    command: '/bin/bash',
    args: ['-c', 'exec </dev/null\nnpm test'],
    env: [
      { name: 'PAGER', value: 'cat' },
      { name: 'GIT_PAGER', value: 'cat' },
    ],
    cwd: '/project',
    outputByteLimit: 1024 * 1024,
  });
});

test('returns output and exit code, and releases the terminal', async () => {
  const run = await startCreated();
  expect(run.client.terminals).toEqual(['session-1 call-1 term-1']);
  await run.respond(WAIT, { exitCode: 3, signal: null });
  await run.respond(OUTPUT, { output: 'two tests failed\n', truncated: false });
  expect(await run.result).toEqual({ exitCode: 3, signal: null, isStartMissing: false });
  expect(run.output()).toBe('two tests failed\n');
  expect(run.client.methods).toEqual([CREATE, WAIT, OUTPUT, RELEASE]);
  for (const { params } of run.client.received.slice(1)) {
    expect(params).toEqual({ sessionId: 'session-1', terminalId: 'term-1' });
  }
});

test('truncated output is reported', async () => {
  const run = await startCreated();
  await run.respond(WAIT, { exitCode: 0 });
  await run.respond(OUTPUT, { output: 'end', truncated: true });
  expect(await run.result).toEqual({ exitCode: 0, signal: null, isStartMissing: true });
});

test.each([
  [{ signal: 'SIGKILL' }, { exitCode: null, signal: 'SIGKILL' }],
  [
    { exitCode: null, signal: 'term' },
    { exitCode: null, signal: 'SIGTERM' },
  ],
  [{ exitCode: 'x' }, { exitCode: null, signal: null }],
  [{}, { exitCode: null, signal: null }],
])('the exit status %j', async (status, expected) => {
  const run = await startCreated();
  await run.respond(WAIT, status);
  await run.respond(OUTPUT, { output: '', truncated: false });
  expect(await run.result).toEqual({ ...expected, isStartMissing: false });
});

test('the exit status of terminal/output is used when wait_for_exit fails', async () => {
  const run = await startCreated();
  await run.refuse(WAIT);
  await run.respond(OUTPUT, { output: 'done', truncated: false, exitStatus: { exitCode: 0, signal: null } });
  expect(await run.result).toMatchObject({ exitCode: 0 });
  expect(run.client.methods).toEqual([CREATE, WAIT, OUTPUT, RELEASE]);
});

test('a refused terminal resolves to undefined: nothing was run', async () => {
  const run = start();
  await run.refuse(CREATE);
  expect(await run.result).toBe(undefined);
  expect(run.client.methods).toEqual([CREATE]);
});

test('a denied terminal is a failure: the command must not run elsewhere', async () => {
  const run = start();
  run.client.refuse(CREATE, 'Permission denied for terminal/create');
  await expect(run.result).rejects.toMatchObject({ code: 'refused' });
  expect(run.client.methods).toEqual([CREATE]);
});

test.each([null, {}, { terminalId: 7 }])(
  'the create result %j is a failure: the command may be running',
  async (result) => {
    const run = start();
    await run.respond(CREATE, result);
    await expect(run.result).rejects.toThrow('no terminalId');
  },
);

test('a terminal that fails later is killed and released', async () => {
  const run = await startCreated();
  await run.respond(WAIT, null);
  await run.respond(OUTPUT, { output: 'some output', truncated: false });
  await run.refuse(KILL);
  await expect(run.result).rejects.toThrow('The terminal of the client failed: The client returned no exit status.');
  expect(run.output()).toBe('some output');
  expect(run.client.methods).toEqual([CREATE, WAIT, OUTPUT, KILL, RELEASE]);
});

test.each([null, { output: 7 }])('the output %j is reported as missing', async (result) => {
  const run = await startCreated();
  await run.respond(WAIT, { exitCode: 0 });
  await run.respond(OUTPUT, result);
  expect(await run.result).toMatchObject({ exitCode: 0 });
  expect(run.output()).toBe('[The client did not return the output of the terminal]\n');
  expect(run.client.methods).toEqual([CREATE, WAIT, OUTPUT, RELEASE]);
});

test('an output that never comes is waited for at most five seconds', async () => {
  const run = await startCreated();
  await run.respond(WAIT, { exitCode: 0 });
  await run.clock.advance(5000);
  await settle();
  expect(await run.result).toMatchObject({ exitCode: 0 });
  expect(run.client.methods).toEqual([CREATE, WAIT, OUTPUT, '$/cancel_request', RELEASE]);
});

test('an abort kills the command and still reads its output', async () => {
  const run = await startCreated();
  run.abort();
  await settle();
  expect(run.client.methods).toEqual([CREATE, WAIT, '$/cancel_request', KILL]);
  await run.respond(KILL, {});
  await run.respond(OUTPUT, { output: 'so far', truncated: false });
  expect(await run.result).toMatchObject({ exitCode: null });
  expect(run.output()).toBe('so far');
  expect(run.client.last.method).toBe(RELEASE);
});

test('a client that answers no kill still gets the release', async () => {
  const run = await startCreated();
  run.abort();
  await settle();
  await run.clock.advance(5000);
  await settle();
  await run.clock.advance(5000);
  await settle();
  await run.result;
  expect(run.client.last.method).toBe(RELEASE);
});

test('a terminal that is created after an abort is killed and released', async () => {
  const run = start();
  run.abort();
  await expect(run.result).rejects.toMatchObject({ code: 'aborted' });
  expect(run.client.methods).toEqual([CREATE, '$/cancel_request']);
  await run.respond(CREATE, { terminalId: 'late' });
  await run.respond(KILL, {});
  expect(run.client.methods).toEqual([CREATE, '$/cancel_request', KILL, RELEASE]);
  expect(run.client.last.params).toEqual({ sessionId: 'session-1', terminalId: 'late' });
  expect(run.client.terminals).toEqual([]);
});

test('close while the terminal is being created is a failure: the command may have run', async () => {
  const run = start();
  run.client.connection.close();
  await expect(run.result).rejects.toThrow('The client has disconnected.');
});

test('close while the command runs is a failure', async () => {
  const run = await startCreated();
  run.client.connection.close();
  await expect(run.result).rejects.toThrow('The terminal of the client failed: The client has disconnected.');
});

test('after close there are no terminals, and a runner that exists runs nothing', async () => {
  const client = new FakeClient({ terminal: true });
  const { createTerminalRunner } = client.services;
  client.connection.close();
  expect(client.services.createTerminalRunner).toBe(undefined);
  const runner = createTerminalRunner?.({ toolCallId: 'a', shell: 'sh', clock: createFakeClock() });
  const { signal } = new AbortController();
  expect(await runner?.({ command: 'true', cwd: '/', signal, onOutput() {} })).toBe(undefined);
  expect(client.received).toEqual([]);
});

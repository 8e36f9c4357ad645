// The bash tool with a terminal of the host.
import { describe, expect, test } from 'vitest';
import type { RunInTerminal, TerminalOptions } from '../../src/contracts/index.ts';
import { bash } from '../../src/tools/bash.ts';
import { createCountingPorts, createToolFixture, expectFault, getText } from './tool-fixture.ts';

function createTerminalFixture(run: RunInTerminal) {
  const { ports, counts } = createCountingPorts();
  const created: TerminalOptions[] = [];
  const createTerminalRunner = (options: TerminalOptions) => {
    created.push(options);
    return run;
  };
  return { fixture: createToolFixture({ ports, hostServices: { createTerminalRunner } }), counts, created };
}

const encode = (text: string) => new TextEncoder().encode(text);

test('the output and the exit code are those of the terminal', async () => {
  const { fixture, counts, created } = createTerminalFixture(async ({ command, cwd, onOutput }) => {
    onOutput(encode(`\u001b[31mran ${command} in ${cwd}\u001b[0m\n`));
    return { exitCode: 0 };
  });
  expect(await bash.run({ command: 'npm test' }, fixture)).toEqual({
    content: [{ type: 'text', text: `ran npm test in ${fixture.cwd}\n` }],
  });
  expect(counts.spawned).toBe(0);
  expect(created).toMatchObject([{ toolCallId: 'call-1', shell: '/bin/bash' }]);
  // The user watches the terminal.
  expect(fixture.updates).toEqual([]);
});

test.each([
  [{ exitCode: 3 }, 'Command exited with code 3'],
  [{ exitCode: null, signal: 'SIGKILL' }, 'Command exited with code 137'],
  [{ exitCode: null, signal: 'SIGUNKNOWN' }, 'Command exited with code 128'],
  [{ exitCode: null }, 'Command exited with code 128'],
])('the end %j is an error', async (end, message) => {
  const { fixture } = createTerminalFixture(async () => end);
  expect((await expectFault(bash, { command: 'x' }, fixture)).message).toBe(`(no output)\n\n${message}`);
});

test('output without its beginning is reported', async () => {
  const { fixture } = createTerminalFixture(async ({ onOutput }) => {
    onOutput(encode('the end\n'));
    return { exitCode: 0, isStartMissing: true };
  });
  expect(getText(await bash.run({ command: 'x' }, fixture))).toBe(
    'the end\n\n\n[The terminal kept only the end of the output]',
  );
});

test('a command runs once in our own shell when the host creates no terminal', async () => {
  const { fixture, counts } = createTerminalFixture(async () => undefined);
  expect(getText(await bash.run({ command: 'echo own | tee -a log' }, fixture))).toBe('own\n');
  expect(fixture.readText('log')).toBe('own\n');
  expect(counts.spawned).toBe(1);
});

test('a terminal that fails is not replaced by our own shell', async () => {
  const { fixture, counts } = createTerminalFixture(async ({ onOutput }) => {
    onOutput(encode('so far\n'));
    throw new Error('The terminal of the client failed: gone');
  });
  const fault = await expectFault(bash, { command: 'touch a' }, fixture);
  expect([fault.code, fault.message]).toEqual(['tool_failed', 'so far\n\n\nThe terminal of the client failed: gone']);
  expect(counts.spawned).toBe(0);
});

describe('a command that does not end', () => {
  const runUntilAbort: RunInTerminal = ({ signal, onOutput }) =>
    new Promise((resolve) => {
      signal.addEventListener('abort', () => {
        onOutput(encode('so far\n'));
        resolve({ exitCode: null });
      });
    });

  test('ends with the abort', async () => {
    const { fixture, counts } = createTerminalFixture((request) => {
      queueMicrotask(() => fixture.abort());
      return runUntilAbort(request);
    });
    const fault = await expectFault(bash, { command: 'x' }, fixture);
    expect([fault.code, fault.message]).toEqual(['aborted', 'so far\n\n\nCommand aborted']);
    expect(counts.spawned).toBe(0);
  });

  test('ends with the timeout', async () => {
    const { fixture, counts } = createTerminalFixture(runUntilAbort);
    const fault = await expectFault(bash, { command: 'x', timeout: 0.01 }, fixture);
    expect([fault.code, fault.message]).toEqual(['timeout', 'so far\n\n\nCommand timed out after 0.01 seconds']);
    expect(counts.spawned).toBe(0);
  });

  test('is not run by our own shell when the host creates the terminal too late', async () => {
    const { fixture, counts } = createTerminalFixture(async (request) => {
      fixture.abort();
      await runUntilAbort(request).catch(() => {});
      return undefined;
    });
    expect((await expectFault(bash, { command: 'x' }, fixture)).code).toBe('aborted');
    expect(counts.spawned).toBe(0);
  });
});

// The bash tool: results, timeouts, aborts and long output.
import { existsSync, rmSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { ToolResult } from '../../src/contracts/index.ts';
import { bash } from '../../src/tools/bash.ts';
import { isAlive, parseNumbers } from '../support/processes.ts';
import { withTriggeredTimeout } from '../support/triggered-timeout.ts';
import { waitUntil } from '../support/wait-until.ts';
import {
  createCountingPorts,
  createToolFixture,
  expectFault,
  getText,
  ports,
  type ToolFixture,
} from './tool-fixture.ts';

const seq = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => `${from + i}\n`).join('');

describe('results', () => {
  test('a successful command returns its output without details', async () => {
    expect(await bash.run({ command: 'echo out; echo err >&2' }, createToolFixture())).toEqual({
      content: [{ type: 'text', text: expect.stringMatching(/^(out\nerr|err\nout)\n$/) }],
    });
  });

  test.each(['true', ':', 'cat', 'exec 1>&- 2>&-'])('%s has no output and ends immediately', async (command) => {
    expect(getText(await bash.run({ command }, createToolFixture()))).toBe('(no output)');
  });

  test.each([
    ['false', '(no output)\n\nCommand exited with code 1'],
    ['exit 7', '(no output)\n\nCommand exited with code 7'],
    ['echo hi; exit 3', 'hi\n\n\nCommand exited with code 3'],
    ['printf hi; exit 3', 'hi\n\nCommand exited with code 3'],
    ['no-such-program-fixture 2>/dev/null', '(no output)\n\nCommand exited with code 127'],
    ['kill -9 $$', '(no output)\n\nCommand exited with code 137'],
  ])('%s is an error', async (command, message) => {
    const fault = await expectFault(bash, { command }, createToolFixture());
    expect([fault.code, fault.message, fault.details]).toEqual(['tool_failed', message, undefined]);
  });

  test('runs in the working directory with the tool environment', async () => {
    const fixture = createToolFixture();
    expect(getText(await bash.run({ command: 'pwd' }, fixture))).toBe(`${fixture.cwd}\n`);
    const other = createToolFixture({
      ports: { ...fixture.ports, toolEnv: { PATH: process.env.PATH ?? '', COLOUR: 'green' } },
    });
    expect(getText(await bash.run({ command: 'echo $COLOUR$HOME' }, other))).toBe('green\n');
  });

  test('reports a missing working directory', async () => {
    const fixture = createToolFixture();
    rmSync(fixture.cwd, { recursive: true });
    expect((await expectFault(bash, { command: 'true' }, fixture)).message).toBe(
      `Working directory does not exist: ${fixture.cwd}\nCannot execute bash commands.`,
    );
  });

  test('uses the shell from the settings', async () => {
    const options = { shellPath: '/bin/sh', bashTimeout: undefined };
    expect(getText(await bash.run({ command: 'echo $0' }, createToolFixture({ options })))).toBe('/bin/sh\n');
    const missing = { shellPath: '/no/shell', bashTimeout: undefined };
    expect((await expectFault(bash, { command: 'true' }, createToolFixture({ options: missing }))).message).toBe(
      'Shell not found: /no/shell. Correct shellPath in the settings',
    );
  });

  test('reports a shell that cannot be started', async () => {
    expect((await expectFault(bash, { command: 'a\0b' }, createToolFixture())).message).toMatch(
      /^Cannot start \/bin\/bash: /,
    );
  });
});

describe('stopping', () => {
  test('a timeout stops the command and retains its output', async () => {
    const fault = await expectFault(bash, { command: 'echo start; sleep 600', timeout: 0.2 }, createToolFixture());
    expect([fault.code, fault.message]).toEqual(['timeout', 'start\n\n\nCommand timed out after 0.2 seconds']);
  });

  test('the timeout of the settings is the default', async () => {
    const fixture = createToolFixture({ options: { shellPath: undefined, bashTimeout: 0.1 } });
    expect((await expectFault(bash, { command: 'sleep 600' }, fixture)).message).toBe(
      'Command timed out after 0.1 seconds',
    );
    expect((await expectFault(bash, { command: 'sleep 600', timeout: 0.2 }, fixture)).message).toBe(
      'Command timed out after 0.2 seconds',
    );
  });

  test('a very long timeout does not fire immediately', async () => {
    expect(getText(await bash.run({ command: 'echo hi', timeout: 1e9 }, createToolFixture()))).toBe('hi\n');
  });

  /** The clock lets a 300 ms timeout fire only after the command has created the file `begun`. */
  const createTimeoutFixture = (): ToolFixture => {
    const fixture: ToolFixture = createToolFixture({
      ports: withTriggeredTimeout(ports, 300, () => existsSync(fixture.path('begun'))),
    });
    return fixture;
  };

  test('processes that left the process group are not waited for', async () => {
    const command =
      'setsid sleep 600 & setsid sh -c "trap \\"\\" TERM; sleep 600" & echo start; touch begun; sleep 600';
    const fault = await expectFault(bash, { command, timeout: 0.3 }, createTimeoutFixture());
    // A shell may still print that its children were killed.
    expect(fault.message).toMatch(/^start\n(Killed\n)*\n\nCommand timed out after 0\.3 seconds$/);
  });

  test('an abort stops the command and retains its output', async () => {
    const fixture = createToolFixture({ update: () => fixture.abort() });
    const fault = await expectFault(bash, { command: 'echo start; setsid sleep 600 & sleep 600' }, fixture);
    expect([fault.code, fault.message]).toEqual(['aborted', 'start\n\n\nCommand aborted']);
  });

  test('an abort before the start runs no command', async () => {
    const { ports, counts } = createCountingPorts();
    const fixture = createToolFixture({ ports });
    fixture.abort();
    expect((await expectFault(bash, { command: 'touch ran' }, fixture)).message).toBe('Command aborted');
    expect(counts.spawned).toBe(0);
  });

  test('all processes of a stopped command are killed', async () => {
    const command = 'echo $$; sleep 600 & echo $!; sleep 600 & echo $!; touch begun; wait';
    const fault = await expectFault(bash, { command, timeout: 0.3 }, createTimeoutFixture());
    const pids = parseNumbers(fault.message.split('\n\n')[0] ?? '');
    expect(pids).toHaveLength(3);
    await waitUntil(() => !pids.some(isAlive));
  });
});

describe('background processes do not delay the result', () => {
  test.each([
    ['silent', 'sleep 600 &'],
    ['in a new session', 'setsid sleep 600 &'],
    ['disowned', 'sleep 600 & disown;'],
    ['nohup', 'nohup sleep 600 &'],
    ['of a subshell', '(sleep 600 &);'],
    ['holding stderr only', 'sleep 600 >/dev/null &'],
    ['writing forever', '(while :; do echo x; done) &'],
    ['writing forever in a new session', 'setsid yes &'],
  ])('%s', async (_, background) => {
    const fixture = createToolFixture();
    const result = await bash.run({ command: `echo before; ${background} echo after` }, fixture);
    const artifact = await fixture.artifacts.find('0');
    const fullOutput = artifact ? Buffer.from(await fixture.ports.files.read(artifact)).toString() : getText(result);
    expect(fullOutput).toMatch(/^before\n/);
    expect(fullOutput).toMatch(/^after$/m);
  });

  test('all output before the exit is captured', async () => {
    const fixture = createToolFixture();
    const result = await bash.run({ command: 'sleep 600 & seq 1 100000' }, fixture);
    expect(result.details).toMatchObject({ truncation: { totalLines: 100_000, totalBytes: 588_895 } });
  });
});

describe('long output', () => {
  test('shows 2000 lines and saves all lines to an artifact', async () => {
    const fixture = createToolFixture();
    const result = await bash.run({ command: 'seq 1 3000' }, fixture);
    const path = `${fixture.artifactDirectory}/0.bash.log`;
    const content = seq(1001, 3000);
    expect(getText(result)).toBe(`${content}\n\n[Showing lines 1001-3000 of 3000. Full output: ${path}]`);
    expect(result.details).toEqual({
      truncation: {
        content,
        truncated: true,
        truncatedBy: 'lines',
        totalLines: 3000,
        totalBytes: seq(1, 3000).length,
        outputLines: 2000,
        outputBytes: content.length,
        lastLinePartial: false,
        firstLineExceedsLimit: false,
        maxLines: 2000,
        maxBytes: 51200,
      },
      artifactId: '0',
      fullOutputPath: path,
    });
    expect(Buffer.from(await fixture.ports.files.read(path)).toString()).toBe(seq(1, 3000));
    expect((await fixture.ports.files.info(path))?.mode).toBe(0o600);
  });

  test('shows 50 KiB of complete lines', async () => {
    const fixture = createToolFixture();
    const result = await bash.run({ command: `for i in $(seq 1 60); do printf '%1023s\\n' $i; done` }, fixture);
    expect(getText(result)).toMatch(
      /\n\n\[Showing lines 11-60 of 60 \(50\.0KB limit\)\. Full output: .*\/0\.bash\.log\]$/,
    );
  });

  test('shows the end of a line that is too long', async () => {
    const result = await bash.run(
      { command: `echo first; head -c 100000 /dev/zero | tr '\\0' x` },
      createToolFixture(),
    );
    expect(getText(result)).toMatch(
      /^x{51200}\n\n\[Showing last 50\.0KB of line 2 \(line is 97\.7KB\)\. Full output: .*\/0\.bash\.log\]$/,
    );
    expect(result.details).toMatchObject({ truncation: { truncatedBy: 'bytes', lastLinePartial: true } });
  });

  test('a failure reports the truncation and the exit code', async () => {
    const fault = await expectFault(bash, { command: 'seq 1 3000; exit 2' }, createToolFixture());
    expect(fault.message).toMatch(/3000\n\n\n\[Showing lines 1001-3000 .*\]\n\nCommand exited with code 2$/);
    expect(fault.details).toMatchObject({ truncation: { truncated: true }, artifactId: '0' });
  });

  test('returns the output when the artifact cannot be saved', async () => {
    const artifacts = { reserve: () => Promise.reject(new Error('disk full')), find: async () => undefined };
    const result = await bash.run({ command: 'seq 1 3000' }, createToolFixture({ artifacts }));
    expect(getText(result)).toMatch(/\[Showing lines 1001-3000 of 3000\. Full output not saved: disk full\]$/);
    expect(result.details).not.toHaveProperty('artifactId');
  });
});

test('updates contain all output so far; the first one is sent immediately', async () => {
  const partialResults: ToolResult[] = [];
  const fixture = createToolFixture({
    update(partial) {
      partialResults.push(partial);
      // The command continues after its first output was shown.
      fixture.writeFiles({ shown: '' });
    },
  });
  const command = 'echo one; until [ -e shown ]; do sleep 0.01; done; echo two';
  expect(getText(await bash.run({ command }, fixture))).toBe('one\ntwo\n');
  expect(partialResults[0]).toEqual({ content: [{ type: 'text', text: 'one\n' }] });
});

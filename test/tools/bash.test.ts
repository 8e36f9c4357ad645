// The bash tool: what the model reads about a command, and that it always comes back.
import { existsSync, rmSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { ToolResult } from '../../src/contracts/index.ts';
import { bash } from '../../src/tools/bash.ts';
import { isAlive, numbers } from '../support/processes.ts';
import { withLimit } from '../support/time-limit.ts';
import { until } from '../support/until.ts';
import { countingPorts, ports, refusal, type Surroundings, surroundings, textOf } from './surroundings.ts';

const seq = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => `${from + i}\n`).join('');

describe('outcomes', () => {
  test('success is the output as it is, without details', async () => {
    expect(await bash.run({ command: 'echo out; echo err >&2' }, surroundings())).toEqual({
      content: [{ type: 'text', text: expect.stringMatching(/^(out\nerr|err\nout)\n$/) }],
    });
  });

  test.each(['true', ':', 'cat', 'exec 1>&- 2>&-'])('%s has no output and ends at once', async (command) => {
    expect(textOf(await bash.run({ command }, surroundings()))).toBe('(no output)');
  });

  test.each([
    ['false', '(no output)\n\nCommand exited with code 1'],
    ['exit 7', '(no output)\n\nCommand exited with code 7'],
    ['echo hi; exit 3', 'hi\n\n\nCommand exited with code 3'],
    ['printf hi; exit 3', 'hi\n\nCommand exited with code 3'],
    ['no-such-program-here 2>/dev/null', '(no output)\n\nCommand exited with code 127'],
    ['kill -9 $$', '(no output)\n\nCommand exited with code 137'],
  ])('%s is an error', async (command, message) => {
    const fault = await refusal(bash, { command }, surroundings());
    expect([fault.code, fault.message, fault.details]).toEqual(['tool_failed', message, undefined]);
  });

  test('the working directory and the environment of tools', async () => {
    const here = surroundings();
    expect(textOf(await bash.run({ command: 'pwd' }, here))).toBe(`${here.cwd}\n`);
    const other = surroundings({
      ports: { ...here.ports, toolEnv: { PATH: process.env.PATH ?? '', COLOUR: 'green' } },
    });
    expect(textOf(await bash.run({ command: 'echo $COLOUR$HOME' }, other))).toBe('green\n');
  });

  test('a missing working directory', async () => {
    const here = surroundings();
    rmSync(here.cwd, { recursive: true });
    expect((await refusal(bash, { command: 'true' }, here)).message).toBe(
      `Working directory does not exist: ${here.cwd}\nCannot execute bash commands.`,
    );
  });

  test('the shell of the settings', async () => {
    const options = { shellPath: '/bin/sh', bashTimeout: undefined };
    expect(textOf(await bash.run({ command: 'echo $0' }, surroundings({ options })))).toBe('/bin/sh\n');
    const missing = { shellPath: '/no/shell', bashTimeout: undefined };
    expect((await refusal(bash, { command: 'true' }, surroundings({ options: missing }))).message).toBe(
      'Shell not found: /no/shell. Correct shellPath in the settings',
    );
  });

  test('a command that cannot be started is named', async () => {
    expect((await refusal(bash, { command: 'a\0b' }, surroundings())).message).toMatch(/^Cannot start \/bin\/bash: /);
  });
});

describe('stopping', () => {
  test('a timeout ends the command and keeps what it said', async () => {
    const fault = await refusal(bash, { command: 'echo start; sleep 600', timeout: 0.2 }, surroundings());
    expect([fault.code, fault.message]).toEqual(['timeout', 'start\n\n\nCommand timed out after 0.2 seconds']);
  });

  test('the timeout of the settings applies when the model gives none', async () => {
    const here = surroundings({ options: { shellPath: undefined, bashTimeout: 0.1 } });
    expect((await refusal(bash, { command: 'sleep 600' }, here)).message).toBe('Command timed out after 0.1 seconds');
    expect((await refusal(bash, { command: 'sleep 600', timeout: 0.2 }, here)).message).toBe(
      'Command timed out after 0.2 seconds',
    );
  });

  test('a timeout of weeks does not ring at once', async () => {
    expect(textOf(await bash.run({ command: 'echo hi', timeout: 1e9 }, surroundings()))).toBe('hi\n');
  });

  /** Where 0.3 seconds are over when the command has made a file. */
  const outOfTime = (): Surroundings => {
    const here: Surroundings = surroundings({ ports: withLimit(ports, 300, () => existsSync(here.path('begun'))) });
    return here;
  };

  test('what escaped the group is not waited for', async () => {
    const command =
      'setsid sleep 600 & setsid sh -c "trap \\"\\" TERM; sleep 600" & echo start; touch begun; sleep 600';
    const fault = await refusal(bash, { command, timeout: 0.3 }, outOfTime());
    // Shells that see their children die may still say so.
    expect(fault.message).toMatch(/^start\n(Killed\n)*\n\nCommand timed out after 0\.3 seconds$/);
  });

  test('an abort ends the command and keeps what it said', async () => {
    const here = surroundings({ update: () => here.abort() });
    const fault = await refusal(bash, { command: 'echo start; setsid sleep 600 & sleep 600' }, here);
    expect([fault.code, fault.message]).toEqual(['aborted', 'start\n\n\nCommand aborted']);
  });

  test('an abort before the start runs nothing', async () => {
    const { ports, counts } = countingPorts();
    const here = surroundings({ ports });
    here.abort();
    expect((await refusal(bash, { command: 'touch ran' }, here)).message).toBe('Command aborted');
    expect(counts.spawned).toBe(0);
  });

  test('nothing of a stopped command is left', async () => {
    const command = 'echo $$; sleep 600 & echo $!; sleep 600 & echo $!; touch begun; wait';
    const fault = await refusal(bash, { command, timeout: 0.3 }, outOfTime());
    const pids = numbers(fault.message.split('\n\n')[0] ?? '');
    expect(pids).toHaveLength(3);
    await until(() => !pids.some(isAlive));
  });
});

describe('background children do not hold the call', () => {
  test.each([
    ['silent', 'sleep 600 &'],
    ['in a session of its own', 'setsid sleep 600 &'],
    ['disowned', 'sleep 600 & disown;'],
    ['nohup', 'nohup sleep 600 &'],
    ['of a subshell', '(sleep 600 &);'],
    ['holding stderr only', 'sleep 600 >/dev/null &'],
    ['writing without end', '(while :; do echo x; done) &'],
    ['writing without end in a session of its own', 'setsid yes &'],
  ])('%s', async (_, holder) => {
    const here = surroundings();
    const result = await bash.run({ command: `echo before; ${holder} echo after` }, here);
    const artifact = await here.artifacts.find('0');
    const whole = artifact ? Buffer.from(await here.ports.files.read(artifact)).toString() : textOf(result);
    expect(whole).toMatch(/^before\n/);
    expect(whole).toMatch(/^after$/m);
  });

  test('output before the exit is complete', async () => {
    const here = surroundings();
    const result = await bash.run({ command: 'sleep 600 & seq 1 100000' }, here);
    expect(result.details).toMatchObject({ truncation: { totalLines: 100_000, totalBytes: 588_895 } });
  });
});

describe('long output', () => {
  test('2000 lines, the rest in an artifact', async () => {
    const here = surroundings();
    const result = await bash.run({ command: 'seq 1 3000' }, here);
    const path = `${here.shelf}/0.bash.log`;
    const content = seq(1001, 3000);
    expect(textOf(result)).toBe(`${content}\n\n[Showing lines 1001-3000 of 3000. Full output: ${path}]`);
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
    expect(Buffer.from(await here.ports.files.read(path)).toString()).toBe(seq(1, 3000));
    expect((await here.ports.files.info(path))?.mode).toBe(0o600);
  });

  test('50 KiB of whole lines', async () => {
    const here = surroundings();
    const result = await bash.run({ command: `for i in $(seq 1 60); do printf '%1023s\\n' $i; done` }, here);
    expect(textOf(result)).toMatch(
      /\n\n\[Showing lines 11-60 of 60 \(50\.0KB limit\)\. Full output: .*\/0\.bash\.log\]$/,
    );
  });

  test('one line that does not fit', async () => {
    const result = await bash.run({ command: `echo first; head -c 100000 /dev/zero | tr '\\0' x` }, surroundings());
    expect(textOf(result)).toMatch(
      /^x{51200}\n\n\[Showing last 50\.0KB of line 2 \(line is 97\.7KB\)\. Full output: .*\/0\.bash\.log\]$/,
    );
    expect(result.details).toMatchObject({ truncation: { truncatedBy: 'bytes', lastLinePartial: true } });
  });

  test('a failure says both', async () => {
    const fault = await refusal(bash, { command: 'seq 1 3000; exit 2' }, surroundings());
    expect(fault.message).toMatch(/3000\n\n\n\[Showing lines 1001-3000 .*\]\n\nCommand exited with code 2$/);
    expect(fault.details).toMatchObject({ truncation: { truncated: true }, artifactId: '0' });
  });

  test('an artifact that cannot be kept does not lose the answer', async () => {
    const artifacts = { reserve: () => Promise.reject(new Error('disk full')), find: async () => undefined };
    const result = await bash.run({ command: 'seq 1 3000' }, surroundings({ artifacts }));
    expect(textOf(result)).toMatch(/\[Showing lines 1001-3000 of 3000\. Full output not saved: disk full\]$/);
    expect(result.details).not.toHaveProperty('artifactId');
  });
});

test('updates show everything so far, the first one at once', async () => {
  const seen: ToolResult[] = [];
  const here = surroundings({
    update(partial) {
      seen.push(partial);
      // The command goes on only when its first word was shown.
      here.put({ shown: '' });
    },
  });
  const command = 'echo one; until [ -e shown ]; do sleep 0.01; done; echo two';
  expect(textOf(await bash.run({ command }, here))).toBe('one\ntwo\n');
  expect(seen[0]).toEqual({ content: [{ type: 'text', text: 'one\n' }] });
});

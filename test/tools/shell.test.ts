// The shell runner of the bash tool and the bash command: exact totals in bounded memory.
import { statSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { ShellRequest } from '../../src/contracts/index.ts';
import { createRunShell } from '../../src/tools/index.ts';
import { type CaptureOptions, ShellCapture } from '../../src/tools/shell-capture.ts';
import { createToolFixture, ports, type ToolFixture } from './tool-fixture.ts';

const runShell = createRunShell({ ports, shellPath: undefined });
const createRequest = (fixture: ToolFixture, command: string): ShellRequest => ({
  ...fixture,
  command,
  artifactName: 'bash',
});
const MIB = 1024 ** 2;

describe('result', () => {
  test('of a short command', async () => {
    expect(await runShell(createRequest(createToolFixture(), 'printf "a\\nb\\n"'))).toEqual({
      output: 'a\nb\n',
      exitCode: 0,
      cancelled: false,
      timedOut: false,
      truncated: false,
      truncatedBy: null,
      firstLine: 1,
      totalLines: 2,
      totalBytes: 4,
      outputLines: 2,
      outputBytes: 4,
      partialLine: false,
      lastLineBytes: 1,
    });
  });

  test('of a cancelled command has no exit code', async () => {
    const fixture = createToolFixture();
    const result = await runShell({ ...createRequest(fixture, 'echo x; sleep 600'), onUpdate: fixture.abort });
    expect(result).toMatchObject({ output: 'x\n', cancelled: true, timedOut: false });
    expect(result).not.toHaveProperty('exitCode');
  });

  test('of a command that timed out', async () => {
    const result = await runShell({ ...createRequest(createToolFixture(), 'sleep 600'), timeout: 0.1 });
    expect(result).toMatchObject({ output: '', cancelled: true, timedOut: true, totalLines: 0, outputLines: 0 });
    expect(result).not.toHaveProperty('exitCode');
  });

  test('escape sequences and carriage returns are removed from output, totals and artifact', async () => {
    const fixture = createToolFixture();
    const result = await runShell(
      createRequest(fixture, `for i in $(seq 1 2100); do printf '\\033[31m%s\\033[0m\\r\\n' x; done`),
    );
    expect(result).toMatchObject({ totalLines: 2100, totalBytes: 4200, outputLines: 2000, outputBytes: 4000 });
    const path = result.fullOutputPath ?? '';
    expect(Buffer.from(await ports.files.read(path)).toString()).toBe('x\n'.repeat(2100));
  });
});

test('characters written byte by byte are decoded correctly', async () => {
  const fixture = createToolFixture();
  const script = `const b = Buffer.from('€'.repeat(50000)); for (const x of b) require('fs').writeSync(1, Buffer.of(x))`;
  const result = await runShell(createRequest(fixture, `'${process.execPath}' -e "${script}"`));
  expect(result).toMatchObject({ exitCode: 0, totalBytes: 150_000, outputBytes: 51_198, partialLine: true });
  expect(result.output).toBe('€'.repeat(17_066));
  expect(Buffer.from(await ports.files.read(result.fullOutputPath ?? '')).toString()).toBe('€'.repeat(50_000));
});

test('very long output is counted exactly, saved up to a limit, and uses little memory', async () => {
  const fixture = createToolFixture();
  let maxMemory = 0;
  const before = process.memoryUsage().rss;
  const result = await runShell({
    ...createRequest(fixture, 'yes | head -c 200000000'),
    onUpdate: () => {
      maxMemory = Math.max(maxMemory, process.memoryUsage().rss - before);
    },
  });
  expect(result).toMatchObject({
    truncated: true,
    totalBytes: 200_000_000,
    totalLines: 100_000_000,
    outputLines: 2000,
    outputBytes: 4000,
    output: 'y\n'.repeat(2000),
  });
  const path = result.fullOutputPath ?? '';
  const end = '[Output capped here at 64.0MB of 200000000 bytes]\n';
  expect(statSync(path).size).toBe(64 * MIB + end.length);
  const tail = await ports.files.read(path, { start: 64 * MIB - 2, length: 100 });
  expect(Buffer.from(tail).toString()).toBe(`y\n${end}`);
  expect(maxMemory).toBeLessThan(150 * MIB);
});

describe('updates', () => {
  function createCapture() {
    let now = 1000;
    const timers: { at: number; act: () => void }[] = [];
    const clock: CaptureOptions['ports']['clock'] = {
      ...ports.clock,
      now: () => now,
      after(ms, act) {
        const timer = { at: now + ms, act };
        timers.push(timer);
        return () => timers.splice(timers.indexOf(timer), 1);
      },
    };
    const advance = (ms: number) => {
      now += ms;
      for (const timer of timers.filter(({ at }) => at <= now)) {
        timers.splice(timers.indexOf(timer), 1);
        timer.act();
      }
    };
    const shown: string[] = [];
    const capture = new ShellCapture({
      ports: { clock, files: ports.files },
      artifacts: createToolFixture().artifacts,
      purpose: 'bash',
      onUpdate: (tail) => shown.push(tail.output),
    });
    const write = (text: string) => capture.push(Buffer.from(text), 'stdout');
    return { advance, shown, capture, write, timers };
  }

  test('are sent immediately after a pause and at most every 50 ms', () => {
    const { advance, shown, write } = createCapture();
    write('a');
    expect(shown).toEqual(['a']);
    write('b');
    advance(30);
    write('c');
    expect(shown).toEqual(['a']);
    advance(20);
    expect(shown).toEqual(['a', 'abc']);
    advance(500);
    expect(shown).toEqual(['a', 'abc']);
    write('d');
    expect(shown).toEqual(['a', 'abc', 'abcd']);
  });

  test('are not sent for empty output, nor after the end', async () => {
    const { advance, shown, write, capture, timers } = createCapture();
    write('\x1b[31m');
    expect(shown).toEqual([]);
    write('a');
    write('b');
    expect(await capture.finish()).toMatchObject({ output: 'ab' });
    expect(timers).toEqual([]);
    write('too late');
    advance(1000);
    expect(shown).toEqual(['a']);
    expect(await capture.finish()).toMatchObject({ output: 'ab' });
  });

  test('stdout and stderr are decoded separately', async () => {
    const { capture } = createCapture();
    const euro = Buffer.from('€');
    capture.push(euro.subarray(0, 1), 'stdout');
    capture.push(Buffer.from('!\x1b['), 'stderr');
    capture.push(euro.subarray(1), 'stdout');
    capture.push(Buffer.from('1m?'), 'stderr');
    expect(await capture.finish()).toMatchObject({ output: '!€?' });
  });
});

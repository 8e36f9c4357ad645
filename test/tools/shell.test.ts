// The shell runner that the model's tool and the host's command share: exact counts in bounded memory.
import { statSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { ShellRequest } from '../../src/contracts/index.ts';
import { createRunShell } from '../../src/tools/index.ts';
import { type CaptureSettings, ShellCapture } from '../../src/tools/shell-capture.ts';
import { ports, type Surroundings, surroundings } from './surroundings.ts';

const runShell = createRunShell({ ports, shellPath: undefined });
const request = (here: Surroundings, command: string): ShellRequest => ({ ...here, command, purpose: 'bash' });
const MiB = 1024 ** 2;

describe('outcome', () => {
  test('of a short command', async () => {
    expect(await runShell(request(surroundings(), 'printf "a\\nb\\n"'))).toEqual({
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

  test('of a cancelled one has no exit code', async () => {
    const here = surroundings();
    const outcome = await runShell({ ...request(here, 'echo x; sleep 600'), onUpdate: here.abort });
    expect(outcome).toMatchObject({ output: 'x\n', cancelled: true, timedOut: false });
    expect(outcome).not.toHaveProperty('exitCode');
  });

  test('of one that ran out of time', async () => {
    const outcome = await runShell({ ...request(surroundings(), 'sleep 600'), timeout: 0.1 });
    expect(outcome).toMatchObject({ output: '', cancelled: true, timedOut: true, totalLines: 0, outputLines: 0 });
    expect(outcome).not.toHaveProperty('exitCode');
  });

  test('colours and carriage returns are gone from output, counts and artifact', async () => {
    const here = surroundings();
    const outcome = await runShell(
      request(here, `for i in $(seq 1 2100); do printf '\\033[31m%s\\033[0m\\r\\n' x; done`),
    );
    expect(outcome).toMatchObject({ totalLines: 2100, totalBytes: 4200, outputLines: 2000, outputBytes: 4000 });
    const path = outcome.fullOutputPath ?? '';
    expect(Buffer.from(await ports.files.read(path)).toString()).toBe('x\n'.repeat(2100));
  });
});

test('characters written byte by byte arrive whole', async () => {
  const here = surroundings();
  const script = `const b = Buffer.from('€'.repeat(50000)); for (const x of b) require('fs').writeSync(1, Buffer.of(x))`;
  const outcome = await runShell(request(here, `'${process.execPath}' -e "${script}"`));
  expect(outcome).toMatchObject({ exitCode: 0, totalBytes: 150_000, outputBytes: 51_198, partialLine: true });
  expect(outcome.output).toBe('€'.repeat(17_066));
  expect(Buffer.from(await ports.files.read(outcome.fullOutputPath ?? '')).toString()).toBe('€'.repeat(50_000));
});

test('an endless talker is counted exactly, kept up to a cap, and held in little memory', async () => {
  const here = surroundings();
  let most = 0;
  const before = process.memoryUsage().rss;
  const outcome = await runShell({
    ...request(here, 'yes | head -c 200000000'),
    onUpdate: () => {
      most = Math.max(most, process.memoryUsage().rss - before);
    },
  });
  expect(outcome).toMatchObject({
    truncated: true,
    totalBytes: 200_000_000,
    totalLines: 100_000_000,
    outputLines: 2000,
    outputBytes: 4000,
    output: 'y\n'.repeat(2000),
  });
  const path = outcome.fullOutputPath ?? '';
  const end = '[Output capped here at 64.0MB of 200000000 bytes]\n';
  expect(statSync(path).size).toBe(64 * MiB + end.length);
  const tail = await ports.files.read(path, { start: 64 * MiB - 2, length: 100 });
  expect(Buffer.from(tail).toString()).toBe(`y\n${end}`);
  expect(most).toBeLessThan(150 * MiB);
});

describe('updates', () => {
  function scripted() {
    let now = 1000;
    const due: { at: number; act: () => void }[] = [];
    const clock: CaptureSettings['ports']['clock'] = {
      ...ports.clock,
      now: () => now,
      after(ms, act) {
        const timer = { at: now + ms, act };
        due.push(timer);
        return () => due.splice(due.indexOf(timer), 1);
      },
    };
    const advance = (ms: number) => {
      now += ms;
      for (const timer of due.filter(({ at }) => at <= now)) {
        due.splice(due.indexOf(timer), 1);
        timer.act();
      }
    };
    const shown: string[] = [];
    const capture = new ShellCapture({
      ports: { clock, files: ports.files },
      artifacts: surroundings().artifacts,
      purpose: 'bash',
      onUpdate: (tail) => shown.push(tail.output),
    });
    const say = (text: string) => capture.take(Buffer.from(text), 'stdout');
    return { advance, shown, capture, say, due };
  }

  test('come at once after a pause and at most every 50 ms', () => {
    const { advance, shown, say } = scripted();
    say('a');
    expect(shown).toEqual(['a']);
    say('b');
    advance(30);
    say('c');
    expect(shown).toEqual(['a']);
    advance(20);
    expect(shown).toEqual(['a', 'abc']);
    advance(500);
    expect(shown).toEqual(['a', 'abc']);
    say('d');
    expect(shown).toEqual(['a', 'abc', 'abcd']);
  });

  test('are not sent for what shows nothing, nor after the end', async () => {
    const { advance, shown, say, capture, due } = scripted();
    say('\x1b[31m');
    expect(shown).toEqual([]);
    say('a');
    say('b');
    expect(await capture.finish()).toMatchObject({ output: 'ab' });
    expect(due).toEqual([]);
    say('too late');
    advance(1000);
    expect(shown).toEqual(['a']);
    expect(await capture.finish()).toMatchObject({ output: 'ab' });
  });

  test('streams do not break one another', async () => {
    const { capture } = scripted();
    const euro = Buffer.from('€');
    capture.take(euro.subarray(0, 1), 'stdout');
    capture.take(Buffer.from('!\x1b['), 'stderr');
    capture.take(euro.subarray(1), 'stdout');
    capture.take(Buffer.from('1m?'), 'stderr');
    expect(await capture.finish()).toMatchObject({ output: '!€?' });
  });
});

import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Host, transportContract } from './contract.ts';
import {
  collectLines,
  createScratchDirectory,
  killGroup,
  readLines,
  readText,
  startShell,
  waitForExit,
} from './processes.ts';

const scratch = createScratchDirectory();
let agentProgram: string;
let programs: string;
beforeAll(() => {
  agentProgram = scratch.bundle('stdio-scripted-agent');
  programs = scratch.bundle('stdio-programs');
});
afterAll(() => scratch.remove());

/** `$NODE` in `command` is replaced by the program and its arguments. The shell command decides what its streams are. */
function start(command: string, ...args: string[]) {
  return startShell(command.replaceAll('$NODE', [process.execPath, ...args].map((arg) => `'${arg}'`).join(' ')));
}

function openHost(command: string, lineLimit: number | undefined): Host {
  const child = start(command, agentProgram, ...(lineLimit === undefined ? [] : [String(lineLimit)]));
  const frames = collectLines(child.stdout)[Symbol.asyncIterator]();
  const reports = collectLines(child.stderr)[Symbol.asyncIterator]();
  const report = async () => (await reports.next()).value as string;
  child.stdin.on('error', () => {});
  return {
    send: (input) => child.stdin.write(typeof input === 'string' && !input.endsWith('\n') ? `${input}\n` : input),
    end: () => child.stdin.end(),
    next: async () => (await frames.next()).value as string,
    pause: () => child.stdout.pause(),
    resume: () => child.stdout.resume(),
    close() {
      child.stdout.destroy();
      child.stdin.end();
    },
    report,
    finished: async () => expect(await report()).toBe('exit 0'),
    dispose: () => killGroup(child),
  };
}

transportContract('stdio over sockets', ({ lineLimit }) => openHost('$NODE; echo "exit $?" >&2', lineLimit));
transportContract('stdio over pipes', ({ lineLimit }) =>
  openHost('cat | { $NODE; echo "exit $?" >&2; } | cat 2>/dev/null', lineLimit),
);

describe('stdio: input', () => {
  let child: ReturnType<typeof start>;
  afterEach(() => killGroup(child));

  test.each([
    ['a file', 'printf "a\\nb" > $DIR/in; $NODE < $DIR/in', ['{"text":"a"}', '{"text":"b"}']],
    ['nothing', '$NODE < /dev/null', []],
    ['closed', '$NODE <&-', []],
    ['a directory', '$NODE < /', []],
  ])('stdin can be %s', async (_kind, command, frames) => {
    child = start(command.replaceAll('$DIR', scratch.directory), agentProgram);
    const { out, err, code } = await waitForExit(child);
    expect(out.split('\n').filter(Boolean)).toEqual(frames);
    expect(err).toBe('started\nended\nflushed\n');
    expect(code).toBe(0);
  });

  test.each([
    ['a socket', '$NODE'],
    ['a pipe', 'cat | $NODE'],
    [
      'a file',
      'yes 12345678901234567890123456789012345678901234567890123456789 | head -c 67108864 > $DIR/big; $NODE < $DIR/big',
    ],
  ])('only a little of %s is read in advance while the consumer is busy', async (_kind, command) => {
    child = start(command.replaceAll('$DIR', scratch.directory), programs, 'busy consumer');
    child.stdin.on('error', () => {});
    const line = `${'x'.repeat(1023)}\n`;
    for (let i = 0; i < 64; i++) child.stdin.write(line.repeat(1024));
    const frame = (await readLines(child.stdout).next()).value as string;
    expect(JSON.parse(frame).arrayBuffers).toBeLessThan(2_000_000);
  });
});

describe('stdio: output', () => {
  let child: ReturnType<typeof start>;
  afterEach(() => killGroup(child));

  test('100 MB to a slow reader: memory does not grow, nothing is lost, and the order is kept', async () => {
    child = start('$NODE | cat', programs, 'hundred megabytes');
    const reports = readLines(child.stderr);
    expect((await reports.next()).value).toBe('paused');
    let expected = 0;
    for await (const line of readLines(child.stdout)) expect(JSON.parse(line).i).toBe(expected++);
    expect(expected).toBe(100_000);
    const growthMegabytes = Number((await reports.next()).value);
    // Less than the 100 MB written, with a margin for garbage that V8 has not collected yet.
    expect(growthMegabytes).toBeLessThan(85);
  });

  test.each([
    ['flushed before process.exit', 'flush and exit'],
    ['written before the program ended', 'end without flush'],
    ['written before close', 'close'],
  ])('data that was %s arrives at a slow reader', async (_when, program) => {
    child = start('$NODE', programs, program);
    // Nothing is read before the program has written everything.
    expect((await readLines(child.stderr).next()).value).toBe('written');
    const closed = once(child, 'close');
    const lengths: number[] = [];
    for await (const line of readLines(child.stdout)) lengths.push(line.length);
    expect(lengths).toEqual([1, 5_000_000, 1]);
    expect((await closed)[0]).toBe(0);
  });

  test('a disconnected host is detected while nothing is written', async () => {
    child = start('$NODE', programs, 'idle until reader closed');
    const closed = once(child, 'close');
    await once(child.stdout, 'data');
    child.stdout.destroy();
    expect(await readText(child.stderr)).toBe('reader closed, descriptor 1 is open\n');
    expect((await closed)[0]).toBe(0);
  });

  test('a full disk counts as a closed reader', async () => {
    child = start('$NODE > /dev/full', programs, 'idle until reader closed');
    const { err, code } = await waitForExit(child);
    expect(err).toBe('reader closed, descriptor 1 is open\n');
    expect(code).toBe(0);
  });
});

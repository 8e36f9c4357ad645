import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Host, transportContract } from './contract.ts';
import { collect, createWorkshop, endGroup, linesOf, outcomeOf, startShell, textOf } from './processes.ts';

const workshop = createWorkshop();
let puppet: string;
let endings: string;
beforeAll(() => {
  puppet = workshop.bundle('stdio-puppet');
  endings = workshop.bundle('stdio-endings');
});
afterAll(() => workshop.remove());

/** `command` names the program as `$NODE` and its arguments; the shell decides what its streams are. */
function start(command: string, ...args: string[]) {
  return startShell(command.replaceAll('$NODE', [process.execPath, ...args].map((arg) => `'${arg}'`).join(' ')));
}

function openHost(command: string, lineLimit: number | undefined): Host {
  const child = start(command, puppet, ...(lineLimit === undefined ? [] : [String(lineLimit)]));
  const frames = collect(child.stdout)[Symbol.asyncIterator]();
  const reports = collect(child.stderr)[Symbol.asyncIterator]();
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
    dispose: () => endGroup(child),
  };
}

transportContract('stdio over sockets', ({ lineLimit }) => openHost('$NODE; echo "exit $?" >&2', lineLimit));
transportContract('stdio over pipes', ({ lineLimit }) =>
  openHost('cat | { $NODE; echo "exit $?" >&2; } | cat 2>/dev/null', lineLimit),
);

describe('stdio: input', () => {
  let child: ReturnType<typeof start>;
  afterEach(() => endGroup(child));

  test.each([
    ['a file', 'printf "a\\nb" > $DIR/in; $NODE < $DIR/in', ['{"text":"a"}', '{"text":"b"}']],
    ['nothing', '$NODE < /dev/null', []],
    ['closed', '$NODE <&-', []],
    ['a directory', '$NODE < /', []],
  ])('stdin may be %s', async (_kind, command, frames) => {
    child = start(command.replaceAll('$DIR', workshop.directory), puppet);
    const { out, err, code } = await outcomeOf(child);
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
  ])('no more than a little of %s is read ahead of a busy consumer', async (_kind, command) => {
    child = start(command.replaceAll('$DIR', workshop.directory), endings, 'busy consumer');
    child.stdin.on('error', () => {});
    const line = `${'x'.repeat(1023)}\n`;
    for (let i = 0; i < 64; i++) child.stdin.write(line.repeat(1024));
    const frame = (await linesOf(child.stdout).next()).value as string;
    expect(JSON.parse(frame).arrayBuffers).toBeLessThan(2_000_000);
  });
});

describe('stdio: output', () => {
  let child: ReturnType<typeof start>;
  afterEach(() => endGroup(child));

  test('100 MB through a pipe to a reader that sleeps first: memory stays flat, nothing is lost, order is kept', async () => {
    child = start('$NODE | cat', endings, 'hundred megabytes');
    const news = linesOf(child.stderr);
    expect((await news.next()).value).toBe('holding back');
    let expected = 0;
    for await (const line of linesOf(child.stdout)) expect(JSON.parse(line).i).toBe(expected++);
    expect(expected).toBe(100_000);
    const grownBy = Number((await news.next()).value);
    // Less than the whole, by more than what V8 may let stand before it clears up.
    expect(grownBy).toBeLessThan(85);
  });

  test.each([
    ['flushed before process.exit', 'flush and exit'],
    ['written before running out of work', 'run dry'],
    ['written before close', 'close'],
  ])('what was %s arrives, however slow the reader', async (_when, ending) => {
    child = start('$NODE', endings, ending);
    // Nothing is read before the program has written all.
    expect((await linesOf(child.stderr).next()).value).toBe('written');
    const closed = once(child, 'close');
    const lengths: number[] = [];
    for await (const line of linesOf(child.stdout)) lengths.push(line.length);
    expect(lengths).toEqual([1, 5_000_000, 1]);
    expect((await closed)[0]).toBe(0);
  });

  test('a host that goes away is noticed though nothing is being written', async () => {
    child = start('$NODE', endings, 'idle until broken');
    const closed = once(child, 'close');
    await once(child.stdout, 'data');
    child.stdout.destroy();
    expect(await textOf(child.stderr)).toBe('broken, number 1 is open\n');
    expect((await closed)[0]).toBe(0);
  });

  test('a full disk counts as a reader that is gone', async () => {
    child = start('$NODE > /dev/full', endings, 'idle until broken');
    const { err, code } = await outcomeOf(child);
    expect(err).toBe('broken, number 1 is open\n');
    expect(code).toBe(0);
  });
});

// A slow host gets everything that counts, in order, and costs bounded memory.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { deferred } from '../../src/base/index.ts';
import type { Chunk, Frame, Transport } from '../../src/contracts/index.ts';
import { Outbox } from '../../src/server/outbox.ts';

const MIB = 1024 * 1024;

/** A pipe that takes `room` units and then nothing until it is drained. */
function createPipe(room: number) {
  const written: string[] = [];
  let used = 0;
  let drain = deferred();
  const transport: Transport = {
    lines: { async *[Symbol.asyncIterator]() {} },
    broken: new Promise(() => {}),
    write(chunks: readonly Chunk[]) {
      written.push(chunks.join(''));
      used += chunks.reduce((sum, chunk) => sum + chunk.length, 0);
      return used < room;
    },
    drained: () => (used < room ? Promise.resolve() : drain.promise),
    flush: async () => {},
  };
  return {
    transport,
    written,
    /** The host reads all that is in the pipe. */
    read() {
      used = 0;
      drain.resolve();
      drain = deferred();
    },
  };
}

const plain = (line: string): Frame => ({ chunks: [line], bytes: line.length });

/** Folds with a later one of the same block, as updates do. */
function growth(block: string, text: string): Frame & { block: string; text: string } {
  return {
    ...plain(`${block}:${text}`),
    block,
    text,
    fold(next) {
      const later = next as Partial<ReturnType<typeof growth>>;
      return later.block === block ? growth(block, text + later.text) : undefined;
    },
  };
}

/** Lets promises that are ready go first. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

type Step = { durable: string } | { block: string; text: string } | 'read' | 'settle';

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ durable: fc.constantFrom('a', 'bb', 'ccc') }),
  fc.record({ block: fc.constantFrom('x', 'y'), text: fc.constantFrom('1', '22', '333') }),
  fc.constant('read' as const),
  fc.constant('settle' as const),
);

/** Lines with neighbouring growth of one block put together: what must be equal, however much was folded. */
function essence(lines: readonly string[]): string[] {
  const told: string[] = [];
  for (const line of lines) {
    const [block, text] = line.split(':');
    if (text !== undefined && told.at(-1)?.startsWith(`${block}:`)) told.push(`${told.pop()}${text}`);
    else told.push(line);
  }
  return told;
}

test('however the host reads: everything arrives, in order, once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), fc.integer({ min: 1, max: 12 }), async (steps, room) => {
      const pipe = createPipe(room);
      const outbox = new Outbox(pipe.transport);
      const pushed: string[] = [];
      for (const next of steps) {
        if (next === 'read') pipe.read();
        else if (next === 'settle') await settle();
        else {
          const frame = 'durable' in next ? plain(next.durable) : growth(next.block, next.text);
          pushed.push(frame.chunks.join(''));
          void outbox.push(frame);
        }
      }
      const flushed = outbox.flush().then(() => true);
      for (let over = false; !over; ) {
        pipe.read();
        over = await Promise.race([flushed, settle().then(() => false)]);
      }
      expect(essence(pipe.written)).toEqual(essence(pushed));
      expect(pipe.written.filter((line) => !line.includes(':'))).toEqual(pushed.filter((line) => !line.includes(':')));
    }),
    { numRuns: 500 },
  );
});

describe('while the pipe is full', () => {
  test('growth folds into one frame; what stands between is not passed', async () => {
    const pipe = createPipe(1);
    const outbox = new Outbox(pipe.transport);
    for (const frame of [plain('full'), growth('x', '1'), growth('x', '2'), plain('end'), growth('x', '3')]) {
      void outbox.push(frame);
    }
    const flushed = outbox.flush();
    for (let reads = 0; reads < 5; reads++) {
      pipe.read();
      await settle();
    }
    await flushed;
    expect(pipe.written).toEqual(['full', 'x:12', 'end', 'x:3']);
  });

  test('nobody waits before a mebibyte does, and then until half of it is gone', async () => {
    const pipe = createPipe(1);
    const outbox = new Outbox(pipe.transport);
    const half = plain('h'.repeat(MIB / 2));
    expect([plain('full'), half, half].map((frame) => outbox.push(frame))).toEqual([undefined, undefined, undefined]);
    let relieved = false;
    const wait = outbox.push(plain('over'))?.then(() => {
      relieved = true;
    });
    expect(wait).toBeInstanceOf(Promise);
    await settle();
    expect(relieved).toBe(false);
    pipe.read();
    await settle();
    expect(pipe.written).toHaveLength(2);
    expect(relieved).toBe(false);
    pipe.read();
    await settle();
    expect(relieved).toBe(true);
  });

  test('a sender that waits when told to never has more than a mebibyte and its own frame waiting', async () => {
    const pipe = createPipe(1);
    const outbox = new Outbox(pipe.transport);
    const line = 'l'.repeat(100_000);
    let pushed = 0;
    let most = 0;
    const sender = (async () => {
      for (let count = 0; count < 200; count++) {
        const wait = outbox.push(plain(line));
        pushed++;
        most = Math.max(most, (pushed - pipe.written.length) * line.length);
        await wait;
      }
    })();
    for (let over = false; !over; ) {
      pipe.read();
      over = await Promise.race([sender.then(() => true), settle().then(() => false)]);
    }
    expect(most).toBeGreaterThan(MIB / 2);
    expect(most).toBeLessThanOrEqual(MIB + line.length);
  });

  test('growth without end waits as one frame, and calls are refused only far beyond', () => {
    const pipe = createPipe(1);
    const outbox = new Outbox(pipe.transport);
    void outbox.push(plain('full'));
    for (let count = 0; count < 50_000; count++) void outbox.push({ ...growth('x', ''), fold: (next) => next });
    expect(outbox.isOverfull).toBe(false);
    for (let count = 0; count < 33; count++) void outbox.push(plain('m'.repeat(MIB)));
    expect(outbox.isOverfull).toBe(true);
  });
});

test('an idle host is written to at once', () => {
  const pipe = createPipe(100);
  const outbox = new Outbox(pipe.transport);
  expect(outbox.push(plain('now'))).toBeUndefined();
  expect(pipe.written).toEqual(['now']);
});

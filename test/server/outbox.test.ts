// A slow host receives all durable frames in order, and the memory use is bounded.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createDeferred } from '../../src/base/index.ts';
import type { Chunk, Frame, Transport } from '../../src/contracts/index.ts';
import { Outbox } from '../../src/server/outbox.ts';

const MIB = 1024 * 1024;

/** A pipe that accepts `capacity` characters and then nothing until it is read. */
function createPipe(capacity: number) {
  const written: string[] = [];
  let used = 0;
  let drain = createDeferred();
  const transport: Transport = {
    lines: { async *[Symbol.asyncIterator]() {} },
    readerClosed: new Promise(() => {}),
    write(chunks: readonly Chunk[]) {
      written.push(chunks.join(''));
      used += chunks.reduce((sum, chunk) => sum + chunk.length, 0);
      return used < capacity;
    },
    waitForDrain: () => (used < capacity ? Promise.resolve() : drain.promise),
    flush: async () => {},
  };
  return {
    transport,
    written,
    /** The host reads everything in the pipe. */
    read() {
      used = 0;
      drain.resolve();
      drain = createDeferred();
    },
  };
}

const createFrame = (line: string): Frame => ({ chunks: [line], bytes: line.length });

/** Folds with a later frame of the same block, like message updates. */
function createUpdate(block: string, text: string): Frame & { block: string; text: string } {
  return {
    ...createFrame(`${block}:${text}`),
    block,
    text,
    fold(next) {
      const later = next as Partial<ReturnType<typeof createUpdate>>;
      return later.block === block ? createUpdate(block, text + later.text) : undefined;
    },
  };
}

/** Lets pending promises run first. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

type Step = { durable: string } | { block: string; text: string } | 'read' | 'settle';

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ durable: fc.constantFrom('a', 'bb', 'ccc') }),
  fc.record({ block: fc.constantFrom('x', 'y'), text: fc.constantFrom('1', '22', '333') }),
  fc.constant('read' as const),
  fc.constant('settle' as const),
);

/** Joins adjacent updates of one block, so that folded and unfolded output can be compared. */
function foldAdjacent(lines: readonly string[]): string[] {
  const folded: string[] = [];
  for (const line of lines) {
    const [block, text] = line.split(':');
    if (text !== undefined && folded.at(-1)?.startsWith(`${block}:`)) folded.push(`${folded.pop()}${text}`);
    else folded.push(line);
  }
  return folded;
}

test('everything arrives once and in order, however the host reads', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), fc.integer({ min: 1, max: 12 }), async (steps, capacity) => {
      const pipe = createPipe(capacity);
      const outbox = new Outbox(pipe.transport);
      const pushed: string[] = [];
      for (const next of steps) {
        if (next === 'read') pipe.read();
        else if (next === 'settle') await settle();
        else {
          const frame = 'durable' in next ? createFrame(next.durable) : createUpdate(next.block, next.text);
          pushed.push(frame.chunks.join(''));
          void outbox.push(frame);
        }
      }
      const flushed = outbox.flush().then(() => true);
      for (let isDone = false; !isDone; ) {
        pipe.read();
        isDone = await Promise.race([flushed, settle().then(() => false)]);
      }
      expect(foldAdjacent(pipe.written)).toEqual(foldAdjacent(pushed));
      expect(pipe.written.filter((line) => !line.includes(':'))).toEqual(pushed.filter((line) => !line.includes(':')));
    }),
    { numRuns: 500 },
  );
});

describe('while the pipe is full', () => {
  test('updates fold into one frame, but not across other frames', async () => {
    const pipe = createPipe(1);
    const outbox = new Outbox(pipe.transport);
    for (const frame of [
      createFrame('full'),
      createUpdate('x', '1'),
      createUpdate('x', '2'),
      createFrame('end'),
      createUpdate('x', '3'),
    ]) {
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

  test('senders wait from 1 MiB of queued bytes on, until half of it is sent', async () => {
    const pipe = createPipe(1);
    const outbox = new Outbox(pipe.transport);
    const half = createFrame('h'.repeat(MIB / 2));
    expect([createFrame('full'), half, half].map((frame) => outbox.push(frame))).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    let resolved = false;
    const wait = outbox.push(createFrame('over'))?.then(() => {
      resolved = true;
    });
    expect(wait).toBeInstanceOf(Promise);
    await settle();
    expect(resolved).toBe(false);
    pipe.read();
    await settle();
    expect(pipe.written).toHaveLength(2);
    expect(resolved).toBe(false);
    pipe.read();
    await settle();
    expect(resolved).toBe(true);
  });

  test('a sender that waits for push never has more than 1 MiB and its own frame queued', async () => {
    const pipe = createPipe(1);
    const outbox = new Outbox(pipe.transport);
    const line = 'l'.repeat(100_000);
    let pushed = 0;
    let maxQueued = 0;
    const sender = (async () => {
      for (let count = 0; count < 200; count++) {
        const wait = outbox.push(createFrame(line));
        pushed++;
        maxQueued = Math.max(maxQueued, (pushed - pipe.written.length) * line.length);
        await wait;
      }
    })();
    for (let isDone = false; !isDone; ) {
      pipe.read();
      isDone = await Promise.race([sender.then(() => true), settle().then(() => false)]);
    }
    expect(maxQueued).toBeGreaterThan(MIB / 2);
    expect(maxQueued).toBeLessThanOrEqual(MIB + line.length);
  });

  test('endless updates are queued as one frame; the outbox is overfull only after 32 MiB', () => {
    const pipe = createPipe(1);
    const outbox = new Outbox(pipe.transport);
    void outbox.push(createFrame('full'));
    for (let count = 0; count < 50_000; count++) void outbox.push({ ...createUpdate('x', ''), fold: (next) => next });
    expect(outbox.isOverfull).toBe(false);
    for (let count = 0; count < 33; count++) void outbox.push(createFrame('m'.repeat(MIB)));
    expect(outbox.isOverfull).toBe(true);
  });
});

test('frames for an idle host are written at once', () => {
  const pipe = createPipe(100);
  const outbox = new Outbox(pipe.transport);
  expect(outbox.push(createFrame('now'))).toBeUndefined();
  expect(pipe.written).toEqual(['now']);
});

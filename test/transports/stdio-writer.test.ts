import fs from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { deferred } from '../../src/base/index.ts';
import type { Chunk } from '../../src/contracts/index.ts';
import { createFileSink, type FrameSink } from '../../src/transports/stdio-sink.ts';
import { FrameWriter } from '../../src/transports/stdio-writer.ts';
import { createWorkshop } from './processes.ts';

/** A sink whose reader is this test. */
function scriptedSink() {
  const batches: { pieces: readonly Chunk[]; left: () => void }[] = [];
  const gone = deferred();
  const sink: FrameSink = { broken: gone.promise, send: (pieces, left) => batches.push({ pieces, left }) };
  return { sink, batches, breakPipe: () => gone.resolve() };
}

const isDone = async (promise: Promise<void>) => {
  let done = false;
  void promise.then(() => {
    done = true;
  });
  await new Promise(setImmediate);
  return done;
};

describe('the frames of one tick', () => {
  test('leave as one text, microtasks included', async () => {
    const { sink, batches } = scriptedSink();
    const writer = new FrameWriter(sink);
    await Promise.resolve();
    writer.write(['a', '\n']);
    await Promise.resolve();
    writer.write(['b\n']);
    expect(batches).toEqual([]);
    await new Promise(process.nextTick);
    expect(batches.map(({ pieces }) => pieces)).toEqual([['a\nb\n']]);
  });

  test('small bytes are copied next to their neighbours, large ones are handed on as they are', async () => {
    const { sink, batches } = scriptedSink();
    const writer = new FrameWriter(sink);
    const [small, large] = [new Uint8Array(10).fill(0x73), new Uint8Array(20_000).fill(0x6c)];
    writer.write(['é', small, small, large, 'ö\n']);
    writer.write([small, '\n']);
    void writer.flush();
    const [first, second, third, ...others] = batches[0]!.pieces;
    expect(Buffer.from(first as Uint8Array).toString()).toBe(`é${'s'.repeat(20)}`);
    expect(second).toBe(large);
    expect(Buffer.from(third as Uint8Array).toString()).toBe(`ö\n${'s'.repeat(10)}\n`);
    expect(others).toEqual([]);
  });
});

describe('holding back', () => {
  test('starts at 256 KiB and ends when less is waiting', async () => {
    const { sink, batches } = scriptedSink();
    const writer = new FrameWriter(sink);
    expect(writer.write(['x'.repeat(200 * 1024)])).toBe(true);
    await new Promise(setImmediate);
    expect(writer.write(['y'.repeat(56 * 1024 - 1)])).toBe(true);
    expect(await isDone(writer.drained())).toBe(true);
    expect(writer.write(['z'])).toBe(false);
    const drained = writer.drained();
    expect(await isDone(drained)).toBe(false);
    batches[0]!.left();
    await drained;
  });

  test('flush waits for what was written before it, not for what comes after', async () => {
    const { sink, batches } = scriptedSink();
    const writer = new FrameWriter(sink);
    writer.write(['before\n']);
    const flushed = writer.flush();
    writer.write(['after\n']);
    expect(await isDone(flushed)).toBe(false);
    expect(batches.length).toBe(2);
    batches[0]!.left();
    await flushed;
  });

  test('nobody waits for a reader that is gone, and nothing more is sent', async () => {
    const { sink, batches, breakPipe } = scriptedSink();
    const writer = new FrameWriter(sink);
    writer.write(['x'.repeat(300 * 1024)]);
    const waiting = [writer.drained(), writer.flush()];
    breakPipe();
    await Promise.all([...waiting, writer.broken]);
    expect(writer.write(['x'.repeat(300 * 1024)])).toBe(true);
    await writer.flush();
    await writer.drained();
    expect(batches.length).toBe(1);
  });

  test('a closed writer takes no more, and what it took still counts', async () => {
    const { sink, batches } = scriptedSink();
    const writer = new FrameWriter(sink);
    writer.write(['last\n']);
    writer.close();
    writer.write(['too late\n']);
    const flushed = writer.flush();
    expect(batches.map(({ pieces }) => pieces)).toEqual([['last\n']]);
    expect(await isDone(flushed)).toBe(false);
    batches[0]!.left();
    await flushed;
  });
});

describe('a descriptor that is written synchronously', () => {
  const workshop = createWorkshop();
  const path = join(workshop.directory, 'file');
  afterEach(() => vi.restoreAllMocks());
  afterAll(() => workshop.remove());

  test('may be full for a moment, and may take less than it was given', async () => {
    const real = fs.writeSync;
    const writes = vi.spyOn(fs, 'writeSync');
    writes.mockImplementationOnce(() => {
      throw Object.assign(new Error('full'), { code: 'EAGAIN' });
    });
    writes.mockImplementationOnce((fd, bytes, at) => real(fd, bytes as unknown as Uint8Array, at as number, 3));
    const fd = fs.openSync(path, 'w');
    const left = vi.fn();
    createFileSink(fd).send(['é12345', new Uint8Array([0x0a])], left);
    fs.closeSync(fd);
    expect(left).toHaveBeenCalledOnce();
    expect(fs.readFileSync(path, 'utf8')).toBe('é12345\n');
  });

  test('that fails is a reader that is gone', async () => {
    fs.writeFileSync(path, '');
    const fd = fs.openSync(path, 'r');
    const sink = createFileSink(fd);
    const left = vi.fn();
    sink.send(['text'], left);
    fs.closeSync(fd);
    await sink.broken;
    expect(left).not.toHaveBeenCalled();
  });
});

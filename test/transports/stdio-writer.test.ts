import fs from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { createDeferred } from '../../src/base/index.ts';
import type { Chunk } from '../../src/contracts/index.ts';
import { createFileSink, type FrameSink } from '../../src/transports/stdio-sink.ts';
import { FrameWriter } from '../../src/transports/stdio-writer.ts';
import { createScratchDirectory } from './processes.ts';

/** A sink that records the batches; the test completes them. */
function createRecordingSink() {
  const batches: { pieces: readonly Chunk[]; onWritten: () => void }[] = [];
  const readerClosed = createDeferred();
  const sink: FrameSink = {
    readerClosed: readerClosed.promise,
    send: (pieces, onWritten) => batches.push({ pieces, onWritten }),
  };
  return { sink, batches, closeReader: () => readerClosed.resolve() };
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
  test('are sent as one text, including those of pending microtasks', async () => {
    const { sink, batches } = createRecordingSink();
    const writer = new FrameWriter(sink);
    await Promise.resolve();
    writer.write(['a', '\n']);
    await Promise.resolve();
    writer.write(['b\n']);
    expect(batches).toEqual([]);
    await new Promise(process.nextTick);
    expect(batches.map(({ pieces }) => pieces)).toEqual([['a\nb\n']]);
  });

  test('small pieces are copied together, large ones are passed on unchanged', async () => {
    const { sink, batches } = createRecordingSink();
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

describe('back-pressure', () => {
  test('starts at 256 KiB and ends when less is pending', async () => {
    const { sink, batches } = createRecordingSink();
    const writer = new FrameWriter(sink);
    expect(writer.write(['x'.repeat(200 * 1024)])).toBe(true);
    await new Promise(setImmediate);
    expect(writer.write(['y'.repeat(56 * 1024 - 1)])).toBe(true);
    expect(await isDone(writer.waitForDrain())).toBe(true);
    expect(writer.write(['z'])).toBe(false);
    const drained = writer.waitForDrain();
    expect(await isDone(drained)).toBe(false);
    batches[0]!.onWritten();
    await drained;
  });

  test('flush waits for earlier writes, not for later ones', async () => {
    const { sink, batches } = createRecordingSink();
    const writer = new FrameWriter(sink);
    writer.write(['before\n']);
    const flushed = writer.flush();
    writer.write(['after\n']);
    expect(await isDone(flushed)).toBe(false);
    expect(batches.length).toBe(2);
    batches[0]!.onWritten();
    await flushed;
  });

  test('all waits resolve when the reader has closed, and nothing more is sent', async () => {
    const { sink, batches, closeReader } = createRecordingSink();
    const writer = new FrameWriter(sink);
    writer.write(['x'.repeat(300 * 1024)]);
    const waiting = [writer.waitForDrain(), writer.flush()];
    closeReader();
    await Promise.all([...waiting, writer.readerClosed]);
    expect(writer.write(['x'.repeat(300 * 1024)])).toBe(true);
    await writer.flush();
    await writer.waitForDrain();
    expect(batches.length).toBe(1);
  });

  test('a closed writer ignores new frames and still sends the accepted ones', async () => {
    const { sink, batches } = createRecordingSink();
    const writer = new FrameWriter(sink);
    writer.write(['last\n']);
    writer.close();
    writer.write(['too late\n']);
    const flushed = writer.flush();
    expect(batches.map(({ pieces }) => pieces)).toEqual([['last\n']]);
    expect(await isDone(flushed)).toBe(false);
    batches[0]!.onWritten();
    await flushed;
  });
});

describe('file sink', () => {
  const scratch = createScratchDirectory();
  const path = join(scratch.directory, 'file');
  afterEach(() => vi.restoreAllMocks());
  afterAll(() => scratch.remove());

  test('EAGAIN and partial writes are retried', async () => {
    const real = fs.writeSync;
    const writes = vi.spyOn(fs, 'writeSync');
    writes.mockImplementationOnce(() => {
      throw Object.assign(new Error('full'), { code: 'EAGAIN' });
    });
    writes.mockImplementationOnce((fd, bytes, at) => real(fd, bytes as unknown as Uint8Array, at as number, 3));
    const fd = fs.openSync(path, 'w');
    const onWritten = vi.fn();
    createFileSink(fd).send(['é12345', new Uint8Array([0x0a])], onWritten);
    fs.closeSync(fd);
    expect(onWritten).toHaveBeenCalledOnce();
    expect(fs.readFileSync(path, 'utf8')).toBe('é12345\n');
  });

  test('a failed write counts as a closed reader', async () => {
    fs.writeFileSync(path, '');
    const fd = fs.openSync(path, 'r');
    const sink = createFileSink(fd);
    const onWritten = vi.fn();
    sink.send(['text'], onWritten);
    fs.closeSync(fd);
    await sink.readerClosed;
    expect(onWritten).not.toHaveBeenCalled();
  });
});

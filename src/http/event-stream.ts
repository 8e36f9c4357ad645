// A stream of server-sent events as a transport: each frame becomes one event, with its sequence number as id.
import { createDeferred } from '../base/index.ts';
import type { Chunk, Clock, Transport } from '../contracts/index.ts';

export interface EventStream {
  readonly transport: Transport;
  readonly body: ReadableStream<Uint8Array>;
  /** Resolves when the first frame is written. */
  readonly opened: Promise<void>;
  /** Sends a last event and ends the stream. */
  close(reason: string): void;
}

/** Proxies and clients notice by these comments that the connection is alive. */
const HEARTBEAT_MS = 10_000;
/** Bytes that wait in the stream, before frames wait in the outbox, where they are folded. */
const HIGH_WATER_BYTES = 256 * 1024;
/** Where the type of a frame is searched. */
const HEAD_LENGTH = 400;

export function createEventStream(clock: Clock): EventStream {
  const encoder = new TextEncoder();
  const closed = createDeferred();
  const opened = createDeferred();
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  let drained = createDeferred();
  let isOpen = true;
  let cancelHeartbeat = () => {};
  const finish = () => {
    isOpen = false;
    cancelHeartbeat();
    drained.resolve();
    closed.resolve();
  };
  const body = new ReadableStream<Uint8Array>(
    {
      start(created) {
        controller = created;
      },
      pull() {
        drained.resolve();
        drained = createDeferred();
      },
      cancel: finish,
    },
    { highWaterMark: HIGH_WATER_BYTES, size: (chunk) => chunk?.byteLength ?? 0 },
  );
  const write = (text: string): boolean => {
    if (isOpen) controller?.enqueue(encoder.encode(text));
    return !isOpen || (controller?.desiredSize ?? 0) > 0;
  };
  const beat = () => {
    cancelHeartbeat = clock.after(HEARTBEAT_MS, () => {
      write(':\n\n');
      beat();
    });
  };
  beat();
  const transport: Transport = {
    lines: waitUntilClosed(closed.promise),
    write(chunks) {
      opened.resolve();
      return write(formatEvent(joinText(chunks)));
    },
    waitForDrain: () => drained.promise,
    readerClosed: closed.promise,
    flush: async () => {},
  };
  return {
    transport,
    body,
    opened: opened.promise,
    close(reason) {
      if (!isOpen) return;
      write(`event: end\ndata: ${JSON.stringify({ reason })}\n\n`);
      finish();
      controller?.close();
    },
  };
}

/** A client of the stream sends nothing. */
function waitUntilClosed(closed: Promise<void>): Transport['lines'] {
  const next = async () => {
    await closed;
    return { done: true as const, value: undefined };
  };
  return { [Symbol.asyncIterator]: () => ({ next }) };
}

function joinText(chunks: readonly Chunk[]): string {
  const decoder = new TextDecoder();
  const text = chunks.map((chunk) => (typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true })));
  return text.join('').trimEnd();
}

/** Searched at the start only: the rest of a frame can contain arguments of a tool call that have the same names. */
const POSITION = /^\{"seq":(\d+)/;
/** The `seq` of `session_attached` is no position, because the events that it announces follow. */
const SNAPSHOT_POSITION = /^\{"type":"session_snapshot","reason":"[a-z_]+","sessionId":"[^"]*","seq":(\d+)/;

function formatEvent(frame: string): string {
  const [, type = 'message'] = /"type":"([a-z_]+)"/.exec(frame.slice(0, HEAD_LENGTH)) ?? [];
  const [, seq] = POSITION.exec(frame) ?? SNAPSHOT_POSITION.exec(frame) ?? [];
  return `${seq === undefined ? '' : `id: ${seq}\n`}event: ${type}\ndata: ${frame}\n\n`;
}

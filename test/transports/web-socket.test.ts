// The transport over a WebSocket on the side of the server: frames, back pressure in both directions, and the end.
import { describe, expect, test } from 'vitest';
import type { Line } from '../../src/base/index.ts';
import { createWebSocketTransport, type WebSocketLike } from '../../src/transports/web-socket-transport.ts';

type Listener = (...args: never[]) => void;

/** Records what the transport does with the socket. */
function createSocket() {
  const listeners = new Map<string, Listener>();
  const log: string[] = [];
  const sent: { data: string; done(): void }[] = [];
  const socket: WebSocketLike = {
    send: (data, _, onSent) => void sent.push({ data: Buffer.from(data as string).toString(), done: () => onSent() }),
    close: (code, reason) => void log.push(`close ${code} ${reason}`),
    terminate: () => void log.push('terminate'),
    pause: () => void log.push('pause'),
    resume: () => void log.push('resume'),
    on: (event: string, listener: Listener) => void listeners.set(event, listener),
  };
  const emit = (event: string, ...args: unknown[]) => listeners.get(event)?.(...(args as never[]));
  const receive = (text: string, isBinary = false) => emit('message', Buffer.from(text), isBinary);
  return { socket, log, sent, emit, receive };
}

async function readAll(lines: AsyncIterable<Line>): Promise<Line[]> {
  const read: Line[] = [];
  for await (const line of lines) read.push(line);
  return read;
}

test('a message is one line, and a written frame one message without its newline', async () => {
  const { socket, sent, emit, receive } = createSocket();
  const transport = createWebSocketTransport(socket);
  receive('{"a":1}');
  receive('x', true);
  emit('close');
  expect(await readAll(transport.lines)).toEqual([
    { text: '{"a":1}' },
    { problem: 'binary messages are not supported' },
  ]);
  const open = createSocket();
  const other = createWebSocketTransport(open.socket);
  other.write(['{"b":', '2}\n']);
  other.write([new TextEncoder().encode('{"c":3}\n')]);
  expect([...sent, ...open.sent].map(({ data }) => data)).toEqual(['{"b":2}', '{"c":3}']);
});

describe('a client that sends faster than its lines are processed', () => {
  test('is paused, and resumed when they are processed', async () => {
    const { socket, log, receive, emit } = createSocket();
    const transport = createWebSocketTransport(socket);
    for (let i = 0; i < 1001; i++) receive('{}');
    expect(log[0]).toBe('pause');
    emit('close');
    expect(await readAll(transport.lines)).toHaveLength(1001);
    expect(log.at(-1)).toBe('resume');
  });

  test('can answer the end of the connection, and what it has sent before is not processed', async () => {
    const { socket, log, receive, emit } = createSocket();
    const transport = createWebSocketTransport(socket);
    for (let i = 0; i < 1001; i++) receive('{}');
    transport.close(4429, 'Too many frames');
    expect(log).toEqual(['pause', 'close 4429 Too many frames', 'resume']);
    const lines = readAll(transport.lines);
    for (let i = 0; i < 5000; i++) receive('{}');
    emit('close');
    expect((await lines).length).toBeLessThanOrEqual(1001);
    expect(log.filter((entry) => entry === 'pause')).toHaveLength(1);
  });
});

test('the writer waits while too many bytes are not sent', async () => {
  const { socket, sent } = createSocket();
  const transport = createWebSocketTransport(socket);
  let hasSpace = true;
  for (let i = 0; hasSpace && i < 1000; i++) hasSpace = transport.write([`${'x'.repeat(100_000)}\n`]);
  expect(hasSpace).toBe(false);
  const drained = transport.waitForDrain();
  for (const { done } of sent) done();
  await drained;
  expect(transport.write(['{}\n'])).toBe(true);
});

test('a reason that does not fit into a close frame is cut between characters', () => {
  const { socket, log } = createSocket();
  createWebSocketTransport(socket).close(4400, 'é'.repeat(200));
  expect(Buffer.byteLength(log[0]?.slice('close 4400 '.length) ?? '')).toBe(120);
  expect(log[0]).not.toContain('\ufffd');
});

test('an error ends the lines and the writer', async () => {
  const { socket, emit, sent } = createSocket();
  const transport = createWebSocketTransport(socket);
  emit('error', new Error('reset'));
  await transport.readerClosed;
  expect(await readAll(transport.lines)).toEqual([]);
  expect(transport.write(['{}\n'])).toBe(true);
  expect(sent).toEqual([]);
});

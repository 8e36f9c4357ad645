// Tests of the WebSocket of this package: frames, fragments, control frames, limits and violations of the protocol.
import { createHash } from 'node:crypto';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { array, assert, asyncProperty, integer, property, string, tuple, uint8Array } from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import type { ClientTransport } from '../../src/client/index.ts';
import { openNodeWebSocket } from '../../src/client/socket/node-web-socket.ts';
import {
  CLOSE_CODES,
  encodeFrame,
  OPCODES,
  WebSocketFrameReader,
  type WebSocketMessage,
  WebSocketProtocolError,
} from '../../src/client/socket/web-socket-frames.ts';

const OPTIONS = { signal: new AbortController().signal, maxMessageBytes: 1000, pingIntervalMs: 60_000 };
const KEY_SUFFIX = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

/** A frame as a server sends it: without a mask. */
function serverFrame(opcode: number, payload: Uint8Array, { isFinal = true } = {}): Uint8Array {
  const masked = encodeFrame(opcode, payload, new Uint8Array(4));
  const headerLength = masked.length - payload.length - 4;
  const frame = Buffer.concat([masked.subarray(0, headerLength), payload]);
  frame[1] = (frame[1] ?? 0) & 0x7f;
  if (!isFinal) frame[0] = (frame[0] ?? 0) & 0x7f;
  return frame;
}

const encode = (text: string) => new TextEncoder().encode(text);

function readAll(bytes: Uint8Array, sizes: readonly number[], maxBytes = 1_000_000): WebSocketMessage[] {
  const reader = new WebSocketFrameReader(maxBytes);
  const messages: WebSocketMessage[] = [];
  let at = 0;
  for (const size of [...sizes, bytes.length]) {
    messages.push(...reader.push(bytes.subarray(at, at + size)));
    at += size;
  }
  return messages;
}

describe('frames', () => {
  test('any text, in any fragments and chunks, is read as it was sent', () => {
    const texts = array(tuple(string({ unit: 'binary', maxLength: 300 }), array(integer({ min: 0, max: 200 }))));
    assert(
      property(texts, array(integer({ min: 1, max: 50 })), (messages, sizes) => {
        const frames = messages.flatMap(([text, cuts]) => {
          const payload = encode(text.toWellFormed());
          const ends = [...new Set([...cuts.map((cut) => Math.min(cut, payload.length)), payload.length])].sort(
            (a, b) => a - b,
          );
          return ends.map((end, at) =>
            serverFrame(at === 0 ? OPCODES.text : OPCODES.continuation, payload.subarray(ends[at - 1] ?? 0, end), {
              isFinal: end === payload.length,
            }),
          );
        });
        const read = readAll(Buffer.concat(frames), sizes);
        expect(read).toEqual(messages.map(([text]) => ({ kind: 'text', text: text.toWellFormed() })));
      }),
    );
  });

  test.each([0, 125, 126, 127, 65_535, 65_536])('a message of %i bytes', (length) => {
    const payload = encode('x'.repeat(length));
    expect(readAll(serverFrame(OPCODES.text, payload), [])).toEqual([{ kind: 'text', text: 'x'.repeat(length) }]);
  });

  test('the payload is masked', () => {
    assert(
      property(uint8Array({ maxLength: 200 }), uint8Array({ minLength: 4, maxLength: 4 }), (payload, mask) => {
        const frame = encodeFrame(OPCODES.text, payload, mask);
        const start = frame.length - payload.length;
        expect([...frame.subarray(start - 4, start)]).toEqual([...mask]);
        const unmasked = frame.subarray(start).map((byte, at) => byte ^ (mask[at % 4] ?? 0));
        expect([...unmasked]).toEqual([...payload]);
      }),
    );
  });

  const TEXT = encode('x');
  test.each<[string, Uint8Array, number]>([
    ['a reserved bit', Buffer.from([0xc1, 0]), CLOSE_CODES.protocolError],
    ['a masked frame', Buffer.from([0x81, 0x80, 0, 0, 0, 0]), CLOSE_CODES.protocolError],
    ['a binary message', serverFrame(OPCODES.binary, TEXT), CLOSE_CODES.protocolError],
    ['an unknown opcode', serverFrame(3, TEXT), CLOSE_CODES.protocolError],
    ['a continuation without a start', serverFrame(OPCODES.continuation, TEXT), CLOSE_CODES.protocolError],
    [
      'a new message inside another',
      Buffer.concat([serverFrame(OPCODES.text, TEXT, { isFinal: false }), serverFrame(OPCODES.text, TEXT)]),
      CLOSE_CODES.protocolError,
    ],
    ['a fragmented ping', serverFrame(OPCODES.ping, TEXT, { isFinal: false }), CLOSE_CODES.protocolError],
    ['a long ping', serverFrame(OPCODES.ping, new Uint8Array(126)), CLOSE_CODES.protocolError],
    ['a close frame of one byte', serverFrame(OPCODES.close, TEXT), CLOSE_CODES.protocolError],
    ...[0, 999, 1004, 1005, 1006, 1015, 2999, 5000].map(
      (code) =>
        [
          `the close code ${code}`,
          serverFrame(OPCODES.close, Buffer.from([code >> 8, code & 0xff])),
          CLOSE_CODES.protocolError,
        ] satisfies [string, Uint8Array, number],
    ),
    [
      'a close frame with invalid UTF-8',
      serverFrame(OPCODES.close, Buffer.from([3, 232, 0xff])),
      CLOSE_CODES.invalidText,
    ],
    ['invalid UTF-8', serverFrame(OPCODES.text, Buffer.from([0xff])), CLOSE_CODES.invalidText],
    ['a message above the limit', serverFrame(OPCODES.text, new Uint8Array(1001)), CLOSE_CODES.tooLarge],
    [
      'fragments above the limit',
      Buffer.concat([
        serverFrame(OPCODES.text, new Uint8Array(600), { isFinal: false }),
        serverFrame(OPCODES.continuation, new Uint8Array(600)),
      ]),
      CLOSE_CODES.tooLarge,
    ],
    ['a length of 64 bits above the limit', Buffer.from([0x81, 127, 255, 0, 0, 0, 0, 0, 0, 0]), CLOSE_CODES.tooLarge],
  ])('%s is refused', (_, bytes, closeCode) => {
    let thrown: unknown;
    try {
      readAll(bytes, [], 1000);
    } catch (problem) {
      thrown = problem;
    }
    expect(thrown).toBeInstanceOf(WebSocketProtocolError);
    expect(thrown).toMatchObject({ closeCode });
  });
});

async function openPair(): Promise<{ transport: ClientTransport; server: WebSocket }> {
  const webSockets = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => void webSockets.close());
  await new Promise((resolve) => webSockets.once('listening', resolve));
  const connected = new Promise<WebSocket>((resolve) => webSockets.once('connection', resolve));
  const { port } = webSockets.address() as AddressInfo;
  const transport = await openNodeWebSocket(new URL(`ws://127.0.0.1:${port}/ws`), OPTIONS);
  return { transport, server: await connected };
}

async function collect({ lines, closed }: ClientTransport) {
  const received: string[] = [];
  for await (const line of lines) received.push(line);
  return { received, exitInfo: await closed };
}

describe('against the package ws', () => {
  test('fragments, pings and the close frame', async () => {
    const { transport, server } = await openPair();
    const pong = new Promise<string>((resolve) => server.once('pong', (data) => resolve(String(data))));
    server.send('one ', { fin: false });
    server.ping('are you there');
    server.send('message', { fin: true });
    const collected = collect(transport);
    expect(await pong).toBe('are you there');
    const closed = new Promise<number>((resolve) => server.once('close', resolve));
    server.close(4408, 'reads too slowly');
    expect(await collected).toEqual({
      received: ['one message'],
      exitInfo: { closeCode: 4408, reason: 'reads too slowly' },
    });
    expect(await closed).toBe(4408);
  });

  test('texts of any size are received by the server', async () => {
    const { transport, server } = await openPair();
    void collect(transport);
    await assert(
      asyncProperty(string({ unit: 'binary', maxLength: 70_000, size: 'max' }), async (text) => {
        const received = new Promise<string>((resolve) => server.once('message', (data) => resolve(String(data))));
        transport.write(`${text.toWellFormed()}\n`);
        expect(await received).toBe(text.toWellFormed());
      }),
      { numRuns: 30 },
    );
    transport.end();
    expect((await transport.closed).closeCode).toBe(1000);
  });

  test('a message above the limit ends the connection with code 1009', async () => {
    const { transport, server } = await openPair();
    const closed = new Promise<number>((resolve) => server.once('close', resolve));
    server.send('x'.repeat(1001));
    const { exitInfo } = await collect(transport);
    expect(exitInfo).toEqual({ closeCode: 1009, reason: 'a message has more than 1000 bytes' });
    expect(await closed).toBe(1009);
  });

  test('reading stops while the consumer is slow', async () => {
    const { transport, server } = await openPair();
    const iterator = transport.lines[Symbol.asyncIterator]();
    const text = 'x'.repeat(999);
    const sent = new Promise<void>((resolve) => server.send(text, () => resolve()));
    await iterator.next();
    await sent;
    // More than the buffers of both sockets hold.
    for (let at = 0; at < 20_000; at++) server.send(text);
    expect((await iterator.next()).value).toBe(text);
    const unsent = () => server.bufferedAmount;
    await new Promise((resolve) => setImmediate(resolve));
    expect(unsent()).toBeGreaterThan(1_000_000);
    let count = 1;
    for await (const _ of { [Symbol.asyncIterator]: () => iterator }) if (++count === 20_000) break;
    expect(unsent()).toBe(0);
    server.terminate();
  });
});

/** A server that answers the handshake and then does what `act` does. */
async function startRawServer(act: (socket: Socket) => void, accept = computeAccept): Promise<URL> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', (request) => {
      const [, key = ''] = /sec-websocket-key: (.*)\r\n/i.exec(String(request)) ?? [];
      const head = `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\n`;
      socket.write(`${head}sec-websocket-accept: ${accept(key)}\r\n\r\n`);
      act(socket);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return new URL(`ws://127.0.0.1:${(server.address() as AddressInfo).port}/ws`);
}

function computeAccept(key: string): string {
  return createHash('sha1').update(`${key}${KEY_SUFFIX}`).digest('base64');
}

describe('faulty servers', () => {
  test('a handshake with another key is refused', async () => {
    const url = await startRawServer(
      () => {},
      () => 'wrong',
    );
    await expect(openNodeWebSocket(url, OPTIONS)).rejects.toThrow(
      /^http:\/\/127\.0\.0\.1:\d+ is not a WebSocket server/,
    );
  });

  test('a frame directly after the handshake is not lost', async () => {
    const url = await startRawServer((socket) => {
      socket.write(serverFrame(OPCODES.text, encode('early')));
      socket.end(serverFrame(OPCODES.close, Buffer.from([0x03, 0xe8])));
    });
    const { received, exitInfo } = await collect(await openNodeWebSocket(url, OPTIONS));
    expect(received).toEqual(['early']);
    expect(exitInfo).toEqual({ closeCode: 1000, reason: 'the server closed the connection' });
  });

  test('an end without a close frame is reported', async () => {
    const url = await startRawServer((socket) => socket.end(serverFrame(OPCODES.text, encode('x')).subarray(0, 2)));
    const { received, exitInfo } = await collect(await openNodeWebSocket(url, OPTIONS));
    expect(received).toEqual([]);
    expect(exitInfo).toEqual({ closeCode: 1006, reason: 'the connection was closed' });
  });

  test('a server that does not answer pings counts as unreachable', async () => {
    const url = await startRawServer(() => {});
    const { exitInfo } = await collect(await openNodeWebSocket(url, { ...OPTIONS, pingIntervalMs: 5 }));
    expect(exitInfo).toEqual({ closeCode: 1006, reason: 'the server does not answer' });
  });

  test('a server that does not answer the close frame is left after a while', async () => {
    const url = await startRawServer(() => {});
    const transport = await openNodeWebSocket(url, OPTIONS);
    const collected = collect(transport);
    transport.end();
    expect((await collected).exitInfo.closeCode).toBe(1006);
  });
});

// Requests of clients that send what no correct client sends: wrong positions, wrong frames, half frames and too long ones.
import { createConnection } from 'node:net';
import WebSocket from 'ws';
import type { ServeProcess } from './serve-process.ts';
import { formatQuery } from './wire-connection.ts';

/** Positions that no server has given out, with the reason that the snapshot must have. */
export const WRONG_POSITIONS: readonly (readonly [after: string, reason: string])[] = [
  ['0', 'too_old'],
  ['1', 'too_old'],
  ['9007199254740991', 'unknown_position'],
  ['-5', 'malformed'],
  ['1.5', 'malformed'],
  ['1e300', 'malformed'],
  ['9'.repeat(400), 'malformed'],
  ['abc', 'malformed'],
  ['', 'malformed'],
  ['0x10', 'malformed'],
];

/** Frames that must be answered with an error, or ignored, and must not end the connection. */
export const WRONG_FRAMES: readonly string[] = [
  '',
  '{',
  'null',
  '42',
  '"text"',
  '[]',
  '[[[[[[[[',
  '{"type":5}',
  '{"type":"unknown_command_of_a_test","id":"w1"}',
  '{"type":"prompt","id":"w2"}',
  '{"type":"prompt","id":"w3","message":{"a":1}}',
  '{"type":"extension_ui_response","id":"no-such-dialog","value":"yes"}',
  '{"type":"extension_ui_response","id":"no-such-dialog","confirmed":true}',
  '{"type":"extension_ui_response"}',
  '{"type":"host_tool_result","id":"no-such-call","result":{"content":[]}}',
  '{"type":"connect","session":"other"}',
  '{"id":"w4","type":"__proto__"}',
  '{"id":"w5","type":"constructor","__proto__":{"a":1}}',
  '\u0000\u0001\ufffd',
];

/** Sends all wrong frames and then a correct call. Resolves with the number of error replies. */
export function sendWrongFrames({ url, token }: ServeProcess, sessionId: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = openWebSocket(url, token, formatQuery({ session: sessionId, client: 'wrong-frames' }));
    let errorCount = 0;
    socket.on('open', () => {
      for (const frame of WRONG_FRAMES) socket.send(frame);
      socket.send(Buffer.from([0, 255, 254]), { binary: true });
      socket.send('{"id":"last","type":"get_state"}');
    });
    socket.on('message', (data) => {
      const frame = JSON.parse(String(data)) as Record<string, unknown>;
      if (frame.success === false) errorCount += 1;
      if (frame.id !== 'last') return;
      socket.close();
      resolve(errorCount);
    });
    socket.on('error', reject);
    socket.on('close', (code) => reject(new Error(`The connection was ended with ${code}`)));
  });
}

/** Resolves with the close code. */
export function sendTooLongFrame({ url, token }: ServeProcess, sessionId: string, bytes: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = openWebSocket(url, token, formatQuery({ session: sessionId, client: 'too-long' }));
    socket.on('open', () => socket.send(`{"id":"1","type":"prompt","message":"${'x'.repeat(bytes)}"}`));
    socket.on('error', reject);
    socket.on('close', resolve);
  });
}

/** Bytes that end within a request, a frame or a line. The connection is then reset. */
export async function sendHalfRequests({ url, token, socketPath }: ServeProcess, sessionId: string): Promise<void> {
  const port = Number(new URL(url).port);
  const head = [
    `GET /ws?session=${sessionId}&client=half HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    `Authorization: Bearer ${token}`,
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  ].join('\r\n');
  // A text frame of 100 bytes, of which only a part is sent.
  const halfFrame = Buffer.from([0x81, 0x80 | 100, 1, 2, 3, 4, 5, 6, 7]);
  // A reserved opcode without a mask.
  const wrongFrame = Buffer.from([0xff, 0x7f, 0, 0]);
  const tcp = { port, host: '127.0.0.1' };
  const whole = Buffer.from(`${head}\r\n\r\n`);
  await Promise.all([
    sendAndReset(tcp, Buffer.from(head)),
    sendAndReset(tcp, whole),
    sendAndReset(tcp, Buffer.concat([whole, halfFrame])),
    sendAndReset(tcp, Buffer.concat([whole, wrongFrame])),
    sendAndReset(tcp, Buffer.from(`${head.replace('dGhlIHNhbXBsZSBub25jZQ==', '?')}\r\n\r\n`)),
    sendAndReset(tcp, Buffer.from([0x16, 0x03, 0x01, 0, 0])),
    sendAndReset({ path: socketPath }, Buffer.from('{"type":"connect","sess')),
    sendAndReset({ path: socketPath }, Buffer.from('{"type":"connect","after":[]}\n')),
    sendAndReset({ path: socketPath }, Buffer.from('')),
  ]);
}

function openWebSocket(url: string, token: string, query: string): WebSocket {
  const headers = { authorization: `Bearer ${token}` };
  return new WebSocket(`${url.replace('http', 'ws')}ws?${query}`, { headers });
}

function sendAndReset(address: { port: number; host: string } | { path: string }, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => {
    const socket = createConnection(address, () => {
      socket.write(bytes, () => {
        if ('port' in address) socket.resetAndDestroy();
        else socket.destroy();
      });
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve());
  });
}

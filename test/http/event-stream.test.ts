// The stream of server-sent events: ids, names, heartbeats, back pressure and the end.
import { describe, expect, test } from 'vitest';
import { createEventStream } from '../../src/http/event-stream.ts';
import { createFakeClock } from '../../src/testing/index.ts';

function openStream() {
  const clock = createFakeClock();
  const stream = createEventStream(clock);
  const reader = stream.body.getReader();
  const decoder = new TextDecoder();
  const read = async () => {
    const { value, done } = await reader.read();
    return done ? undefined : decoder.decode(value);
  };
  return { clock, ...stream, reader, read };
}

const write = ({ transport }: ReturnType<typeof openStream>, frame: object) =>
  transport.write([`${JSON.stringify(frame)}\n`]);

test('a frame is one event with its type and its position', async () => {
  const stream = openStream();
  write(stream, { seq: 7, type: 'agent_start' });
  expect(await stream.read()).toBe('id: 7\nevent: agent_start\ndata: {"seq":7,"type":"agent_start"}\n\n');
  write(stream, { type: 'ready' });
  expect(await stream.read()).toBe('event: ready\ndata: {"type":"ready"}\n\n');
});

test('the frame that names the session is no position', async () => {
  const stream = openStream();
  write(stream, { type: 'session_attached', seq: 9 });
  expect(await stream.read()).not.toContain('id:');
});

test('a snapshot is a position', async () => {
  const stream = openStream();
  write(stream, { type: 'session_snapshot', reason: 'too_old', sessionId: 's1', seq: 9, state: {} });
  expect(await stream.read()).toContain('id: 9\nevent: session_snapshot\n');
});

test('arguments of a tool call are not read as the position of a question without one', async () => {
  const stream = openStream();
  const toolCall = { arguments: { seq: 99, type: 'session_snapshot', reason: 'x', sessionId: 's1' } };
  write(stream, { type: 'extension_ui_request', id: 'q1', method: 'select', toolCall });
  expect(await stream.read()).toMatch(/^event: extension_ui_request\n/);
});

test('texts of a frame are not read as its position or as lines of the stream', async () => {
  const stream = openStream();
  write(stream, { type: 'notice', message: '"seq":5 "type":"agent_end"\n\nid: 3\ndata: x' });
  const text = (await stream.read()) ?? '';
  expect(text.startsWith('event: notice\ndata: {')).toBe(true);
  expect(text.trimEnd().split('\n')).toHaveLength(2);
});

test('mixed chunks are joined, also inside a character', async () => {
  const stream = openStream();
  const bytes = new TextEncoder().encode('{"type":"x_y","text":"é"}\n');
  const at = bytes.indexOf(0xc3) + 1;
  stream.transport.write([bytes.subarray(0, at), bytes.subarray(at)]);
  expect(await stream.read()).toBe('event: x_y\ndata: {"type":"x_y","text":"é"}\n\n');
});

test('a comment is sent every ten seconds', async () => {
  const stream = openStream();
  await stream.clock.advance(9_999);
  write(stream, { type: 'ready' });
  expect(await stream.read()).toContain('event: ready');
  await stream.clock.advance(1);
  expect(await stream.read()).toBe(':\n\n');
  await stream.clock.advance(10_000);
  expect(await stream.read()).toBe(':\n\n');
});

describe('the end', () => {
  test('by the server is an event with the reason', async () => {
    const stream = openStream();
    stream.close('The server ends.');
    expect(await stream.read()).toBe('event: end\ndata: {"reason":"The server ends."}\n\n');
    expect(await stream.read()).toBeUndefined();
    await stream.transport.readerClosed;
    expect(write(stream, { type: 'ready' })).toBe(true);
    await stream.clock.advance(60_000);
  });

  test('by the client ends the lines, and nothing is written any more', async () => {
    const stream = openStream();
    await stream.reader.cancel();
    await stream.transport.readerClosed;
    for await (const line of stream.transport.lines) throw new Error(`a line: ${JSON.stringify(line)}`);
    expect(write(stream, { type: 'ready' })).toBe(true);
    await stream.clock.advance(60_000);
  });
});

test('a client that does not read stops the writer until it reads', async () => {
  const stream = openStream();
  const frame = { type: 'x', text: 'x'.repeat(100_000) };
  let hasSpace = true;
  let written = 0;
  for (; hasSpace; written++) hasSpace = write(stream, frame);
  expect(written).toBeLessThan(5);
  let isDrained = false;
  const drained = Promise.resolve(stream.transport.waitForDrain()).then(() => {
    isDrained = true;
  });
  await Promise.resolve();
  expect(isDrained).toBe(false);
  for (let i = 0; i < written; i++) await stream.read();
  await drained;
  expect(isDrained).toBe(true);
});

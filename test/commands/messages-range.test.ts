// get_messages_range with many and with long messages: the limits of a reply, and reading a whole conversation in both directions.
import { expect, test } from 'vitest';
import { getMessagesRange } from '../../src/commands/messages-page.ts';
import type { CallContext } from '../../src/contracts/index.ts';
import type { AgentMessage } from '../../src/protocol/index.ts';

const MAX_BYTES = 768 * 1024;

function createReader(texts: readonly string[]) {
  const messages = texts.map((text): AgentMessage => ({ role: 'user', content: text, timestamp: 0 }));
  const session = { id: 'one', history: { messages: () => [...messages] } };
  const read = (params: { start?: number; end?: number }) =>
    getMessagesRange.run(params, { session } as unknown as CallContext);
  return { messages, read };
}

const many = Array.from({ length: 20_000 }, (_, index) => `message ${index}`);

test('a reply has at most 256 messages: the first ones after a start, otherwise the last ones before the end', async () => {
  const { messages, read } = createReader(many);
  expect(await read({ start: 10 })).toEqual({
    messages: messages.slice(10, 266),
    start: 10,
    totalMessages: 20_000,
    sessionId: 'one',
  });
  expect(await read({ end: 1000 })).toMatchObject({ messages: messages.slice(744, 1000), start: 744 });
  expect(await read({ start: -1000 })).toMatchObject({ messages: messages.slice(-256), start: 19_744 });
  expect(await read({ start: -1000, end: 19_100 })).toMatchObject({
    messages: messages.slice(19_000, 19_100),
    start: 19_000,
  });
});

test('a client that reads backwards gets each message once', async () => {
  const { messages, read } = createReader([...many.slice(0, 700), 'x'.repeat(500_000), 'y'.repeat(500_000)]);
  let found: AgentMessage[] = [];
  let end = messages.length;
  while (end > 0) {
    const page = await read({ end });
    expect(page.messages.length).toBeGreaterThan(0);
    found = [...page.messages, ...found];
    end = page.start;
  }
  expect(found).toEqual(messages);
});

test('a reply has about 768 KiB, and at least one message', async () => {
  const { messages, read } = createReader(Array.from({ length: 10 }, () => 'x'.repeat(200_000)));
  const first = await read({ start: 2 });
  expect(first).toMatchObject({ messages: messages.slice(2, 5), start: 2 });
  expect(JSON.stringify(first).length).toBeLessThan(MAX_BYTES + 1000);
  expect(await read({})).toMatchObject({ messages: messages.slice(7), start: 7 });
  const long = createReader(['a', 'x'.repeat(2_000_000), 'b']);
  expect((await long.read({ start: 1 })).messages).toEqual(long.messages.slice(1, 2));
  expect(await long.read({ end: 2 })).toMatchObject({ messages: long.messages.slice(1, 2), start: 1 });
});

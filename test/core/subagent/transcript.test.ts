// Following a log from byte to byte gives every whole line once, in order, however it is written and whenever one asks.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Files } from '../../../src/contracts/index.ts';
import { readTranscript } from '../../../src/core/subagent/transcript.ts';

type Log = Pick<Files, 'info' | 'read'> & { bytes: Uint8Array };

function logOf(text: string): Log {
  const log: Log = {
    bytes: new TextEncoder().encode(text),
    info: async () => ({ kind: 'file', size: log.bytes.length, modifiedMs: 0, mode: 0o600 }),
    read: async (_, { start = 0, length = log.bytes.length } = {}) => log.bytes.subarray(start, start + length),
  };
  return log;
}

const known = new Map([['One', '/project/one.jsonl']]);
const lineOf = (text: string) => `${JSON.stringify({ type: 'custom', customType: 'x', data: text })}\n`;

test('nothing is lost or told twice', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ unit: 'grapheme', maxLength: 30 }), { maxLength: 20 }),
      fc.array(fc.nat(2000), { maxLength: 10 }),
      async (texts, stops) => {
        const whole = new TextEncoder().encode(texts.map(lineOf).join(''));
        const log = logOf('');
        const told: unknown[] = [];
        let fromByte = 0;
        // It grows while it is read, and is seen at any instant: also in the middle of a character.
        for (const stop of [...stops.sort((a, b) => a - b), whole.length]) {
          log.bytes = whole.subarray(0, Math.max(stop, log.bytes.length));
          const page = await readTranscript(log, known, { subagentId: 'One', fromByte });
          expect(page).toMatchObject({ fromByte, reset: false });
          told.push(...page.entries.map((entry) => (entry as { data?: unknown }).data));
          fromByte = page.nextByte;
        }
        expect(told).toEqual(texts);
        expect(fromByte).toBe(whole.length);
      },
    ),
    { numRuns: 300 },
  );
});

test('a long log comes in pages, and a line that is longer than a page comes whole', async () => {
  const texts = ['a'.repeat(500_000), 'b'.repeat(500_000), 'c'.repeat(3_000_000), 'd'];
  const log = logOf(texts.map(lineOf).join(''));
  const pages: string[] = [];
  let fromByte = 0;
  while (fromByte < log.bytes.length) {
    const page = await readTranscript(log, known, { sessionFile: '/project/one.jsonl', fromByte });
    pages.push(page.entries.map((entry) => String((entry as { data?: unknown }).data)[0]).join(''));
    fromByte = page.nextByte;
  }
  expect(pages).toEqual(['a', 'b', 'cd']);
});

test('a log that is not written yet is empty; one that became shorter is read anew', async () => {
  const nowhere: Log = { ...logOf(''), info: async () => undefined };
  expect(await readTranscript(nowhere, known, { subagentId: 'One', fromByte: 7 })).toEqual({
    sessionFile: '/project/one.jsonl',
    fromByte: 7,
    nextByte: 7,
    reset: false,
    entries: [],
    messages: [],
  });
  const log = logOf(lineOf('x'));
  expect(await readTranscript(log, known, { subagentId: 'One', fromByte: 9999 })).toMatchObject({
    fromByte: 0,
    nextByte: log.bytes.length,
    reset: true,
    entries: [{ data: 'x' }],
  });
});

test('a torn line says nothing, and the next one does', async () => {
  const log = logOf(`{"type":"mess\n[]\nnull\n${lineOf('x')}`);
  expect((await readTranscript(log, known, { subagentId: 'One' })).entries).toMatchObject([{ data: 'x' }]);
});

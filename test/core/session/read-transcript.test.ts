// Reading a growing log by byte offset returns every complete line once and in order.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Files } from '../../../src/contracts/index.ts';
import { readTranscript } from '../../../src/core/session/read-transcript.ts';

type Log = Pick<Files, 'info' | 'read'> & { bytes: Uint8Array };

function createLog(text: string): Log {
  const log: Log = {
    bytes: new TextEncoder().encode(text),
    info: async () => ({ kind: 'file', size: log.bytes.length, modifiedMs: 0, mode: 0o600 }),
    read: async (_, { start = 0, length = log.bytes.length } = {}) => log.bytes.subarray(start, start + length),
  };
  return log;
}

const sessionFiles = new Map([['One', '/project/one.jsonl']]);
const createLine = (text: string) => `${JSON.stringify({ type: 'custom', customType: 'x', data: text })}\n`;

test('no entry is lost or returned twice', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ unit: 'grapheme', maxLength: 30 }), { maxLength: 20 }),
      fc.array(fc.nat(2000), { maxLength: 10 }),
      async (texts, stops) => {
        const whole = new TextEncoder().encode(texts.map(createLine).join(''));
        const log = createLog('');
        const entries: unknown[] = [];
        let fromByte = 0;
        // The log grows between reads. A read can happen at any byte, also in the middle of a character.
        for (const stop of [...stops.sort((a, b) => a - b), whole.length]) {
          log.bytes = whole.subarray(0, Math.max(stop, log.bytes.length));
          const page = await readTranscript(log, sessionFiles, { subagentId: 'One', fromByte });
          expect(page).toMatchObject({ fromByte, reset: false });
          entries.push(...page.entries.map((entry) => (entry as { data?: unknown }).data));
          fromByte = page.nextByte;
        }
        expect(entries).toEqual(texts);
        expect(fromByte).toBe(whole.length);
      },
    ),
    { numRuns: 300 },
  );
});

test('a long log is returned in pages; a line longer than a page is returned complete', async () => {
  const texts = ['a'.repeat(500_000), 'b'.repeat(500_000), 'c'.repeat(3_000_000), 'd'];
  const log = createLog(texts.map(createLine).join(''));
  const pages: string[] = [];
  let fromByte = 0;
  while (fromByte < log.bytes.length) {
    const page = await readTranscript(log, sessionFiles, { sessionFile: '/project/one.jsonl', fromByte });
    pages.push(page.entries.map((entry) => String((entry as { data?: unknown }).data)[0]).join(''));
    fromByte = page.nextByte;
  }
  expect(pages).toEqual(['a', 'b', 'cd']);
});

test('a missing log is empty; a log that became shorter is read from the start', async () => {
  const missingLog: Log = { ...createLog(''), info: async () => undefined };
  expect(await readTranscript(missingLog, sessionFiles, { subagentId: 'One', fromByte: 7 })).toEqual({
    sessionFile: '/project/one.jsonl',
    fromByte: 7,
    nextByte: 7,
    reset: false,
    entries: [],
    messages: [],
  });
  const log = createLog(createLine('x'));
  expect(await readTranscript(log, sessionFiles, { subagentId: 'One', fromByte: 9999 })).toMatchObject({
    fromByte: 0,
    nextByte: log.bytes.length,
    reset: true,
    entries: [{ data: 'x' }],
  });
});

test('a truncated line is skipped and the next line is read', async () => {
  const log = createLog(`{"type":"mess\n[]\nnull\n${createLine('x')}`);
  expect((await readTranscript(log, sessionFiles, { subagentId: 'One' })).entries).toMatchObject([{ data: 'x' }]);
});

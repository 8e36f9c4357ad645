// The tail of an output: exact totals and the last complete lines within both limits.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { OutputTail, type TailSnapshot } from '../../src/tools/output-tail.ts';

const MAX_BYTES = 51_200;

function createTail(...chunks: (string | Uint8Array)[]): TailSnapshot {
  const tail = new OutputTail();
  for (const chunk of chunks) tail.append(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
  return tail.snapshot();
}

describe('counting lines', () => {
  test.each([
    ['', 0],
    ['a', 1],
    ['a\n', 1],
    ['\n', 1],
    ['a\nb', 2],
    ['a\n\n', 2],
  ])('%j is %i', (text, lines) => {
    expect(createTail(text)).toMatchObject({ output: text, totalLines: lines, outputLines: lines, truncated: false });
  });
});

test('output at the limits is not truncated; one more line or byte is', () => {
  expect(createTail('x\n'.repeat(2000))).toMatchObject({ truncated: false, totalLines: 2000, outputLines: 2000 });
  expect(createTail('x\n'.repeat(2000), 'y')).toMatchObject({
    truncated: true,
    truncatedBy: 'lines',
    totalLines: 2001,
    outputLines: 2000,
    firstLine: 2,
    output: `${'x\n'.repeat(1999)}y`,
  });
  expect(createTail('x'.repeat(MAX_BYTES))).toMatchObject({ truncated: false, totalBytes: MAX_BYTES });
  expect(createTail(`${'x'.repeat(MAX_BYTES)}\n`)).toMatchObject({
    truncated: true,
    truncatedBy: 'bytes',
    partialLine: true,
  });
});

test('the byte limit retains complete lines', () => {
  const lines = Array.from({ length: 100 }, (_, i) => `${i}:${'é'.repeat(500)}\n`);
  const { output, ...totals } = createTail(...lines);
  expect(output).toBe(lines.slice(-50).join(''));
  expect(totals).toEqual({
    truncated: true,
    truncatedBy: 'bytes',
    firstLine: 51,
    totalLines: 100,
    totalBytes: Buffer.byteLength(lines.join('')),
    outputLines: 50,
    outputBytes: Buffer.byteLength(output),
    partialLine: false,
    lastLineBytes: 1003,
  });
});

test('of a last line that does not fit, the end is shown in complete characters', () => {
  const { output, ...totals } = createTail('first\n', `x${'€'.repeat(20_000)}`);
  expect(output).toBe('€'.repeat(17_066));
  expect(totals).toMatchObject({
    truncated: true,
    partialLine: true,
    firstLine: 2,
    outputLines: 1,
    outputBytes: 51_198,
    lastLineBytes: 60_001,
  });
});

test('copyAll() returns all output while it fits', () => {
  const tail = new OutputTail();
  tail.append(Buffer.from('ab'));
  expect(tail.canShowAllWith(Buffer.from('x'.repeat(MAX_BYTES - 2)))).toBe(true);
  expect(tail.canShowAllWith(Buffer.from('x'.repeat(MAX_BYTES - 1)))).toBe(false);
  expect(tail.canShowAllWith(Buffer.from('\n'.repeat(2000)))).toBe(true);
  expect(tail.canShowAllWith(Buffer.from('\n'.repeat(2000).concat('x')))).toBe(false);
  expect(Buffer.from(tail.copyAll()).toString()).toBe('ab');
});

/** Reference implementation that holds the whole text in memory. */
function expectedTail(text: string): Partial<TailSnapshot> {
  const lines = text.match(/[^\n]*\n|[^\n]+/g) ?? [];
  const bytes = (part: string) => Buffer.byteLength(part);
  const totals = { totalLines: lines.length, totalBytes: bytes(text) };
  if (lines.length <= 2000 && totals.totalBytes <= MAX_BYTES) return { ...totals, output: text, truncated: false };
  let output = '';
  let outputLines = 0;
  for (const line of [...lines].reverse()) {
    if (outputLines === 2000 || bytes(line + output) > MAX_BYTES) break;
    output = line + output;
    outputLines += 1;
  }
  if (outputLines > 0) return { ...totals, output, outputLines, truncated: true, partialLine: false };
  let last = lines.at(-1) ?? '';
  while (bytes(last) > MAX_BYTES) last = [...last].slice(1).join('');
  return { ...totals, output: last, outputLines: 1, truncated: true, partialLine: true };
}

test('the result does not depend on chunk boundaries', () => {
  const line = fc
    .tuple(fc.constantFrom('x', 'é', '€', '😀', ''), fc.integer({ min: 1, max: 4000 }))
    .map(([c, n]) => c.repeat(n));
  const text = fc
    .tuple(fc.array(line, { maxLength: 40 }), fc.nat({ max: 2100 }), fc.boolean())
    .map(
      ([lines, blankLines, endsWithNewline]) =>
        `${'\n'.repeat(blankLines)}${lines.join('\n')}${endsWithNewline ? '\n' : ''}`,
    );
  fc.assert(
    fc.property(text, fc.array(fc.nat(), { maxLength: 12 }), (whole, cuts) => {
      const all = Buffer.from(whole);
      const edges = [0, ...cuts.map((cut) => cut % (all.length + 1)).sort((a, b) => a - b), all.length];
      const chunks = edges.slice(1).map((end, i) => all.subarray(edges[i], end));
      const tail = createTail(...chunks);
      expect(tail).toEqual(createTail(all));
      expect(tail).toMatchObject(expectedTail(whole));
      expect(tail.outputBytes).toBe(Buffer.byteLength(tail.output));
    }),
    { numRuns: 150 },
  );
});

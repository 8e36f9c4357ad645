// The tail of an output: exact totals, the last whole lines within both limits, however it arrived.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { OutputTail, type Tail } from '../../src/tools/output-tail.ts';

const MAX_BYTES = 51_200;

function tailOf(...chunks: (string | Uint8Array)[]): Tail {
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
    expect(tailOf(text)).toMatchObject({ output: text, totalLines: lines, outputLines: lines, truncated: false });
  });
});

test('at the limits nothing is cut, one more is', () => {
  expect(tailOf('x\n'.repeat(2000))).toMatchObject({ truncated: false, totalLines: 2000, outputLines: 2000 });
  expect(tailOf('x\n'.repeat(2000), 'y')).toMatchObject({
    truncated: true,
    truncatedBy: 'lines',
    totalLines: 2001,
    outputLines: 2000,
    firstLine: 2,
    output: `${'x\n'.repeat(1999)}y`,
  });
  expect(tailOf('x'.repeat(MAX_BYTES))).toMatchObject({ truncated: false, totalBytes: MAX_BYTES });
  expect(tailOf(`${'x'.repeat(MAX_BYTES)}\n`)).toMatchObject({
    truncated: true,
    truncatedBy: 'bytes',
    partialLine: true,
  });
});

test('the byte limit keeps whole lines', () => {
  const lines = Array.from({ length: 100 }, (_, i) => `${i}:${'é'.repeat(500)}\n`);
  const { output, ...facts } = tailOf(...lines);
  expect(output).toBe(lines.slice(-50).join(''));
  expect(facts).toEqual({
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

test('a last line that does not fit is shown from its end, in whole characters', () => {
  const { output, ...facts } = tailOf('first\n', `x${'€'.repeat(20_000)}`);
  expect(output).toBe('€'.repeat(17_066));
  expect(facts).toMatchObject({
    truncated: true,
    partialLine: true,
    firstLine: 2,
    outputLines: 1,
    outputBytes: 51_198,
    lastLineBytes: 60_001,
  });
});

test('whole() is everything while everything fits', () => {
  const tail = new OutputTail();
  tail.append(Buffer.from('ab'));
  expect(tail.fits(Buffer.from('x'.repeat(MAX_BYTES - 2)))).toBe(true);
  expect(tail.fits(Buffer.from('x'.repeat(MAX_BYTES - 1)))).toBe(false);
  expect(tail.fits(Buffer.from('\n'.repeat(2000)))).toBe(true);
  expect(tail.fits(Buffer.from('\n'.repeat(2000).concat('x')))).toBe(false);
  expect(Buffer.from(tail.whole()).toString()).toBe('ab');
});

/** The same by the simplest means: the whole text in memory. */
function expectedTail(text: string): Partial<Tail> {
  const lines = text.match(/[^\n]*\n|[^\n]+/g) ?? [];
  const bytes = (part: string) => Buffer.byteLength(part);
  const facts = { totalLines: lines.length, totalBytes: bytes(text) };
  if (lines.length <= 2000 && facts.totalBytes <= MAX_BYTES) return { ...facts, output: text, truncated: false };
  let output = '';
  let outputLines = 0;
  for (const line of [...lines].reverse()) {
    if (outputLines === 2000 || bytes(line + output) > MAX_BYTES) break;
    output = line + output;
    outputLines += 1;
  }
  if (outputLines > 0) return { ...facts, output, outputLines, truncated: true, partialLine: false };
  let last = lines.at(-1) ?? '';
  while (bytes(last) > MAX_BYTES) last = [...last].slice(1).join('');
  return { ...facts, output: last, outputLines: 1, truncated: true, partialLine: true };
}

test('any text in any chunks gives what the whole gives', () => {
  const line = fc
    .tuple(fc.constantFrom('x', 'é', '€', '😀', ''), fc.integer({ min: 1, max: 4000 }))
    .map(([c, n]) => c.repeat(n));
  const text = fc
    .tuple(fc.array(line, { maxLength: 40 }), fc.nat({ max: 2100 }), fc.boolean())
    .map(([lines, blanks, closed]) => `${'\n'.repeat(blanks)}${lines.join('\n')}${closed ? '\n' : ''}`);
  fc.assert(
    fc.property(text, fc.array(fc.nat(), { maxLength: 12 }), (whole, cuts) => {
      const all = Buffer.from(whole);
      const edges = [0, ...cuts.map((cut) => cut % (all.length + 1)).sort((a, b) => a - b), all.length];
      const chunks = edges.slice(1).map((end, i) => all.subarray(edges[i], end));
      const tail = tailOf(...chunks);
      expect(tail).toEqual(tailOf(all));
      expect(tail).toMatchObject(expectedTail(whole));
      expect(tail.outputBytes).toBe(Buffer.byteLength(tail.output));
    }),
    { numRuns: 150 },
  );
});

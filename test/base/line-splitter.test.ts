import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Line, LineSplitter } from '../../src/base/line-splitter.ts';

const encode = (text: string) => new TextEncoder().encode(text);
const text = (line: string): Line => ({ text: line });
const tooLong = (limit: number): Line => ({ problem: `line exceeds the limit of ${limit} bytes` });
const notUtf8: Line = { problem: 'line is not valid UTF-8' };

function split(chunks: Iterable<Uint8Array>, limit?: number): Line[] {
  const splitter = new LineSplitter(limit);
  return [...[...chunks].flatMap((chunk) => splitter.push(chunk)), ...splitter.end()];
}

function* cut(bytes: Uint8Array, sizes: Iterable<number>): Generator<Uint8Array> {
  let at = 0;
  for (const size of sizes) {
    if (at >= bytes.length) return;
    yield bytes.slice(at, at + size);
    at += size;
  }
  yield bytes.slice(at);
}

const frames = [
  '{"id":"1","type":"prompt","message":"hello"}',
  '{"text":"ümläut, 日本語, 😀, \u2028 and \u2029, \u0085, \\n"}',
  '{"carriage":"a\rb"}',
  '[]',
  ' {"indented":true}\t',
];

describe('splitting', () => {
  const corpus = encode(`\uFEFF${frames.join('\n')}\n\r\n \n${frames.join('\r\n')}\r\nlast`);
  const lines = [...frames, ...frames, 'last'].map(text);

  test('the lines are the same for every split into two chunks', () => {
    for (let at = 0; at <= corpus.length; at++) {
      expect(split([corpus.slice(0, at), corpus.slice(at)]), `cut at ${at}`).toEqual(lines);
    }
  });

  test('the lines are the same for every chunk size', () => {
    for (let size = 1; size <= corpus.length; size++) {
      expect(split(cut(corpus, Array(corpus.length).fill(size))), `pieces of ${size}`).toEqual(lines);
    }
  });

  test('any texts with any line ends in any chunks are returned', () => {
    const content = fc
      .string({ unit: 'grapheme' })
      .filter((s) => !s.includes('\n') && !s.endsWith('\r') && s.trim() !== '');
    const line = fc.tuple(
      content.filter((s) => !s.startsWith('\uFEFF')),
      fc.constantFrom('\n', '\r\n', '\n\n', '\n \r\n'),
    );
    const sizes = fc.array(fc.oneof(fc.integer({ min: 1, max: 7 }), fc.constantFrom(16_384, 65_536)), {
      maxLength: 40,
    });
    const repeat = fc.constantFrom(1, 1, 1, 3000, 20_000);
    fc.assert(
      fc.property(fc.array(fc.tuple(line, repeat), { maxLength: 8 }), sizes, (parts, cuts) => {
        const long = parts.map(([[body, end], times]) => ({ body: body.repeat(times), end }));
        const input = encode(long.map(({ body, end }) => body + end).join(''));
        expect(split(cut(input, cuts))).toEqual(long.map(({ body }) => text(body)));
      }),
    );
  });

  test('later chunks do not change lines that were returned before', () => {
    const splitter = new LineSplitter();
    expect(splitter.push(encode('fir'))).toEqual([]);
    const lines = splitter.push(encode('st\nsec'));
    splitter.push(encode('ond\nthird'));
    expect(lines).toEqual([text('first')]);
  });
});

describe('line ends', () => {
  test('only one CR before the LF belongs to the line end', () => {
    expect(split([encode('a\r\r\nb\rc\n\r\n')])).toEqual([text('a\r'), text('b\rc')]);
  });

  test('a BOM is dropped, and a line with nothing else is blank', () => {
    expect(split([encode('\uFEFF{}\n\uFEFF\n{}')])).toEqual([text('{}'), text('{}')]);
  });

  test('an ended splitter can be used again', () => {
    const splitter = new LineSplitter(3);
    splitter.push(encode('abcdefg'));
    expect(splitter.end()).toEqual([]);
    expect(splitter.push(encode('ab\n'))).toEqual([text('ab')]);
  });
});

describe('the limit', () => {
  const limit = 100;
  const sizes = [1, 7, 99, 100, 101, 102, 1000];

  test.each(['\n', '\r\n', ''])('counts the bytes of a line without its end (%j)', (end) => {
    for (const size of sizes) {
      for (const length of [limit - 1, limit, limit + 1, limit + 2]) {
        const input = encode(`${'x'.repeat(length)}${end}`);
        const expected = length <= limit ? text('x'.repeat(length)) : tooLong(limit);
        expect(split(cut(input, Array(200).fill(size)), limit)).toEqual([expected]);
      }
    }
  });

  test('counts bytes, not characters', () => {
    expect(split([encode('é'.repeat(50))], limit)).toEqual([text('é'.repeat(50))]);
    expect(split([encode(`${'é'.repeat(50)}x`)], limit)).toEqual([tooLong(limit)]);
  });

  test('endless input without a newline is reported once, at once, and the next line is complete', () => {
    const splitter = new LineSplitter(1024);
    const chunk = new Uint8Array(64 * 1024).fill(0x78);
    const results = Array.from({ length: 3200 }, () => splitter.push(chunk));
    expect(results[0]).toEqual([tooLong(1024)]);
    expect(results.slice(1).flat()).toEqual([]);
    expect(splitter.push(encode('tail of it\n{"next":1}\n'))).toEqual([text('{"next":1}')]);
    const many = Array.from({ length: 100_000 }, (_, i) => `{"i":${i}}`);
    expect(splitter.push(encode(`${many.join('\n')}\n`))).toEqual(many.map(text));
  });

  test('a line that arrives byte by byte does not create an object for each byte', () => {
    const splitter = new LineSplitter();
    const usedMemory = () => process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers;
    const before = usedMemory();
    const byte = Uint8Array.of(0x78);
    for (let i = 0; i < 1_000_000; i++) splitter.push(byte);
    expect(usedMemory() - before).toBeLessThan(50_000_000);
    expect(splitter.push(encode('\n'))).toEqual([text('x'.repeat(1_000_000))]);
  });
});

describe('bytes that are not UTF-8', () => {
  const bad = [[0xff], [0xc3], [0xe2, 0x82], [0xf0, 0x9f, 0x98], [0x80], [0xc0, 0xaf], [0xed, 0xa0, 0x80]];

  test.each(bad.map((bytes) => [Buffer.from(bytes).toString('hex'), bytes]))(
    '%s makes only its own line invalid',
    (_hex, bytes) => {
      const input = Uint8Array.from([...encode('ok\nx'), ...(bytes as number[]), ...encode('\nok\n')]);
      for (let at = 0; at <= input.length; at++) {
        expect(split([input.slice(0, at), input.slice(at)])).toEqual([text('ok'), notUtf8, text('ok')]);
      }
    },
  );

  test('any bytes give the same lines and problems, however they are split', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.array(fc.nat(20)), (bytes, sizes) => {
        expect(split(cut(bytes, sizes), 50)).toEqual(split([bytes], 50));
      }),
    );
  });
});

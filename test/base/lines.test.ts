import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Line, LineSplitter } from '../../src/base/lines.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);
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

describe('cutting', () => {
  const corpus = bytesOf(`\uFEFF${frames.join('\n')}\n\r\n \n${frames.join('\r\n')}\r\nlast`);
  const lines = [...frames, ...frames, 'last'].map(text);

  test('every cut of the corpus gives the same lines', () => {
    for (let at = 0; at <= corpus.length; at++) {
      expect(split([corpus.slice(0, at), corpus.slice(at)]), `cut at ${at}`).toEqual(lines);
    }
  });

  test('pieces of every size give the same lines', () => {
    for (let size = 1; size <= corpus.length; size++) {
      expect(split(cut(corpus, Array(corpus.length).fill(size))), `pieces of ${size}`).toEqual(lines);
    }
  });

  test('any texts in any pieces with any line ends come back', () => {
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
        const input = bytesOf(long.map(({ body, end }) => body + end).join(''));
        expect(split(cut(input, cuts))).toEqual(long.map(({ body }) => text(body)));
      }),
    );
  });

  test('earlier lines are not disturbed by later pieces', () => {
    const splitter = new LineSplitter();
    expect(splitter.push(bytesOf('fir'))).toEqual([]);
    const lines = splitter.push(bytesOf('st\nsec'));
    splitter.push(bytesOf('ond\nthird'));
    expect(lines).toEqual([text('first')]);
  });
});

describe('line ends', () => {
  test('only one CR before the LF belongs to the line end', () => {
    expect(split([bytesOf('a\r\r\nb\rc\n\r\n')])).toEqual([text('a\r'), text('b\rc')]);
  });

  test('a BOM is dropped, and a line with nothing else is blank', () => {
    expect(split([bytesOf('\uFEFF{}\n\uFEFF\n{}')])).toEqual([text('{}'), text('{}')]);
  });

  test('an ended splitter starts afresh', () => {
    const splitter = new LineSplitter(3);
    splitter.push(bytesOf('abcdefg'));
    expect(splitter.end()).toEqual([]);
    expect(splitter.push(bytesOf('ab\n'))).toEqual([text('ab')]);
  });
});

describe('the limit', () => {
  const limit = 100;
  const sizes = [1, 7, 99, 100, 101, 102, 1000];

  test.each(['\n', '\r\n', ''])('counts the bytes of a line without its end (%j)', (end) => {
    for (const size of sizes) {
      for (const length of [limit - 1, limit, limit + 1, limit + 2]) {
        const input = bytesOf(`${'x'.repeat(length)}${end}`);
        const expected = length <= limit ? text('x'.repeat(length)) : tooLong(limit);
        expect(split(cut(input, Array(200).fill(size)), limit)).toEqual([expected]);
      }
    }
  });

  test('counts bytes, not characters', () => {
    expect(split([bytesOf('é'.repeat(50))], limit)).toEqual([text('é'.repeat(50))]);
    expect(split([bytesOf(`${'é'.repeat(50)}x`)], limit)).toEqual([tooLong(limit)]);
  });

  test('a flood without newline is told once, at once, and the line after it is whole', () => {
    const splitter = new LineSplitter(1024);
    const flood = new Uint8Array(64 * 1024).fill(0x78);
    const told = Array.from({ length: 3200 }, () => splitter.push(flood));
    expect(told[0]).toEqual([tooLong(1024)]);
    expect(told.slice(1).flat()).toEqual([]);
    expect(splitter.push(bytesOf('tail of it\n{"next":1}\n'))).toEqual([text('{"next":1}')]);
    const many = Array.from({ length: 100_000 }, (_, i) => `{"i":${i}}`);
    expect(splitter.push(bytesOf(`${many.join('\n')}\n`))).toEqual(many.map(text));
  });

  test('a line that comes byte by byte costs its bytes, not an object for each', () => {
    const splitter = new LineSplitter();
    const held = () => process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers;
    const before = held();
    const byte = Uint8Array.of(0x78);
    for (let i = 0; i < 1_000_000; i++) splitter.push(byte);
    expect(held() - before).toBeLessThan(50_000_000);
    expect(splitter.push(bytesOf('\n'))).toEqual([text('x'.repeat(1_000_000))]);
  });
});

describe('bytes that are not UTF-8', () => {
  const bad = [[0xff], [0xc3], [0xe2, 0x82], [0xf0, 0x9f, 0x98], [0x80], [0xc0, 0xaf], [0xed, 0xa0, 0x80]];

  test.each(bad.map((bytes) => [Buffer.from(bytes).toString('hex'), bytes]))(
    '%s spoils its own line only',
    (_hex, bytes) => {
      const input = Uint8Array.from([...bytesOf('ok\nx'), ...(bytes as number[]), ...bytesOf('\nok\n')]);
      for (let at = 0; at <= input.length; at++) {
        expect(split([input.slice(0, at), input.slice(at)])).toEqual([text('ok'), notUtf8, text('ok')]);
      }
    },
  );

  test('any bytes at all: as many problems and texts as lines, and no throw', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.array(fc.nat(20)), (bytes, sizes) => {
        expect(split(cut(bytes, sizes), 50)).toEqual(split([bytes], 50));
      }),
    );
  });
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { digestFile } from '../../../src/llm/offline/file-digest.ts';
import {
  abbreviate,
  countLines,
  formatCodeBlock,
  splitIntoChunks,
  splitIntoDeltas,
  takeHead,
  truncate,
} from '../../../src/llm/offline/text-format.ts';
import { hasNoSplitCharacters } from './conversation-helpers.ts';

const anyText = fc.string({ unit: fc.constantFrom('a', 'bc', ' ', '\n', '😀', 'é', '`', '\t'), maxLength: 300 });

describe('cutting never splits a character', () => {
  test('chunks and deltas add up to the text', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 1, max: 9 }), (text, size) => {
        for (const parts of [[...splitIntoChunks(text, size)], [...splitIntoDeltas(text)]]) {
          expect(parts.join('')).toBe(text);
          expect(parts.every((part) => part !== '' && hasNoSplitCharacters(part))).toBe(true);
        }
      }),
    );
  });

  test('heads and abbreviations are prefixes', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 0, max: 20 }), fc.integer({ min: 1, max: 9 }), (text, chars, lines) => {
        const head = takeHead(text, { lines, chars });
        expect(text.startsWith(head.text) && hasNoSplitCharacters(head.text)).toBe(true);
        expect(head.text.length).toBeLessThanOrEqual(chars + 1);
        expect(head.text.split('\n').length).toBeLessThanOrEqual(lines);
        expect(hasNoSplitCharacters(truncate(text, chars)) && hasNoSplitCharacters(abbreviate(text, chars))).toBe(true);
      }),
    );
  });

  test('takeHead reports whether the text is complete', () => {
    expect(takeHead('a\nb\nc\n\n', { lines: 2, chars: 99 })).toEqual({ text: 'a\nb', whole: false });
    expect(takeHead('a\nb\n\n', { lines: 2, chars: 99 })).toEqual({ text: 'a\nb', whole: true });
  });
});

test.each([
  ['', 0],
  ['a', 1],
  ['a\n', 1],
  ['a\nb', 2],
  ['\n\n', 2],
])('%j has %i lines', (text, lines) => {
  expect(countLines(text)).toBe(lines);
});

test('a fence is longer than any fence in the text', () => {
  expect(formatCodeBlock('x')).toBe('```\nx\n```');
  expect(formatCodeBlock('`````\n')).toBe('``````\n`````\n``````');
});

describe('file digests', () => {
  test('list the keys of JSON', () => {
    const digest = digestFile('package.json', '{"name":"x","scripts":{"a":1,"b":2},"files":[1]}', true);
    expect(digest).toContain('- `name`: "x"\n- `scripts`: 2 keys\n- `files`: 1 item');
    expect(digestFile('a.json', '[1,2]', true)).toContain('a JSON array of 2 items');
    expect(digestFile('a.json', '{nope', true)).toContain('not plain JSON');
  });

  test('list the declarations of code', () => {
    const source = "// Does things.\nimport a from 'a';\nexport async function go() {}\nclass Car {}\nconst x = 1;\n";
    const digest = digestFile('a.ts', source, true);
    expect(digest).toContain('`a.ts` has 5 lines');
    expect(digest).toContain('Its first comment: // Does things.');
    expect(digest).toContain('It has 1 import.');
    expect(digest).toContain('It declares `go`, `Car` and `x`.');
  });

  test('accept any text and stay short', () => {
    const names = fc.constantFrom('a.md', 'a.ts', 'a.json', 'LICENSE');
    fc.assert(
      fc.property(names, fc.string({ unit: 'binary', maxLength: 500 }), (name, text) => {
        expect(digestFile(name, text, true).length).toBeLessThan(text.length * 2 + 2000);
      }),
      { numRuns: 40 },
    );
  });
});

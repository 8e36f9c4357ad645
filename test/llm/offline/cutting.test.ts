import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { brief, countLines, cut, deltas, fenced, head, pieces } from '../../../src/llm/offline/cutting.ts';
import { digestFile } from '../../../src/llm/offline/file-digest.ts';
import { isWhole } from './talk.ts';

const anyText = fc.string({ unit: fc.constantFrom('a', 'bc', ' ', '\n', '😀', 'é', '`', '\t'), maxLength: 300 });

describe('cutting never splits a character', () => {
  test('pieces and deltas make up the whole', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 1, max: 9 }), (text, size) => {
        for (const parts of [[...pieces(text, size)], [...deltas(text)]]) {
          expect(parts.join('')).toBe(text);
          expect(parts.every((part) => part !== '' && isWhole(part))).toBe(true);
        }
      }),
    );
  });

  test('heads and briefs are beginnings', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 0, max: 20 }), fc.integer({ min: 1, max: 9 }), (text, chars, lines) => {
        const shown = head(text, { lines, chars });
        expect(text.startsWith(shown.text) && isWhole(shown.text)).toBe(true);
        expect(shown.text.length).toBeLessThanOrEqual(chars + 1);
        expect(shown.text.split('\n').length).toBeLessThanOrEqual(lines);
        expect(isWhole(cut(text, chars)) && isWhole(brief(text, chars))).toBe(true);
      }),
    );
  });

  test('a head says whether it is whole', () => {
    expect(head('a\nb\nc\n\n', { lines: 2, chars: 99 })).toEqual({ text: 'a\nb', whole: false });
    expect(head('a\nb\n\n', { lines: 2, chars: 99 })).toEqual({ text: 'a\nb', whole: true });
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

test('a fence is longer than what it holds', () => {
  expect(fenced('x')).toBe('```\nx\n```');
  expect(fenced('`````\n')).toBe('``````\n`````\n``````');
});

describe('digests', () => {
  test('of JSON lists keys', () => {
    const digest = digestFile('package.json', '{"name":"x","scripts":{"a":1,"b":2},"files":[1]}', true);
    expect(digest).toContain('- `name`: "x"\n- `scripts`: 2 keys\n- `files`: 1 item');
    expect(digestFile('a.json', '[1,2]', true)).toContain('a JSON array of 2 items');
    expect(digestFile('a.json', '{nope', true)).toContain('not plain JSON');
  });

  test('of code lists declarations', () => {
    const source = "// Does things.\nimport a from 'a';\nexport async function go() {}\nclass Car {}\nconst x = 1;\n";
    const digest = digestFile('a.ts', source, true);
    expect(digest).toContain('`a.ts` has 5 lines');
    expect(digest).toContain('Its first comment: // Does things.');
    expect(digest).toContain('It has 1 import.');
    expect(digest).toContain('It declares `go`, `Car` and `x`.');
  });

  test('of anything neither throw nor grow', () => {
    const names = fc.constantFrom('a.md', 'a.ts', 'a.json', 'LICENSE');
    fc.assert(
      fc.property(names, fc.string({ unit: 'binary', maxLength: 500 }), (name, text) => {
        expect(digestFile(name, text, true).length).toBeLessThan(text.length * 2 + 2000);
      }),
      { numRuns: 40 },
    );
  });
});

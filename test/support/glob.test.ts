// Globs with .gitignore syntax.
import fc from 'fast-check';
import picomatch from 'picomatch';
import { describe, expect, test } from 'vitest';
import { compileGlob } from '../../src/support/glob.ts';

const paths = [
  'a.ts',
  'b.tsx',
  'src/a.ts',
  'src/deep/c.ts',
  'src/deep/er/d.js',
  '.env',
  'src/[x].ts',
  'x{y}.md',
  'é/ü.ts',
];
const listMatches = (pattern: string) => paths.filter(compileGlob(pattern));

describe('patterns', () => {
  test.each([
    ['*.ts', ['a.ts', 'src/a.ts', 'src/deep/c.ts', 'src/[x].ts', 'é/ü.ts']],
    ['a.ts', ['a.ts', 'src/a.ts']],
    ['/a.ts', ['a.ts']],
    ['src/*.ts', ['src/a.ts', 'src/[x].ts']],
    ['src/**', ['src/a.ts', 'src/deep/c.ts', 'src/deep/er/d.js', 'src/[x].ts']],
    ['src/**/*.ts', ['src/a.ts', 'src/deep/c.ts', 'src/[x].ts']],
    ['**/deep/**', ['src/deep/c.ts', 'src/deep/er/d.js']],
    ['**/*.js', ['src/deep/er/d.js']],
    ['**', paths],
    ['?.ts', ['a.ts', 'src/a.ts', 'src/deep/c.ts', 'é/ü.ts']],
    ['*.{ts,tsx}', ['a.ts', 'b.tsx', 'src/a.ts', 'src/deep/c.ts', 'src/[x].ts', 'é/ü.ts']],
    ['{src/{a,b}.ts,*.tsx}', ['b.tsx', 'src/a.ts']],
    ['[a-b].ts*', ['a.ts', 'b.tsx', 'src/a.ts']],
    ['[!a].ts', ['src/deep/c.ts', 'é/ü.ts']],
    ['\\[x\\].ts', ['src/[x].ts']],
    ['[[]x].ts', ['src/[x].ts']],
    ['x\\{y\\}.md', ['x{y}.md']],
    ['.env', ['.env']],
    ['*', paths],
    ['nothing', []],
    ['{unclosed', []],
    ['a.ts/', []],
    ['./src/*.ts', ['src/a.ts', 'src/[x].ts']],
    ['./a.ts', ['a.ts']],
    ['{,src/}a.ts', ['a.ts', 'src/a.ts']],
    ['src/{**,x}/*.js', ['src/deep/er/d.js']],
    ['a**.ts', ['a.ts', 'src/a.ts']],
    ['src/a**', ['src/a.ts']],
    ['**.env', ['.env']],
    ['src/[\\[]x].ts', ['src/[x].ts']],
    ['src/[[\\]]x[\\]].ts', ['src/[x].ts']],
    ['src/[^a].ts', []],
  ])('%s', (pattern, expected) => {
    expect(listMatches(pattern)).toEqual(expected);
  });
});

test('invalid patterns are rejected', () => {
  expect(() => compileGlob('[z-a]')).toThrow('Invalid pattern: [z-a]');
  expect(() => compileGlob('{a,b}'.repeat(12))).toThrow(/^Too many braces/);
});

test('a character outside the basic plane is one character', () => {
  expect(['?', '[!a]', '[😀-😂]', '*', '\\😀'].filter((pattern) => !compileGlob(pattern)('😀'))).toEqual([]);
  expect(compileGlob('??')('😀')).toBe(false);
});

test('where a slash is an ordinary character, the whole text is matched', () => {
  const matches = (pattern: string, text: string) => compileGlob(pattern, { isSlashOrdinary: true })(text);
  expect(matches('router/*-5', 'router/company/model-5')).toBe(true);
  expect(matches('*', 'a/b')).toBe(true);
  expect(matches('a?b', 'a/b')).toBe(true);
  expect(matches('**/b', 'b')).toBe(false);
  expect(matches('b', 'a/b')).toBe(false);
  expect(matches('a/{b,c}[!d]', 'a/cx')).toBe(true);
});

test('an empty alternative before ./ is the current folder, as in a shell', () => {
  const matches = compileGlob('{a,}./*');
  expect(['a', 'b/c', 'a./x', 'a/x'].map((path) => matches(path))).toEqual([true, false, true, false]);
});

test('an empty alternative after a slash matches no file', () => {
  const matches = compileGlob('a/**/{b,}');
  expect(['a', 'a/b', 'a/c/b', 'a/c'].map((path) => matches(path))).toEqual([false, true, true, false]);
});

/** Hidden files count (`dot`). The other options switch off syntax that compileGlob does not have. */
const PICOMATCH_OPTIONS = { dot: true, noextglob: true, nonegate: true, posix: true };

test('short globs match as picomatch matches them', () => {
  const part = fc.constantFrom(
    ...['*', '**', '**/', '/', '?', 'a', 'b', '.', '-', ']', ',', 'é', '\\*', '\\a', '\\?'],
    ...['[a-b]', '[!a]', '[^a]', '[]a]', '[a-]', '[\\]a]', '[a\\-c]', '{a,b}', '{a,{b,c}}', '{a,}'],
  );
  const globs = fc
    .array(part, { minLength: 1, maxLength: 6 })
    .map((parts) => parts.join(''))
    // picomatch: `a/**` matches `a` too; braces beside `**`, empty names and three stars have another meaning.
    .filter((glob) => !/\/\*\*$|\*{3}|\/\/|\/$|\*\*\{|\}\*\*|,\}\.?[/*]|\/\{a,\}$/.test(glob));
  const name = fc
    .array(fc.constantFrom('a', 'b', 'c', '-', ']', ',', '*', '?', '.a', 'é'), { minLength: 1, maxLength: 4 })
    .map((parts) => parts.join(''));
  const randomPaths = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join('/'));
  fc.assert(
    fc.property(globs, fc.array(randomPaths, { minLength: 10, maxLength: 10 }), (glob, samplePaths) => {
      const matches = compileGlob(glob);
      const expected = picomatch(glob.replace(/^(?:\.?\/)+/, ''), PICOMATCH_OPTIONS);
      for (const path of samplePaths) {
        const text = glob.includes('/') ? path : path.slice(path.lastIndexOf('/') + 1);
        expect([path, matches(path)]).toEqual([path, expected(text)]);
      }
    }),
    { numRuns: 3000 },
  );
});

// Globs with .gitignore syntax.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileGlob } from '../../src/tools/glob.ts';

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
  ])('%s', (pattern, expected) => {
    expect(listMatches(pattern)).toEqual(expected);
  });
});

test('invalid patterns are rejected', () => {
  expect(() => compileGlob('[z-a]')).toThrow('Invalid pattern: [z-a]');
  expect(() => compileGlob('{a,b}'.repeat(12))).toThrow(/^Too many braces/);
});

/** Reference implementation with a regular expression, which is slow on long paths. */
function toRegExp(glob: string): RegExp {
  const tokens = glob.matchAll(/(?<![^/])\*\*\/|\*+|\?|\[!?[a-z-]+\]|\\.|./gsu);
  const parts = Array.from(tokens, ([token]) => {
    if (token === '**/') return '(?:[^/]+/)*';
    if (token === '**') return '.+';
    if (token.startsWith('*')) return '[^/]*';
    if (token === '?') return '[^/]';
    if (token.startsWith('[!')) return `[^${token.slice(2, -1)}/]`;
    if (token.startsWith('[') && token.length > 1) return token;
    return (token.startsWith('\\') ? token.slice(1) : token).replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  });
  return new RegExp(`^${parts.join('')}$`, 'su');
}

test('short globs match like the reference implementation', () => {
  const part = fc.constantFrom('*', '**', '**/', '/', '?', 'a', 'b', '.', '[a-b]', '[!a]', '\\*', '😀');
  const globs = fc.array(part, { minLength: 1, maxLength: 8 }).map((parts) => parts.join(''));
  const randomPaths = fc
    .array(fc.constantFrom('a', 'b', '/', '.', '*', '😀'), { maxLength: 8 })
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(globs, fc.array(randomPaths, { minLength: 5, maxLength: 5 }), (glob, samplePaths) => {
      const expression = toRegExp(glob.startsWith('/') ? glob.slice(1) : glob);
      const matches = compileGlob(glob);
      for (const path of samplePaths) {
        const name = path.slice(path.lastIndexOf('/') + 1);
        expect([path, matches(path)]).toEqual([path, expression.test(glob.includes('/') ? path : name)]);
      }
    }),
    { numRuns: 3000 },
  );
});

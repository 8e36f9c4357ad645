// Globs as .gitignore files spell them.
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
const fitting = (pattern: string) => paths.filter(compileGlob(pattern));

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
    expect(fitting(pattern)).toEqual(expected);
  });
});

test('what cannot be read as a pattern is refused', () => {
  expect(() => compileGlob('[z-a]')).toThrow('Invalid pattern: [z-a]');
  expect(() => compileGlob('{a,b}'.repeat(12))).toThrow(/^Too many braces/);
});

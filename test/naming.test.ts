// The language of the project: no metaphors in file names, identifiers, comments, messages and documents.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { ALLOWED_FILES, BANNED_WORDS, checkFile, findBannedWords } from './support/plain-words.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const CHECKED = /\.(ts|tsx|mts|mjs|cjs|js|css|md|txt|py|svg|html|yml)$/;

function projectFiles(): string[] {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root });
  return listed
    .toString()
    .split('\0')
    .filter((path) => CHECKED.test(path) && !ALLOWED_FILES.some((allowed) => path.startsWith(allowed)));
}

test('no file of the project uses a banned word', () => {
  const files = projectFiles();
  expect(files.length).toBeGreaterThan(500);
  const found = files.flatMap((path) => {
    try {
      return checkFile(path, readFileSync(join(root, path), 'utf8'));
    } catch (thrown) {
      // A file that was removed from the working tree is still listed until the removal is staged.
      if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw thrown;
    }
  });
  expect(found).toEqual([]);
});

test.each([
  ['an identifier', 'const seatOf = 1;', 'seat'],
  ['an upper-case constant', 'const LONG_PATIENCE = 1;', 'patience'],
  ['a type', 'interface PurseOptions {}', 'purse'],
  ['a comment', '// Whoever asks first waits.', 'whoever'],
  ['a message', "throw new Error('Nobody answered');", 'nobody'],
  ['a phrase', '/** What the project brings along. */', 'brings along'],
  ['a document', '# The house', 'house'],
])('a banned word is found in %s', (_where, text, word) => {
  expect(findBannedWords(text)).toEqual([{ line: 1, word, use: expect.any(String) }]);
});

test('a banned word is found in a file name, and each finding names the word to use', () => {
  expect(checkFile('src/core/session/seat.ts', '')).toEqual([
    `src/core/session/seat.ts: the file name has "seat"; use: ${BANNED_WORDS.seat}`,
  ]);
  expect(checkFile('src/a.ts', 'x;\n// told\n')).toEqual([`src/a.ts:2: "told"; use: ${BANNED_WORDS.told}`]);
});

test('names of the language and of other programs are not words', () => {
  expect(findBannedWords('Math.floor(x); bench/floor; { family: 4 }; desktop; roadmap; indoors')).toEqual([]);
});

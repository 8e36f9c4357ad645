// Mentions in a prompt: files of the project are result within limits; everything else stays text.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createSystemPorts } from '../../../src/app/system-ports/index.ts';
import { addMentions } from '../../../src/core/resources/mentions.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';

const { files } = createSystemPorts({});
const PNG = Buffer.from('iVBORw0KGgoAAAANSUhEUg==', 'base64');

function createProject(): string {
  const cwd = createTemporaryDirectory();
  mkdirSync(join(cwd, 'src'));
  writeFileSync(join(cwd, 'src/a.ts'), 'const a = 1;\n');
  writeFileSync(join(cwd, 'with space.txt'), 'spaced');
  writeFileSync(join(cwd, 'pic.png'), PNG);
  writeFileSync(join(cwd, 'blob.bin'), Buffer.from([1, 0, 2]));
  return cwd;
}

test.each([
  ['look at @src/a.ts please', 'src/a.ts', 'const a = 1;'],
  ['@src/a.ts', 'src/a.ts', 'const a = 1;'],
  ['what is in (@src/a.ts)?', 'src/a.ts', 'const a = 1;'],
  ['I mean @src/a.ts.', 'src/a.ts', 'const a = 1;'],
  ['see @"with space.txt", then', 'with space.txt', 'spaced'],
  ['@./src/a.ts and @./src/a.ts again', './src/a.ts', 'const a = 1;'],
])('%s', async (message, name, content) => {
  const result = await addMentions(files, createProject(), message);
  expect(result).toEqual({ text: `${message}\n\n<file name="${name}">\n${content}\n</file>`, images: [] });
});

test('an image is added as an image', async () => {
  const result = await addMentions(files, createProject(), 'what is @pic.png');
  expect(result?.images).toEqual([{ type: 'image', mimeType: 'image/png', data: PNG.toString('base64') }]);
  expect(result?.text).toContain('<file name="pic.png">(image attached)</file>');
});

test.each([
  'mail me@src/a.ts',
  '@missing.ts',
  '@src',
  '@blob.bin',
  '@/etc/passwd',
  '@../../etc/passwd',
  '@~/.ssh/id_rsa',
  '@out.txt',
  '@outside/secret.txt',
  '@@ -1 +1 @@',
  '@',
])('%s adds nothing', async (message) => {
  const cwd = createProject();
  const outsideDirectory = createTemporaryDirectory();
  writeFileSync(join(outsideDirectory, 'secret.txt'), 'secret');
  symlinkSync(join(outsideDirectory, 'secret.txt'), join(cwd, 'out.txt'));
  symlinkSync(outsideDirectory, join(cwd, 'outside'));
  expect(await addMentions(files, cwd, message)).toBeUndefined();
});

test('long files are truncated with a note; at most twenty files are added', async () => {
  const cwd = createProject();
  writeFileSync(join(cwd, 'long.txt'), 'é'.repeat(100_000));
  const result = await addMentions(files, cwd, '@long.txt');
  expect(Buffer.byteLength(result?.text ?? '')).toBeLessThan(52_000);
  expect(result?.text).toContain('[Truncated: the file has 200000 bytes.');
  expect(result?.text).not.toContain('\uFFFD');
  for (let i = 0; i < 25; i++) writeFileSync(join(cwd, `n${i}.txt`), `${i}`);
  const many = await addMentions(files, cwd, Array.from({ length: 25 }, (_, i) => `@n${i}.txt`).join(' '));
  expect(many?.text.match(/<file /g)).toHaveLength(20);
});

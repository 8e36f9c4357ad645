// `@path text`: the longest beginning that is a file is the path.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { splitFileArgument } from '../../../src/app/modes/split-file-argument.ts';
import { createSystemPorts } from '../../../src/app/system-ports/index.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';

const { files } = createSystemPorts();

function createFiles(): string {
  const cwd = createTemporaryDirectory();
  const names = ['pic.png', 'pic.png what', 'two  spaces.md', 'a "quoted" name'];
  for (const name of names) writeFileSync(join(cwd, name), 'x');
  mkdirSync(join(cwd, 'pic.png what is'));
  return cwd;
}

test.each([
  ['pic.png', 'pic.png', ''],
  ['pic.png is this new?', 'pic.png', 'is this new?'],
  ['pic.png what', 'pic.png what', ''],
  ['pic.png what is this', 'pic.png what', 'is this'],
  ['pic.png\nwhat is this', 'pic.png', 'what is this'],
  ['two  spaces.md sum up', 'two  spaces.md', 'sum up'],
  ['"pic.png what" is this', 'pic.png what', 'is this'],
  ['"pic.png" what is this', 'pic.png', 'what is this'],
  ['a "quoted" name and text', 'a "quoted" name', 'and text'],
])('%s', async (argument, path, text) => {
  const cwd = createFiles();
  expect(await splitFileArgument(files, cwd, argument)).toEqual({ path: join(cwd, path), text });
});

test('text that is too long for a path', async () => {
  const cwd = createFiles();
  for (const text of ['long '.repeat(3000).trim(), 'y'.repeat(5000)]) {
    const found = await splitFileArgument(files, cwd, `pic.png ${text}`);
    expect(found).toEqual({ path: join(cwd, 'pic.png'), text });
  }
});

test.each([
  ['nope.md', 'File not found: CWD/nope.md'],
  ['nope.md sum up', 'File not found: CWD/nope.md. No longer beginning of "@nope.md sum up" is a file either.'],
  ['"no file" sum up', 'File not found: CWD/no file'],
  ['pic.png/x', 'File not found: CWD/pic.png/x'],
])('%s: %s', async (argument, message) => {
  const cwd = createFiles();
  const fault = await splitFileArgument(files, cwd, argument).catch((thrown: Error) => thrown);
  expect(fault).toMatchObject({ code: 'config', message: message.replaceAll('CWD', cwd) });
});

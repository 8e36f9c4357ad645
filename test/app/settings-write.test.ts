// Changing the user's file: what people wrote there stays, and nobody's change is lost.
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeSettings } from '../../src/app/settings-write.ts';
import { createSystemPorts } from '../../src/app/system-ports/index.ts';
import { temporaryDirectory } from '../support/temporary.ts';

const ports = createSystemPorts({});

function place(text?: string) {
  const directory = temporaryDirectory();
  const file = join(directory, 'settings.json');
  if (text !== undefined) writeFileSync(file, text);
  return { directory, file, read: () => readFileSync(file, 'utf8') };
}

test('a new file is for its owner only', async () => {
  const { directory, read, file } = place();
  expect(await writeSettings({ ports, directory }, { 'retry.enabled': false })).toBe(file);
  expect(JSON.parse(read())).toEqual({ 'retry.enabled': false });
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('comments, order and the way a key is nested stay', async () => {
  const { directory, read } = place('{\n  // mine\n  "retry": { "enabled": true }, // so\n  "x": 1\n}\n');
  await writeSettings({ ports, directory }, { 'retry.enabled': false, dialect: 'pi' });
  expect(read()).toContain('// mine');
  expect(read()).toContain('"retry": { "enabled": false }, // so');
  expect(read()).toContain('"dialect": "pi"');
});

test('a key that stands there twice stands there once afterwards, and can be taken out', async () => {
  const { directory, read } = place('{"retry": {"maxRetries": 1}, "retry.maxRetries": 2}');
  await writeSettings({ ports, directory }, { 'retry.maxRetries': 5 });
  expect(JSON.parse(read())).toEqual({ retry: {}, 'retry.maxRetries': 5 });
  await writeSettings({ ports, directory }, { 'retry.maxRetries': undefined, dialect: undefined });
  expect(JSON.parse(read())).toEqual({ retry: {} });
});

test.each([
  ['{"x": ', { dialect: 'pi' }, 'is not JSON'],
  ['[]', { dialect: 'pi' }, 'does not hold an object'],
  ['{}', { dialect: 5 }, 'dialect must be a string (got number)'],
])('%s with %j: nothing is written', async (text, changes, sentence) => {
  const { directory, read } = place(text);
  await expect(writeSettings({ ports, directory }, changes)).rejects.toThrow(sentence);
  expect(read()).toBe(text);
});

test('twenty writers at once lose nothing', async () => {
  const { directory, read } = place('{}');
  await Promise.all(Array.from({ length: 20 }, (_, i) => writeSettings({ ports, directory }, { [`mine.k${i}`]: i })));
  expect(Object.keys(JSON.parse(read()))).toHaveLength(20);
});

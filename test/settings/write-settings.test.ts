// Changing the user's settings file: other content is kept, and concurrent changes are not lost.
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createSystemPorts } from '../../src/app/system-ports/index.ts';
import { changeSettings, writeSettings } from '../../src/settings/write-settings.ts';
import { parseJsonc } from '../../src/support/jsonc.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';

const ports = createSystemPorts({});

function createDirectory(text?: string) {
  const directory = createTemporaryDirectory();
  const file = join(directory, 'settings.json');
  if (text !== undefined) writeFileSync(file, text);
  return { directory, file, read: () => readFileSync(file, 'utf8') };
}

test('a new file has mode 600', async () => {
  const { directory, read, file } = createDirectory();
  expect(await writeSettings({ ports, agentDirectory: directory }, { 'retry.enabled': false })).toBe(file);
  expect(JSON.parse(read())).toEqual({ 'retry.enabled': false });
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('keeps comments, order and nesting of keys', async () => {
  const { directory, read } = createDirectory('{\n  // mine\n  "retry": { "enabled": true }, // so\n  "x": 1\n}\n');
  await writeSettings({ ports, agentDirectory: directory }, { 'retry.enabled': false, dialect: 'pi' });
  expect(read()).toContain('// mine');
  expect(read()).toContain('"retry": { "enabled": false }, // so');
  expect(read()).toContain('"dialect": "pi"');
});

test('a key that occurs twice is reduced to one, and can be removed', async () => {
  const { directory, read } = createDirectory('{"retry": {"maxRetries": 1}, "retry.maxRetries": 2}');
  await writeSettings({ ports, agentDirectory: directory }, { 'retry.maxRetries': 5 });
  expect(JSON.parse(read())).toEqual({ retry: {}, 'retry.maxRetries': 5 });
  await writeSettings({ ports, agentDirectory: directory }, { 'retry.maxRetries': undefined, dialect: undefined });
  expect(JSON.parse(read())).toEqual({ retry: {} });
});

test.each([
  ['{"x": ', { dialect: 'pi' }, 'is not JSON'],
  ['[]', { dialect: 'pi' }, 'does not contain a JSON object'],
  ['{}', { dialect: 5 }, 'dialect must be a string (got number)'],
])('file %s with change %j: the file is not written', async (text, changes, sentence) => {
  const { directory, read } = createDirectory(text);
  await expect(writeSettings({ ports, agentDirectory: directory }, changes)).rejects.toThrow(sentence);
  expect(read()).toBe(text);
});

test('twenty concurrent writers lose no change', async () => {
  const { directory, read } = createDirectory('{}');
  await Promise.all(
    Array.from({ length: 20 }, (_, i) => writeSettings({ ports, agentDirectory: directory }, { [`custom.k${i}`]: i })),
  );
  expect(Object.keys(JSON.parse(read()))).toHaveLength(20);
});

const addRule = (directory: string, rule: string) =>
  changeSettings({ ports, agentDirectory: directory }, (getValue) => ({
    'permissions.deny': [...(getValue('permissions.deny') as readonly string[]), rule],
  }));

test('a list that is given nested and dotted is combined, because both have effect', async () => {
  const { directory, read } = createDirectory(
    '{"permissions": {"deny": ["bash(a)"]}, "permissions.deny": ["bash(b)"]}',
  );
  await addRule(directory, 'bash(c)');
  expect(JSON.parse(read())).toEqual({ permissions: {}, 'permissions.deny': ['bash(b)', 'bash(a)', 'bash(c)'] });
});

test('items are added to and removed from a list without touching its comments and line breaks', async () => {
  const before =
    '{\n  "permissions": {\n    "deny": [\n      "bash(a)", // never\n      "bash(b)" // this one neither\n    ]\n  }\n}\n';
  const { directory, read } = createDirectory(before);
  await addRule(directory, 'bash(c)');
  expect(read()).toContain('"bash(a)", // never');
  expect(read()).toContain('// this one neither');
  expect(await parseJsonc(read())).toEqual({ permissions: { deny: ['bash(a)', 'bash(b)', 'bash(c)'] } });
  await writeSettings({ ports, agentDirectory: directory }, { 'permissions.deny': ['bash(a)', 'bash(c)'] });
  expect(read()).toContain('"bash(a)", // never');
  expect(await parseJsonc(read())).toEqual({ permissions: { deny: ['bash(a)', 'bash(c)'] } });
});

test.each([
  '{"permissions.deny": ["bash(a)"], "x": 1, "permissions.deny": ["bash(b)"]}',
  '{"permissions": {"deny": ["bash(a)"]},\n "permissions": {"deny": ["bash(b)"]}}',
])('%s: the file is not written, because one of the lists has no effect', async (text) => {
  const { directory, read } = createDirectory(text);
  await expect(addRule(directory, 'bash(c)')).rejects.toThrow(
    /line \d contains "permissions(?:\.deny)?" a second time/,
  );
  expect(read()).toBe(text);
});

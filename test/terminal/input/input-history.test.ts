// Input history: order, sharing between terminals, limits, file modes.
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createSystemPorts } from '../../../src/app/system-ports/index.ts';
import { InputHistory } from '../../../src/terminal/input/input-history.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';

function createHistoryFile() {
  const directory = join(createTemporaryDirectory(), 'history');
  return { files: createSystemPorts({}).files, directory, path: join(directory, 'project.jsonl') };
}

describe('history', () => {
  test('moves back and forth, and returns to the unsent draft at the end', async () => {
    const history = new InputHistory(createHistoryFile());
    await history.load();
    await history.add('one');
    await history.add('two\nlines');
    expect([history.move(-1, 'draft'), history.move(-1, 'x'), history.move(-1, 'x')]).toEqual([
      'two\nlines',
      'one',
      undefined,
    ]);
    expect([history.move(1, 'x'), history.move(1, 'x'), history.move(1, 'x')]).toEqual([
      'two\nlines',
      'draft',
      undefined,
    ]);
  });

  test('blank text is not recorded', async () => {
    const file = createHistoryFile();
    const history = new InputHistory(file);
    await history.add('one');
    await history.add('');
    await history.add(' \n');
    expect(history.move(-1, '')).toBe('one');
    expect(readFileSync(file.path, 'utf8')).toBe('"one"\n');
  });

  test('two terminals share the file; damaged lines are skipped; only the owner can read it', async () => {
    const file = createHistoryFile();
    const [one, two] = [new InputHistory(file), new InputHistory(file)];
    await Promise.all([one.load(), two.load()]);
    await one.add('from one');
    await two.add('from two');
    writeFileSync(file.path, `not json\n${readFileSync(file.path, 'utf8')}{"no":"text"}\n`);
    await two.add('after');
    const reopened = new InputHistory(file);
    await reopened.load();
    expect([reopened.move(-1, ''), reopened.move(-1, ''), reopened.move(-1, ''), reopened.move(-1, '')]).toEqual([
      'after',
      'from two',
      'from one',
      undefined,
    ]);
    expect(statSync(file.path).mode & 0o777).toBe(0o600);
    expect(statSync(file.directory).mode & 0o777).toBe(0o700);
  });

  test('the number of entries is limited, and very long inputs are only kept in memory', async () => {
    const file = createHistoryFile();
    const history = new InputHistory(file);
    await history.add('words 0');
    writeFileSync(file.path, Array.from({ length: 509 }, (_, at) => `"words ${at}"\n`).join(''));
    await history.add('words 509');
    await history.add('x'.repeat(30_000));
    const lines = readFileSync(file.path, 'utf8').trimEnd().split('\n');
    expect([lines.length, lines[0], lines.at(-1)]).toEqual([500, '"words 10"', '"words 509"']);
    expect(history.move(-1, '')).toBe('x'.repeat(30_000));
  });

  test('without a path no file is written', async () => {
    const { files, directory } = createHistoryFile();
    const history = new InputHistory({ files, directory, path: undefined });
    await history.load();
    await history.add('secret');
    expect(history.move(-1, '')).toBe('secret');
    expect(await files.info(directory)).toBeUndefined();
  });
});

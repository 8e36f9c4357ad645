// Earlier words: found again in order, shared by terminals, bounded, and readable by nobody else.
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createSystemPorts } from '../../../src/app/system-ports/index.ts';
import { commonStart, completionFor, replaced, type Sources } from '../../../src/terminal/input/completion.ts';
import { written } from '../../../src/terminal/input/editor.ts';
import { History } from '../../../src/terminal/input/history.ts';
import { temporaryDirectory } from '../../support/temporary.ts';

function place() {
  const folder = join(temporaryDirectory(), 'history');
  return { files: createSystemPorts({}).files, folder, path: join(folder, 'project.jsonl') };
}

describe('history', () => {
  test('goes back and forth, and the unsaid draft waits at the end', async () => {
    const history = new History(place());
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

  test('two terminals keep each other’s words; damage is passed over; only the owner reads it', async () => {
    const where = place();
    const [one, two] = [new History(where), new History(where)];
    await Promise.all([one.load(), two.load()]);
    await one.add('from one');
    await two.add('from two');
    writeFileSync(where.path, `not json\n${readFileSync(where.path, 'utf8')}{"no":"text"}\n`);
    await two.add('after');
    const again = new History(where);
    await again.load();
    expect([again.move(-1, ''), again.move(-1, ''), again.move(-1, ''), again.move(-1, '')]).toEqual([
      'after',
      'from two',
      'from one',
      undefined,
    ]);
    expect(statSync(where.path).mode & 0o777).toBe(0o600);
    expect(statSync(where.folder).mode & 0o777).toBe(0o700);
  });

  test('it is bounded, and what is very long is not kept', async () => {
    const where = place();
    const history = new History(where);
    await history.add('words 0');
    writeFileSync(where.path, Array.from({ length: 509 }, (_, at) => `"words ${at}"\n`).join(''));
    await history.add('words 509');
    await history.add('x'.repeat(30_000));
    const lines = readFileSync(where.path, 'utf8').trimEnd().split('\n');
    expect([lines.length, lines[0], lines.at(-1)]).toEqual([500, '"words 10"', '"words 509"']);
  });

  test('where nothing is to be written, nothing is', async () => {
    const { files, folder } = place();
    const history = new History({ files, folder, path: undefined });
    await history.load();
    await history.add('secret');
    expect(history.move(-1, '')).toBe('secret');
    expect(await files.info(folder)).toBeUndefined();
  });
});

describe('completion', () => {
  const sources: Sources = {
    commands: async () => [{ word: 'model' }, { word: 'more' }, { word: 'name', doc: 'x' }],
    words: async (command) => (command === 'model' ? ['a/one', 'b/two'] : []),
    names: async (folder) => (folder === '' ? ['.git/', 'src/', 'some.txt'] : folder === 'src/' ? ['index.ts'] : []),
  };
  const words = async (text: string) =>
    (await completionFor(written(text), sources)).suggestions.map(({ word }) => word);

  test('commands, their arguments, files', async () => {
    expect(await words('/mo')).toEqual(['model ', 'more ']);
    expect(await words('/model tw')).toEqual(['b/two']);
    expect(await words('look at @s')).toEqual(['src/', 'some.txt ']);
    expect(await words('@src/')).toEqual(['src/index.ts ']);
    expect(await words('@.')).toEqual(['.git/']);
    expect(await words('plain words')).toEqual([]);
    expect(await words('mail@s')).toEqual([]);
  });

  test('as far as all agree', () => {
    expect(commonStart([{ word: 'model ' }, { word: 'more ' }])).toBe('mo');
    expect(commonStart([])).toBe('');
    expect(replaced(written('look at @s'), 9, 'src/')).toEqual({ text: 'look at @src/', at: 13, cut: '' });
  });
});

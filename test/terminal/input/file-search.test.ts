// Search of project files: ranking, listing while it runs, limits and stopping.
import { describe, expect, test } from 'vitest';
import { FileSearch } from '../../../src/terminal/input/file-search.ts';
import { createFakeClock } from '../../../src/testing/index.ts';

const never = () => new AbortController().signal;

function createSearch(files: readonly string[]) {
  const clock = createFakeClock();
  const listings: AbortSignal[] = [];
  const search = new FileSearch({
    clock,
    async listFiles(onFile, signal) {
      listings.push(signal);
      for (const path of files) if (onFile(path)) return;
    },
  });
  const find = async (query: string) => {
    let last: readonly string[] = [];
    for await (const found of search.search(query, never())) last = found;
    return last;
  };
  return { clock, listings, search, find };
}

describe('ranking', () => {
  const { find } = createSearch([
    'README.md',
    'src/terminal/input/input-editor.ts',
    'src/terminal/index.ts',
    'docs/terminal.md',
    'test/inner/deep/index.test.ts',
  ]);

  test('a file name is more important than its folders', async () => {
    expect((await find('index'))[0]).toBe('src/terminal/index.ts');
    expect((await find('terminal')).slice(0, 2)).toEqual(['src/terminal/', 'docs/terminal.md']);
    expect((await find('ined'))[0]).toBe('src/terminal/input/input-editor.ts');
    expect(await find('READme')).toEqual(['README.md']);
    expect(await find('zzz')).toEqual([]);
  });

  test('folders are found, and a query with a slash matches the path', async () => {
    expect((await find('src/'))[0]).toBe('src/');
    expect((await find('term/inp'))[0]).toBe('src/terminal/input/');
  });

  test('without a query the entries of the project folder come first', async () => {
    expect((await find('')).slice(0, 4)).toEqual(['src/', 'docs/', 'test/', 'README.md']);
  });
});

describe('listing', () => {
  test('files are listed once, and again when the list is old', async () => {
    const { find, listings, clock } = createSearch(['a.ts']);
    await find('a');
    await find('b');
    expect(listings).toHaveLength(1);
    await clock.advance(6_000);
    await find('a');
    expect(listings).toHaveLength(2);
  });

  test('the number of files and of results is limited', async () => {
    let count = 0;
    const search = new FileSearch({
      clock: createFakeClock(),
      async listFiles(onFile) {
        while (!onFile(`folder${count % 7}/file${count++}.ts`)) if (count > 500_000) return;
      },
    });
    for await (const found of search.search('file', never())) expect(found).toHaveLength(50);
    expect(count).toBeLessThanOrEqual(100_000);
  });

  test('results are shown before all files are listed, and stop() ends the listing', async () => {
    const clock = createFakeClock();
    let seen: AbortSignal | undefined;
    const search = new FileSearch({
      clock,
      listFiles(onFile, signal) {
        seen = signal;
        onFile('first.ts');
        return new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
      },
    });
    const results = search.search('fi', never());
    const first = results.next();
    await clock.advance(250);
    expect((await first).value).toEqual(['first.ts']);
    search.stop();
    expect(seen?.aborted).toBe(true);
  });

  test('a listing that fails has no results', async () => {
    const search = new FileSearch({ clock: createFakeClock(), listFiles: () => Promise.reject(new Error('no rg')) });
    for await (const found of search.search('x', never())) expect(found).toEqual([]);
  });
});

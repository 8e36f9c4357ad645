// Plays every transcript under scenarios/: the folder is the dialect, the file is the story.
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { playScenario } from '../src/testing/scenario.ts';

const root = join(import.meta.dirname, '..', 'scenarios');

for (const dialect of await readdir(root)) {
  describe(dialect, async () => {
    const stories = (await readdir(join(root, dialect))).filter((name) => name.endsWith('.txt')).sort();
    test.each(stories)('%s', async (story) => {
      const directory = await mkdtemp(join(tmpdir(), 'parley-scenario-'));
      try {
        const text = await readFile(join(root, dialect, story), 'utf8');
        await expect(playScenario(text, { directory, dialect })).resolves.toBeUndefined();
      } finally {
        await rm(directory, { recursive: true, force: true });
      }
    });
  });
}

// Runs every transcript under scenarios/. The folder is the dialect.
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runScenario } from '../src/testing/run-scenario.ts';

const root = join(import.meta.dirname, '..', 'scenarios');

for (const dialect of await readdir(root)) {
  describe(dialect, async () => {
    const fileNames = (await readdir(join(root, dialect))).filter((name) => name.endsWith('.txt')).sort();
    test.each(fileNames)('%s', async (fileName) => {
      const directory = await mkdtemp(join(tmpdir(), 'parley-scenario-'));
      try {
        const text = await readFile(join(root, dialect, fileName), 'utf8');
        await expect(
          runScenario(text, { directory, dialect, file: `scenarios/${dialect}/${fileName}` }),
        ).resolves.toBeUndefined();
      } finally {
        await rm(directory, { recursive: true, force: true });
      }
    });
  });
}

// The pages about measurements have figures only.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { removeBudgets, writePage } from '../../bench/report.mjs';
import { updatePage } from '../../bench/server/report.mjs';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';

test('the column with budgets is removed from a report', () => {
  const report =
    'Node\n\n| what | budget | time |\n|---|---:|---:|\n| a |  | 1 |\n| b | ≤ 2 | 3 |\n\n| c | d |\n|---|---|\n| e | f |\n';
  expect(removeBudgets(report)).toBe(
    'Node\n\n| what | time |\n|---|---:|\n| a | 1 |\n| b | 3 |\n\n| c | d |\n|---|---|\n| e | f |\n',
  );
});

test.each(['benchmarks.md', 'benchmarks-apis.md', 'resume.md', 'soaks.md'])('%s has no budgets', (name) => {
  const page = readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8');
  expect(page).not.toMatch(/budget|≤/i);
});

test('two benchmarks write their own parts of one page', async () => {
  const path = join(createTemporaryDirectory(), 'page.md');
  writeFileSync(path, 'old\n\n## Server\n\n<!-- bench:server -->\nold\n<!-- end of bench:server -->\n');
  await updatePage(pathToFileURL(path), '| a | budget |\n|---|---:|\n| 1 | ≤ 2 |');
  await writePage(path, 'new\n', '# Title\n\n');
  expect(readFileSync(path, 'utf8')).toBe(
    '# Title\n\nnew\n\n## Server\n\n<!-- bench:server -->\n| a |\n|---|\n| 1 |\n<!-- end of bench:server -->\n',
  );
});

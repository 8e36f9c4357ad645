// The pages about measurements have figures only.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { removeBudgets } from '../../bench/report.mjs';

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

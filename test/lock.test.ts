// Checks package-lock.json: it covers every platform and has no download URLs. `npm run lock` adds missing entries.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

interface LockedPackage {
  resolved?: string;
  optionalDependencies?: Record<string, string>;
}

const text = readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8');
const packages: Record<string, LockedPackage> = JSON.parse(text).packages;

test('every optional binary has an entry (npm ci rejects the file otherwise)', () => {
  const names = Object.values(packages).flatMap(({ optionalDependencies = {} }) => Object.keys(optionalDependencies));
  expect(names.length).toBeGreaterThan(10);
  expect(names.filter((name) => !packages[`node_modules/${name}`])).toEqual([]);
});

test('no entry has a download URL', () => {
  expect(Object.entries(packages).filter(([, { resolved }]) => resolved?.startsWith('http'))).toEqual([]);
});

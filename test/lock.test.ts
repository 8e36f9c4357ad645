// The lock file serves every platform and names no download address; `npm run lock` completes it.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

interface LockedPackage {
  resolved?: string;
  optionalDependencies?: Record<string, string>;
}

const text = readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8');
const packages: Record<string, LockedPackage> = JSON.parse(text).packages;

test('every optional binary has an entry, or npm ci refuses the lock', () => {
  const wanted = Object.values(packages).flatMap(({ optionalDependencies = {} }) => Object.keys(optionalDependencies));
  expect(wanted.length).toBeGreaterThan(10);
  expect(wanted.filter((name) => !packages[`node_modules/${name}`])).toEqual([]);
});

test('no entry says where it was downloaded', () => {
  expect(Object.entries(packages).filter(([, { resolved }]) => resolved?.startsWith('http'))).toEqual([]);
});

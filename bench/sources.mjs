// Counts the lines of the source files.
// @ts-check
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** @param {string} directory */
export function sourceSizes(directory) {
  const files = readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));
  const sizes = files
    .map((path) => ({ path, lines: readFileSync(join(directory, path), 'utf8').split('\n').length - 1 }))
    .sort((a, b) => a.lines - b.lines);
  const largest = sizes.at(-1) ?? { path: '', lines: 0 };
  return {
    files: sizes.length,
    median: sizes[sizes.length >> 1]?.lines ?? 0,
    largest: largest.lines,
    path: largest.path,
  };
}

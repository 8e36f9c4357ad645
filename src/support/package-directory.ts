// Finds the directory of the package that this code belongs to.
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A package can import itself by name, except from the bundle, which is in dist/program and has its own package.json. */
export function findPackageDirectory(): string {
  try {
    return dirname(createRequire(import.meta.url).resolve('parley-agent/package.json'));
  } catch {
    return fileURLToPath(new URL('../..', import.meta.url)).replace(/[/\\]$/, '');
  }
}

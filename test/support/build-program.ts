// Bundles the program once per test run, outside dist/, and tells the tests where it is: `inject('program')`.
import { existsSync } from 'node:fs';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type {} from 'vitest';
import type { TestProject } from 'vitest/node';
import { bundle } from '../../scripts/bundle.mjs';

declare module 'vitest' {
  interface ProvidedContext {
    /** Path of the bundled program; start it with `process.execPath`. */
    program: string;
  }
}

const root = fileURLToPath(new URL('../..', import.meta.url));

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const directory = await mkdtemp(join(tmpdir(), 'parley-program-'));
  await writeFile(join(directory, 'package.json'), '{"type":"module"}');
  // What stays external in the bundle is looked up from where the bundle stands.
  await symlink(join(root, 'node_modules'), join(directory, 'node_modules'), 'junction');
  // `parley schema` prints what lies beside the program.
  await symlink(join(root, 'schema'), join(directory, 'schema'), 'junction');
  project.provide('program', await programIn(directory));
  return () => rm(directory, { recursive: true, force: true });
}

/** When it does not build, a program that says so: tests that start it go red, and the others still run. */
async function programIn(directory: string): Promise<string> {
  if (!existsSync(join(root, 'src/cli/main.ts'))) return '';
  try {
    return (await bundle(join(directory, 'dist'))).program;
  } catch (thrown) {
    const program = join(directory, 'broken.js');
    await writeFile(program, `throw new Error(${JSON.stringify(`The program does not build. ${thrown}`)});\n`);
    return program;
  }
}

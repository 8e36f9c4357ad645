// Bundles the program once per test run, outside dist/. Tests get its path with `inject('program')`.
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
  // External packages are resolved from the directory of the bundle.
  await symlink(join(root, 'node_modules'), join(directory, 'node_modules'), 'junction');
  // `parley schema` reads the files next to the program.
  await symlink(join(root, 'schema'), join(directory, 'schema'), 'junction');
  project.provide('program', await buildProgram(directory));
  return () => rm(directory, { recursive: true, force: true });
}

/** If the build fails, returns a program that throws the error: only the tests that start the program fail. */
async function buildProgram(directory: string): Promise<string> {
  if (!existsSync(join(root, 'src/cli/main.ts'))) return '';
  try {
    return (await bundle(join(directory, 'dist'))).program;
  } catch (thrown) {
    const program = join(directory, 'broken.js');
    await writeFile(program, `throw new Error(${JSON.stringify(`The program does not build. ${thrown}`)});\n`);
    return program;
  }
}

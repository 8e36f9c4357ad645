// Packs the package as npm does, from a copy of the working tree.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
const SOURCES = ['src', 'web', 'scripts', 'schema', 'docs', 'package.json', 'tsconfig.json', 'tsconfig.build.json'];
const TEXTS = ['README.md', 'CHANGELOG.md', 'LICENSE'];

export interface PackedPackage {
  /** Path of the archive. */
  readonly path: string;
  /** The files in it. */
  readonly files: readonly string[];
}

/** A copy is packed, and built if `dist/` is not up to date, because a build would change the working tree. */
export async function packPackage(directory: string): Promise<PackedPackage> {
  const copy = join(directory, 'copy');
  await mkdir(copy);
  const names = [...SOURCES, ...TEXTS, 'dist'].filter((name) => existsSync(join(root, name)));
  // With the times of files and directories, by which the build recognises what is up to date.
  await run('cp', ['-a', ...names.map((name) => join(root, name)), copy]);
  await symlink(join(root, 'node_modules'), join(copy, 'node_modules'), 'junction');
  await run(process.execPath, ['scripts/build.mjs', '--if-stale'], { cwd: copy });
  const pack = ['pack', '--json', '--ignore-scripts', '--pack-destination', directory];
  const { stdout } = await run('npm', pack, { cwd: copy });
  const [archive] = JSON.parse(stdout.slice(stdout.indexOf('['))) as [{ filename: string; files: { path: string }[] }];
  return { path: join(directory, archive.filename), files: archive.files.map(({ path }) => path) };
}

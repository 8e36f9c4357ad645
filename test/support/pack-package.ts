// Packs the package as npm does, from a copy of the working tree.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('../..', import.meta.url));
const SOURCES = ['src', 'web', 'scripts', 'schema', 'docs', 'package.json', 'tsconfig.json', 'tsconfig.build.json'];
const TEXTS = ['README.md', 'CHANGELOG.md', 'LICENSE'];

export interface PackedPackage {
  /** Path of the archive. */
  readonly path: string;
  /** The files in it. */
  readonly files: readonly string[];
}

/** A copy is packed, because packing runs the build, which would change the working tree. */
export async function packPackage(directory: string): Promise<PackedPackage> {
  const copy = join(directory, 'copy');
  await mkdir(copy);
  for (const name of [...SOURCES, ...TEXTS].filter((file) => existsSync(join(root, file)))) {
    await cp(join(root, name), join(copy, name), { recursive: true });
  }
  await symlink(join(root, 'node_modules'), join(copy, 'node_modules'), 'junction');
  const { stdout } = await promisify(execFile)('npm', ['pack', '--json', '--pack-destination', directory], {
    cwd: copy,
  });
  const [archive] = JSON.parse(stdout.slice(stdout.indexOf('['))) as [{ filename: string; files: { path: string }[] }];
  return { path: join(directory, archive.filename), files: archive.files.map(({ path }) => path) };
}

// Checks permissions and free disk space of the user's Parley directory.
import { join } from 'node:path';
import { describeSystemError } from '../../base/system-error.ts';
import type { Files } from '../../contracts/index.ts';
import { listSessionDirectories } from '../../store/index.ts';
import type { DiskSpace } from '../system-ports/disk-space.ts';
import { error, type Finding, ok, warning } from './finding.ts';

const OTHERS_MODE_BITS = 0o077;
/** At most this many paths are reported one by one. */
const MAX_REPORTED_PATHS = 10;
const LOW_SPACE_BYTES = 1024 ** 3;
const MIN_SPACE_BYTES = 100 * 1024 ** 2;
const PRIVATE_FILES = ['auth.json', 'settings.json', 'models.json', 'trust.json'];

export async function checkPermissions(files: Files, directory: string): Promise<Finding[]> {
  const exposed: { path: string; mode: string }[] = [];
  const checkPath = async (path: string): Promise<void> => {
    const info = await files.info(path);
    if (info && (info.mode & OTHERS_MODE_BITS) !== 0)
      exposed.push({ path, mode: info.kind === 'directory' ? '700' : '600' });
  };
  const readError = await files.info(join(directory, 'settings.json')).then(() => undefined, describeSystemError);
  if (readError)
    return [
      error('permissions', readError, `chmod 700 ${quotePath(directory)}, or set PARLEY_DIR to another directory.`),
    ];
  const folders = await listSessionDirectories(files, directory);
  for (const path of [directory, join(directory, 'sessions'), ...folders]) await checkPath(path);
  for (const name of PRIVATE_FILES) await checkPath(join(directory, name));
  for (const folder of folders) {
    for (const { name, kind } of await files.list(folder)) if (kind === 'file') await checkPath(join(folder, name));
  }
  if (exposed.length === 0) return [ok('permissions', `only you can read ${directory}`)];
  const findings = exposed
    .slice(0, MAX_REPORTED_PATHS)
    .map(({ path, mode }) => error('permissions', `other users can read ${path}`, `chmod ${mode} ${quotePath(path)}`));
  if (exposed.length <= MAX_REPORTED_PATHS) return findings;
  const remedy = `chmod -R go-rwx ${quotePath(directory)}`;
  return [...findings, error('permissions', `and ${exposed.length - MAX_REPORTED_PATHS} more`, remedy)];
}

export function checkDisk(directory: string, { freeBytes, writable }: DiskSpace): Finding {
  const free = `${(freeBytes / 1024 ** 3).toFixed(1)} GB free for ${directory}`;
  if (!writable) {
    const remedy = 'Give your user write permission there, or set PARLEY_DIR to another directory.';
    return error('disk', `${directory} cannot be written`, remedy);
  }
  if (freeBytes < MIN_SPACE_BYTES)
    return error('disk', free, 'Free some disk space: prompts that cannot be saved are refused.');
  if (freeBytes < LOW_SPACE_BYTES)
    return warning('disk', free, 'Free some disk space, or delete old sessions: `parley sessions --help`.');
  return ok('disk', free);
}

function quotePath(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}

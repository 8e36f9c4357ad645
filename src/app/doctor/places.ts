// The hall, doctor: the user's own directory: who else may read it, and whether there is room for more.
import { join } from 'node:path';
import { sentenceOf } from '../../base/system-error.ts';
import type { Files } from '../../contracts/index.ts';
import { sessionFolders } from '../../store/index.ts';
import type { DiskSpace } from '../system-ports/disk-space.ts';
import { error, type Finding, ok, warning } from './finding.ts';

const OTHERS = 0o077;
/** Whoever has this many that are open to others sees the point. */
const MOST_NAMED = 10;
const LITTLE = 1024 ** 3;
const TOO_LITTLE = 100 * 1024 ** 2;
const PRIVATE_FILES = ['auth.json', 'settings.json', 'models.json', 'trust.json'];

export async function checkPermissions(files: Files, directory: string): Promise<Finding[]> {
  const open: { path: string; mode: string }[] = [];
  const look = async (path: string): Promise<void> => {
    const info = await files.info(path);
    if (info && (info.mode & OTHERS) !== 0) open.push({ path, mode: info.kind === 'directory' ? '700' : '600' });
  };
  const refused = await files.info(join(directory, 'settings.json')).then(() => undefined, sentenceOf);
  if (refused)
    return [
      error('permissions', refused, `chmod 700 ${quoted(directory)}, or name another directory with PARLEY_DIR.`),
    ];
  const folders = await sessionFolders(files, directory);
  for (const path of [directory, join(directory, 'sessions'), ...folders]) await look(path);
  for (const name of PRIVATE_FILES) await look(join(directory, name));
  for (const folder of folders) {
    for (const { name, kind } of await files.list(folder)) if (kind === 'file') await look(join(folder, name));
  }
  if (open.length === 0) return [ok('permissions', `nobody else may read ${directory}`)];
  const findings = open
    .slice(0, MOST_NAMED)
    .map(({ path, mode }) => error('permissions', `others may read ${path}`, `chmod ${mode} ${quoted(path)}`));
  if (open.length <= MOST_NAMED) return findings;
  const mend = `chmod -R go-rwx ${quoted(directory)}`;
  return [...findings, error('permissions', `and ${open.length - MOST_NAMED} more`, mend)];
}

export function checkDisk(directory: string, { freeBytes, writable }: DiskSpace): Finding {
  const free = `${(freeBytes / 1024 ** 3).toFixed(1)} GB free for ${directory}`;
  if (!writable) {
    const mend = 'Give yourself the right to write there, or name another directory with PARLEY_DIR.';
    return error('disk', `${directory} cannot be written`, mend);
  }
  if (freeBytes < TOO_LITTLE) return error('disk', free, 'Make room: prompts are refused when they cannot be kept.');
  if (freeBytes < LITTLE)
    return warning('disk', free, 'Make room, or take old sessions away: `parley sessions --help`.');
  return ok('disk', free);
}

function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}

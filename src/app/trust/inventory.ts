// The hall: a mark of what a project brings along, by which a change is seen.
// Interprets nothing: names, sizes and a checksum of bytes.
import { createHash, type Hash } from 'node:crypto';
import { join } from 'node:path';
import type { FileInfo, Files } from '../../contracts/index.ts';
import { findConfiguration, present } from './places.ts';

type Reading = Pick<Files, 'info' | 'list' | 'read' | 'resolve'>;

/** Read by nobody here yet, or only through others; a change of these is a change of what was trusted all the same. */
const BESIDE = ['.mcp.json', '.env'];
/** Beyond this, size and time of a file stand for its content. */
const MOST_FILE_BYTES = 1024 * 1024;
const MOST_BYTES = 32 * 1024 * 1024;
const MOST_FILES = 20_000;
const DEEPEST = 12;

/** The same content gives the same mark, wherever the project lies. */
export async function digestOf(files: Reading, cwd: string): Promise<string> {
  const paths = [...(await findConfiguration(files, cwd)), ...(await present(files, cwd, map(BESIDE, cwd)))].sort();
  const count = { files: 0, bytes: 0 };
  const hash = createHash('sha256');
  for (const path of paths) await addTo(hash, files, { root: cwd, path, depth: 0, count });
  return hash.digest('hex');
}

function map(names: readonly string[], cwd: string): string[] {
  return names.map((name) => join(cwd, name));
}

interface Spot {
  readonly root: string;
  readonly path: string;
  readonly depth: number;
  readonly count: { files: number; bytes: number };
}

async function addTo(hash: Hash, files: Reading, spot: Spot): Promise<void> {
  const { root, path, depth, count } = spot;
  const whole = join(root, path);
  const info = await files.info(whole, { follow: false });
  count.files += 1;
  if (!info || count.files > MOST_FILES || depth > DEEPEST) {
    hash.update(`${path}\0beyond\0`);
    return;
  }
  // Behind a link, where it leads and what is there both count.
  if (info.kind === 'link') hash.update(`${path}\0link\0${await files.resolve(whole)}\0`);
  const target = info.kind === 'link' ? await files.info(whole).catch(() => undefined) : info;
  if (target?.kind === 'directory') await addFolder(hash, files, spot);
  else if (target?.kind === 'file') await addFile(hash, files, spot, target);
  else hash.update(`${path}\0${target?.kind ?? 'nothing'}\0`);
}

async function addFolder(hash: Hash, files: Reading, { root, path, depth, count }: Spot): Promise<void> {
  const names = (await files.list(join(root, path))).map(({ name }) => name).sort();
  hash.update(`${path}\0folder\0${names.length}\0`);
  for (const name of names) {
    if (name !== '.git') await addTo(hash, files, { root, path: join(path, name), depth: depth + 1, count });
  }
}

async function addFile(hash: Hash, files: Reading, { root, path, count }: Spot, info: FileInfo): Promise<void> {
  count.bytes += info.size;
  hash.update(`${path}\0file\0${info.size}\0`);
  if (info.size > MOST_FILE_BYTES || count.bytes > MOST_BYTES) hash.update(`${info.modifiedMs}\0`);
  else hash.update(await files.read(join(root, path)));
}

// First floor, core: the folder in which the copies of one call lie, with a note that says whose it is. What a process that
// was killed left behind is cleared away by the next one that works on the same repository.
import { isRecord } from '../../../base/index.ts';
import type { Ports } from '../../../contracts/index.ts';
import { createGit } from '../../git/git.ts';
import type { ProcessMark } from '../spawner.ts';
import { removeCopy } from './copy.ts';

const OWNER = 'owner.json';
const BRANCHES = 'branches';
/** Nobody takes longer from making the folder to writing the note. */
const NAMELESS_MS = 60_000;

export interface BatchFolder {
  readonly path: string;
  /** Branches that are not wanted if we die now. Written before they are made. */
  noteBranches(names: readonly string[]): Promise<void>;
  remove(): Promise<void>;
}

export interface FolderOptions {
  readonly ports: Ports;
  readonly process: ProcessMark;
  /** Of all worktrees of this user. */
  readonly worktrees: string;
  /** The root of the main working tree. */
  readonly root: string;
  /** What all worktrees of a repository share. */
  readonly commonDirectory: string;
}

export async function openBatchFolder(options: FolderOptions): Promise<BatchFolder> {
  const { ports, process, worktrees, root, commonDirectory } = options;
  const { files } = ports;
  const home = `${worktrees}/${keyOf(commonDirectory)}`;
  await files.makeDirectory(home, { mode: 0o700 });
  await reap(options, home);
  const path = `${home}/${ports.ids.uuid()}`;
  await files.makeDirectory(path, { mode: 0o700 });
  await files.makeDirectory(`${path}/scratch`, { mode: 0o700 });
  const write = (name: string, value: unknown) =>
    files.replace(`${path}/${name}`, new TextEncoder().encode(JSON.stringify(value)), { mode: 0o600 });
  await write(OWNER, { ...process.self, root });
  return {
    path,
    noteBranches: (names) => write(BRANCHES, names),
    remove: () => files.remove(path, { recursive: true }).catch(() => {}),
  };
}

/** Never rejects: what cannot be cleared away now can be next time. */
async function reap({ ports, process, root }: FolderOptions, home: string): Promise<void> {
  const { files } = ports;
  for (const { name, kind } of await files.list(home).catch(() => [])) {
    const path = `${home}/${name}`;
    if (kind !== 'directory' || !(await isAbandoned(ports, process, path))) continue;
    for (const entry of await files.list(path).catch(() => [])) {
      if (entry.kind === 'directory') await removeCopy({ ports, scratch: path }, root, `${path}/${entry.name}`);
    }
    const git = createGit(ports, root);
    const branches = await readJson(ports, `${path}/${BRANCHES}`);
    for (const branch of Array.isArray(branches) ? branches.map(String) : []) {
      if (isOurs(branch)) await git.run(['update-ref', '-d', `refs/heads/${branch}`]).catch(() => {});
    }
    await files.remove(path, { recursive: true }).catch(() => {});
  }
}

async function isAbandoned({ files, clock }: Ports, process: ProcessMark, path: string): Promise<boolean> {
  const owner = await readJson({ files }, `${path}/${OWNER}`);
  if (isRecord(owner) && typeof owner.pid === 'number') {
    const startTime = typeof owner.startTime === 'number' ? owner.startTime : undefined;
    // What runs on another machine cannot be seen from here.
    return owner.host === process.self.host && !(await process.isAlive(owner.pid, startTime));
  }
  const info = await files.info(path).catch(() => undefined);
  return info !== undefined && clock.now() - info.modifiedMs > NAMELESS_MS;
}

async function readJson({ files }: Pick<Ports, 'files'>, path: string): Promise<unknown> {
  try {
    return JSON.parse(new TextDecoder().decode(await files.read(path)));
  } catch {
    return undefined;
  }
}

export const BRANCH_PREFIX = 'parley/task/';

function isOurs(branch: string): boolean {
  return branch.startsWith(BRANCH_PREFIX);
}

/** The end of the path, which tells most, and a number that tells it from others with the same end (FNV-1a). */
function keyOf(path: string): string {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(path)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  const name = path.replace(/\/\.git$/, '').replace(/^.*\//s, '');
  return `${name.replace(/[^\w.-]/g, '_').slice(-40)}-${hash.toString(16).padStart(8, '0')}`;
}

// Creates files and directories in place of protected names that do not exist, because only what exists can be mounted over, and
// removes them after the command. Several processes may need the same one at the same time.
import { join } from 'node:path';
import { getSystemErrorCode } from '../base/index.ts';
import type { Files, ProcessIdentity } from '../contracts/index.ts';
import { createProcessMark, isAbandonedMark, isProcessMark } from './process-mark.ts';

/** Stands for a protected name that does not exist. A directory unless it has a `content`: git does not show empty directories. */
export interface Placeholder {
  readonly path: string;
  readonly content?: string | undefined;
}

export interface PlaceholderContext {
  readonly files: Files;
  readonly processIdentity: ProcessIdentity;
  removeEmptyDirectory(path: string): Promise<void>;
}

/** The sticky bit distinguishes a placeholder from a directory of the user. */
const STICKY = 0o1000;
const MODE = 0o1755;

/** Whether another command uses the placeholder, or a killed process left it behind. */
export async function isPlaceholder(files: Files, { path, content }: Placeholder): Promise<boolean> {
  const info = await files.info(path, { follow: false });
  if (info?.kind === 'file' && content !== undefined) {
    return info.size === content.length && (await readText(files, path)) === content;
  }
  if (info?.kind !== 'directory' || (info.mode & STICKY) === 0) return false;
  return (await files.list(path)).every(({ name }) => isProcessMark(name));
}

interface Holding {
  users: number;
  /** The last change of the file system. Changes of one path must not overlap. */
  pending: Promise<void>;
}

/** The placeholders that this process uses, by path. */
const holdings = new Map<string, Holding>();

/** Returns the function that gives the placeholders back. */
export async function holdPlaceholders(
  context: PlaceholderContext,
  placeholders: readonly Placeholder[],
): Promise<() => Promise<void>> {
  const release = () => changeAll(placeholders, -1, (placeholder) => remove(context, placeholder));
  try {
    await changeAll(placeholders, 1, (placeholder) => create(context, placeholder));
  } catch (thrown) {
    await release();
    throw thrown;
  }
  return release;
}

/** Calls `act` for each placeholder that gets its first user or loses its last one. */
async function changeAll(
  placeholders: readonly Placeholder[],
  change: 1 | -1,
  act: (placeholder: Placeholder) => Promise<void>,
): Promise<void> {
  const changes = placeholders.map((placeholder) => {
    const holding = holdings.get(placeholder.path) ?? { users: 0, pending: Promise.resolve() };
    holdings.set(placeholder.path, holding);
    holding.users += change;
    const isNeeded = () => (change === 1 ? holding.users > 0 : holding.users === 0);
    const result = holding.pending.then(() => (isNeeded() ? act(placeholder) : undefined));
    holding.pending = result
      .catch(() => {})
      .then(() => {
        if (holding.users === 0 && holdings.get(placeholder.path) === holding) holdings.delete(placeholder.path);
      });
    return result;
  });
  const results = await Promise.allSettled(changes);
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}

async function create(context: PlaceholderContext, { path, content }: Placeholder): Promise<void> {
  const { files } = context;
  // Also creates the placeholder itself, again if another process has just removed it.
  if (content === undefined) return files.makeDirectory(join(path, createMark(context)), { mode: MODE });
  try {
    const file = await files.open(path, 'create', { mode: 0o644 });
    await file.append(Buffer.from(content)).finally(() => file.close());
  } catch (thrown) {
    if (getSystemErrorCode(thrown) !== 'EEXIST') throw thrown;
  }
}

/** Leaves what the user has put there in the meantime. */
async function remove(context: PlaceholderContext, placeholder: Placeholder): Promise<void> {
  const { files, removeEmptyDirectory } = context;
  const { path, content } = placeholder;
  try {
    if (content !== undefined) {
      if (await isPlaceholder(files, placeholder)) await files.remove(path);
      return;
    }
    await removeEmptyDirectory(join(path, createMark(context))).catch(() => {});
    const info = await files.info(path, { follow: false });
    if (info?.kind !== 'directory' || (info.mode & STICKY) === 0) return;
    // Mostly it is empty now.
    const isRemoved = await removeEmptyDirectory(path).then(
      () => true,
      () => false,
    );
    if (isRemoved || !(await isPlaceholder(files, placeholder))) return;
    await removeAbandonedMarks(context, path);
    await removeEmptyDirectory(path);
  } catch {
    // Another process uses it, or the directory above it is gone.
  }
}

/** An empty directory in the placeholder for each process that uses it: as long as there is one, the placeholder cannot be removed. */
function createMark({ processIdentity }: PlaceholderContext): string {
  return createProcessMark(processIdentity);
}

async function removeAbandonedMarks(context: PlaceholderContext, path: string): Promise<void> {
  const { files, processIdentity, removeEmptyDirectory } = context;
  for (const { name } of await files.list(path)) {
    if (await isAbandonedMark(processIdentity, name)) await removeEmptyDirectory(join(path, name));
  }
}

async function readText(files: Files, path: string): Promise<string> {
  return Buffer.from(await files.read(path)).toString('utf8');
}

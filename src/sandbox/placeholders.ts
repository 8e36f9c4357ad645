// Creates files and directories in place of protected names that do not exist, because only what exists can be mounted over, and
// removes them after the command. Several processes may need the same one at the same time. Linux unmounts a file or directory in all
// sandboxes when it is removed outside, so a placeholder is removed only when no process uses it.
import { Fault } from '../base/index.ts';
import type { Clock, Files, ProcessIdentity } from '../contracts/index.ts';
import { createProcessMark, isAbandonedMark, isProcessMark } from './process-mark.ts';

/** A directory that stands for a protected name that does not exist: git does not show empty directories. */
export interface Placeholder {
  readonly path: string;
  /** Files in other places that are created and removed with the directory. */
  readonly files: readonly PlaceholderFile[];
}

/** A file that stands for a protected name that does not exist, where a directory would be an error. */
export interface PlaceholderFile {
  readonly path: string;
  /** ASCII. */
  readonly content: string;
}

/**
 * Directories with an empty directory in them, the mark, for each process that uses them. As long as there is one, the directory cannot
 * be removed. Commands cannot change the marks, because the directory is covered in the sandbox. Git does not show empty directories.
 */
export interface MarkedDirectories {
  has(path: string, mark: string): boolean;
  /** Creates what is missing, and the mark. `busy`: another process is changing the directory. */
  add(placeholder: Placeholder, mark: string, modes: PlaceholderModes): 'added' | 'busy';
  /** Removes the mark and, when it was the last one, everything. What has been changed by the user stays. */
  remove(placeholder: Placeholder, mark: string, modes: PlaceholderModes): Promise<'removed' | 'used' | 'busy'>;
  /** Removes only the mark. */
  removeMark(path: string, mark: string): void;
}

/** The sticky bit distinguishes placeholders from files and directories of the user. */
export interface PlaceholderModes {
  readonly sticky: number;
  readonly directory: number;
  readonly file: number;
}

export interface PlaceholderContext {
  readonly files: Files;
  readonly clock: Clock;
  readonly processIdentity: ProcessIdentity;
  readonly markedDirectories: MarkedDirectories;
}

const MODES: PlaceholderModes = { sticky: 0o1000, directory: 0o1755, file: 0o1644 };
/** In a marked directory while a process changes it. */
export const LOCK_NAME = 'lock';
const LOCK_TIMEOUT_MS = 5000;
const LOCK_RETRY_MS = 2;
/** The next command often follows soon and needs the same placeholders. Some file systems take milliseconds to create them. */
const KEEP_MS = 1000;

interface Holding {
  users: number;
  /** Of all commands that use the directory. */
  readonly files: Map<string, PlaceholderFile>;
  /** The last change of the file system. Changes of one path must not overlap. */
  pending: Promise<void>;
}

/** The placeholders that this process uses, by path. */
const holdings = new Map<string, Holding>();

/** Whether another command uses the directory, or a killed process left it behind. */
export async function isPlaceholder(files: Files, path: string): Promise<boolean> {
  if (holdings.has(path)) return true;
  const info = await files.info(path, { follow: false });
  if (info?.kind !== 'directory' || (info.mode & MODES.sticky) === 0) return false;
  return (await files.list(path)).every(({ name }) => name === LOCK_NAME || isProcessMark(name));
}

export async function isPlaceholderFile(files: Files, { path, content }: PlaceholderFile): Promise<boolean> {
  const info = await files.info(path, { follow: false });
  return info?.kind === 'file' && (info.mode & MODES.sticky) !== 0 && info.size === content.length;
}

/** Removals that wait for `KEEP_MS`. Each can be started early. */
const waitingRemovals = new Set<() => Promise<void>>();

/** Returns the function that gives the placeholders back. They are removed soon after the last command has done so. */
export async function holdPlaceholders(
  context: PlaceholderContext,
  placeholders: readonly Placeholder[],
): Promise<() => void> {
  const release = () => changeAll(placeholders, -1, (placeholder) => remove(context, placeholder).catch(() => {}));
  try {
    await changeAll(placeholders, 1, (placeholder) => create(context, placeholder));
  } catch (thrown) {
    await release();
    throw thrown;
  }
  return () => {
    const removeNow = () => {
      cancel();
      waitingRemovals.delete(removeNow);
      return release();
    };
    const cancel = context.clock.after(KEEP_MS, () => void removeNow());
    waitingRemovals.add(removeNow);
  };
}

/** Removes the placeholders that are no longer used. */
export async function removeUnusedPlaceholders(): Promise<void> {
  await Promise.all([...waitingRemovals].map((removeNow) => removeNow()));
}

/** Calls `act` for each placeholder that gets a user or loses its last one. */
async function changeAll(
  placeholders: readonly Placeholder[],
  change: 1 | -1,
  act: (placeholder: Placeholder) => Promise<void>,
): Promise<void> {
  const changes = placeholders.map(({ path, files }) => {
    const holding = holdings.get(path) ?? { users: 0, files: new Map(), pending: Promise.resolve() };
    holdings.set(path, holding);
    holding.users += change;
    for (const file of files) holding.files.set(file.path, file);
    const isNeeded = () => (change === 1 ? holding.users > 0 : holding.users === 0);
    const result = holding.pending.then(() =>
      isNeeded() ? act({ path, files: [...holding.files.values()] }) : undefined,
    );
    holding.pending = result
      .catch(() => {})
      .then(() => {
        if (holding.users === 0 && holdings.get(path) === holding) holdings.delete(path);
      });
    return result;
  });
  const results = await Promise.allSettled(changes);
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}

async function create(context: PlaceholderContext, placeholder: Placeholder): Promise<void> {
  const mark = createProcessMark(context.processIdentity);
  const { markedDirectories } = context;
  // A command before this one has created it, unless it was removed meanwhile.
  if (placeholder.files.length === 0 && markedDirectories.has(placeholder.path, mark)) return;
  const result = await retryWhileBusy(context, () => markedDirectories.add(placeholder, mark, MODES));
  if (result === 'added') return;
  const remedy = `If there is none, remove ${placeholder.path}/${LOCK_NAME}.`;
  throw new Fault('refused', `The sandbox cannot be set up: another process is using ${placeholder.path}. ${remedy}`);
}

async function remove(context: PlaceholderContext, placeholder: Placeholder): Promise<void> {
  const { markedDirectories, processIdentity, files } = context;
  const mark = createProcessMark(processIdentity);
  const removeOnce = () => retryWhileBusy(context, () => markedDirectories.remove(placeholder, mark, MODES));
  // Another process uses it, or a killed one has used it.
  if ((await removeOnce()) !== 'used' || !(await isPlaceholder(files, placeholder.path))) return;
  await removeAbandonedMarks(context, placeholder.path);
  await removeOnce();
}

async function retryWhileBusy<T>(
  { clock }: PlaceholderContext,
  act: () => T | 'busy' | Promise<T | 'busy'>,
): Promise<T | 'busy'> {
  const deadline = clock.now() + LOCK_TIMEOUT_MS;
  for (;;) {
    const result = await act();
    if (result !== 'busy' || clock.now() > deadline) return result;
    await clock.sleep(LOCK_RETRY_MS);
  }
}

async function removeAbandonedMarks(
  { files, processIdentity, markedDirectories }: PlaceholderContext,
  path: string,
): Promise<void> {
  for (const { name } of await files.list(path)) {
    if (await isAbandonedMark(processIdentity, name)) markedDirectories.removeMark(path, name);
  }
}

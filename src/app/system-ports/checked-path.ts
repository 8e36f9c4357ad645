// Finds what a path leads to, checks it, and keeps it pinned while it is used.
import * as path from 'node:path';
import { getSystemErrorCode } from '../../base/fault.ts';
import type { CheckAccess, FileAccess } from '../../contracts/ports.ts';
import type { PinFile, PinnedFile } from './pin-file.ts';
import { resolveLinks } from './resolve-links.ts';

export interface AccessScope {
  readonly check: CheckAccess;
  readonly pinFile: PinFile;
  readonly shouldSplitHardLinks: boolean;
}

/** `follow`: whether the last part of the path may be a link. Default: true. */
export async function useFile<T>(
  { check, pinFile }: AccessScope,
  file: string,
  { access, follow = true }: { access: FileAccess; follow?: boolean | undefined },
  use: (pinned: PinnedFile) => Promise<T>,
): Promise<T> {
  let pinned: PinnedFile;
  try {
    pinned = await pinFile(file, follow);
  } catch (error) {
    await checkUnreachable(check, file, access, error);
    throw error;
  }
  try {
    check(pinned.realPath, access);
    return await use(pinned);
  } finally {
    await pinned.release();
  }
}

/**
 * For creating, replacing and removing: checks the entry and pins its directory. If the entry is a link, it is not followed. `use` gets
 * a path for system calls.
 */
export async function useParent<T>(
  { check, pinFile }: AccessScope,
  file: string,
  use: (accessPath: string) => Promise<T>,
): Promise<T> {
  const name = path.basename(file);
  if (name === '' || name === '.' || name === '..') {
    throw Object.assign(new Error(`EINVAL: the path does not end with a name, '${file}'`), { code: 'EINVAL' });
  }
  let parent: PinnedFile;
  try {
    parent = await pinFile(path.dirname(file), true);
  } catch (error) {
    await checkUnreachable(check, file, 'write', error);
    throw error;
  }
  try {
    check(path.join(parent.realPath, name), 'write');
    return await use(`${parent.accessPath}/${name}`);
  } catch (error) {
    throw nameRealPath(error, parent);
  } finally {
    await parent.release();
  }
}

/** Errors of the system name the path of the descriptor, which means nothing to users. */
export function nameRealPath(error: unknown, { accessPath, realPath }: PinnedFile): unknown {
  if (!(error instanceof Error) || accessPath === realPath) return error;
  const replace = (text: string) => text.replaceAll(accessPath, realPath);
  error.message = replace(error.message);
  const { path: failedPath, dest } = error as { path?: unknown; dest?: unknown };
  if (typeof failedPath === 'string') Object.assign(error, { path: replace(failedPath) });
  if (typeof dest === 'string') Object.assign(error, { dest: replace(dest) });
  return error;
}

/** The path with all links resolved, for a file that need not exist. It must be pinned before it is used. */
export async function resolveForChange({ check }: AccessScope, file: string): Promise<string> {
  try {
    return await resolveLinks(file);
  } catch (error) {
    check(path.resolve(file), 'write');
    throw error;
  }
}

export function isMissing(error: unknown): boolean {
  const code = getSystemErrorCode(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}

/** A refusal is reported rather than the system error, so that it does not show whether a file exists. */
async function checkUnreachable(check: CheckAccess, file: string, access: FileAccess, error: unknown): Promise<void> {
  const lexical = path.resolve(file);
  check(isMissing(error) ? await resolveLinks(file).catch(() => lexical) : lexical, access);
}

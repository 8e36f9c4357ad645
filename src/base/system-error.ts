// Describes operating system errors for users. Loaded with the first such error.
import { getErrorMessage, getSystemErrorCode } from './fault.ts';

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'operation not permitted',
  ENOENT: 'no such file or directory',
  EISDIR: 'it is a directory',
  ENOTDIR: 'a part of the path is not a directory',
  EEXIST: 'it exists already and is not a directory',
  ENOSPC: 'no space left on the disk',
  EDQUOT: 'the disk quota is used up',
  EROFS: 'the file system is read-only',
  EMFILE: 'too many open files',
  ENFILE: 'too many open files in the system',
  ENAMETOOLONG: 'the name is too long',
  ELOOP: 'too many symbolic links',
  EIO: 'the disk reported an input/output error',
};

export const CWD_MISSING_MESSAGE =
  'The working directory no longer exists. Change to an existing directory, or name one with --cwd PATH.';

/** The path that a file operation failed at. */
export function getFailedPath(thrown: unknown): string | undefined {
  const { path, dest } = (thrown ?? {}) as { path?: unknown; dest?: unknown };
  const found = dest ?? path;
  return typeof found === 'string' ? found : undefined;
}

/** Node throws this from `process.cwd()`, and from every function that makes a relative path absolute. */
export function isCwdMissing(thrown: unknown): boolean {
  return (thrown as { syscall?: unknown } | undefined)?.syscall === 'uv_cwd';
}

/** `PATH: REASON (CODE)` for errors of file operations; the unchanged message for all others. */
export function describeSystemError(thrown: unknown): string {
  if (isCwdMissing(thrown)) return CWD_MISSING_MESSAGE;
  const [code, path] = [getSystemErrorCode(thrown), getFailedPath(thrown)];
  const reason = code && Object.hasOwn(REASONS, code) ? REASONS[code] : undefined;
  return reason && path !== undefined ? `${path}: ${reason} (${code})` : getErrorMessage(thrown);
}

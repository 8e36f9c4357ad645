// Resolves a path given by the model. Symbolic links are resolved before any check.
import { isAbsolute, join, resolve, sep } from 'node:path';
import { Fault } from '../base/index.ts';
import type { FileInfo, FileKind, PermissionSubject, ToolContext } from '../contracts/index.ts';
import { withErrorContext } from './result.ts';

type PathContext = Pick<ToolContext, 'cwd' | 'ports'>;

export interface ResolvedPath {
  /** As the model wrote it. */
  readonly requested: string;
  /** For display: without `.` and `..`; links are not resolved. */
  readonly absolute: string;
  /** Links are resolved. Only this path may be opened. */
  readonly real: string;
  /** Undefined when the path does not exist. */
  readonly info: FileInfo | undefined;
}

export interface ExistingPath extends ResolvedPath {
  readonly info: FileInfo;
}

const UNUSUAL_SPACES = /[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g;

/** The path need not exist. */
export function resolvePath(requested: string, context: PathContext): Promise<ResolvedPath> {
  return inspectPath(requested, expandPath(requested, context), context);
}

/** Also tries spellings that models often get wrong, if the path does not exist. */
export async function resolveExistingPath(requested: string, context: PathContext): Promise<ResolvedPath> {
  const first = await resolvePath(requested, context);
  if (first.info) return first;
  const variants = new Set([joinToCwd(requested, context), ...listMacNameVariants(expandPath(requested, context))]);
  for (const variant of variants) {
    const resolved = await inspectPath(requested, variant, context);
    if (resolved.info) return resolved;
  }
  return first;
}

/** Rejects special files: reading a FIFO waits for a writer, and a device may have no end. */
export function requireFile(resolved: ResolvedPath, intent: string): asserts resolved is ExistingPath {
  if (!resolved.info) throw new Fault('not_found', `File not found: ${resolved.requested}`);
  requireKind('file', resolved.info, `${intent} ${resolved.requested}`);
}

export function requireDirectory(resolved: ResolvedPath): asserts resolved is ExistingPath {
  if (!resolved.info) throw new Fault('not_found', `Path not found: ${resolved.absolute}`);
  if (resolved.info.kind !== 'directory') throw new Fault('tool_failed', `Not a directory: ${resolved.absolute}`);
}

export function requireKind(kind: FileKind, info: FileInfo, intent: string): void {
  if (info.kind !== kind) throw new Fault('tool_failed', `${intent}: it is ${KIND_NAMES[info.kind]}`);
}

const KIND_NAMES: Record<FileKind, string> = {
  file: 'a file',
  directory: 'a directory',
  link: 'a link',
  fifo: 'a FIFO',
  device: 'a device',
  socket: 'a socket',
};

/** For permission rules: the path that `resolvePath` looks up. A path with a scheme may be a URI of the host, too. */
export function listPathSubject({ path = '.' }: { readonly path?: string | undefined }): readonly PermissionSubject[] {
  const subject = { kind: 'path', path: cleanPath(path) } as const;
  return /^[a-z][a-z\d+.-]*:\/\//i.test(path) ? [subject, { kind: 'url', url: path }] : [subject];
}

function cleanPath(requested: string): string {
  return requested.replace(/^@/, '').replace(UNUSUAL_SPACES, ' ');
}

function expandPath(requested: string, context: PathContext): string {
  const path = cleanPath(requested);
  const home = context.ports.toolEnv.HOME;
  if (home && (path === '~' || path.startsWith('~/'))) return join(home, path.slice(1));
  return joinToCwd(path, context);
}

/** Not `path.resolve`: it removes `link/..` before the link is resolved, so it may name another file than the system does. */
function joinToCwd(path: string, { cwd }: PathContext): string {
  return isAbsolute(path) ? path : `${cwd}${sep}${path}`;
}

async function inspectPath(requested: string, path: string, { ports }: PathContext): Promise<ResolvedPath> {
  if (path.includes('\0')) throw new Fault('invalid_params', `Path contains a NUL byte: ${JSON.stringify(requested)}`);
  return withErrorContext(`Cannot reach ${requested}`, async () => {
    const real = await ports.files.realPath(path);
    return { requested, absolute: resolve(path), real, info: await ports.files.info(real) };
  });
}

/** macOS writes a narrow no-break space before AM and PM, decomposed accents and curly apostrophes into file names. */
function listMacNameVariants(path: string): string[] {
  const withNarrowSpaces = path.replace(/ (AM|PM)\./gi, '\u202f$1.');
  const decomposed = path.normalize('NFD');
  const withCurlyApostrophes = path.replaceAll("'", '\u2019');
  return [
    withNarrowSpaces,
    decomposed,
    withCurlyApostrophes,
    decomposed.replaceAll("'", '\u2019'),
    path.normalize('NFC'),
  ];
}

// Reads the header line of a session file.
import { Fault } from '../base/fault.ts';
import { isRecord } from '../base/json.ts';
import { LF } from '../base/line-splitter.ts';
import type { FileKind, Files, OpenFile } from '../contracts/ports.ts';
import { SESSION_VERSION, type SessionHeader } from '../protocol/session-entry.ts';

export interface ParsedHeader {
  readonly header: SessionHeader;
  /** 1 for files without a version field. */
  readonly version: number;
  /** Offset of the first entry. */
  readonly end: number;
}

/** Drops a byte order mark. */
const decoder = new TextDecoder();
const FIRST_READ_BYTES = 4096;
const MAX_HEADER_BYTES = 1024 * 1024;
export const FILE_KIND_NAMES: Readonly<Record<Exclude<FileKind, 'file'>, string>> = {
  directory: 'a directory',
  link: 'a broken symbolic link',
  fifo: 'a pipe',
  device: 'a device',
  socket: 'a socket',
};

/** Returns the real path of a file that may be a session. Throws a Fault before opening other kinds: a pipe would block. */
export async function resolveSessionPath(files: Files, path: string): Promise<string> {
  const info = await files.info(path);
  if (!info) throw new Fault('not_found', `Session not found: ${path}`);
  if (info.kind !== 'file') throw new Fault('refused', `Not a session: ${path} is ${FILE_KIND_NAMES[info.kind]}`);
  if (info.size === 0) throw new Fault('refused', `Not a session: ${path} is empty`);
  return files.realPath(path);
}

/** Throws a Fault when the file is not a session of a supported version. */
export async function readHeader(file: OpenFile, path: string): Promise<ParsedHeader> {
  const found = await tryReadHeader(file);
  if (!found) throw new Fault('refused', `Not a session: ${path} does not begin with a session header`);
  if (!Number.isInteger(found.version) || found.version < 1 || found.version > SESSION_VERSION) {
    throw new Fault(
      'refused',
      `Session has format version ${found.version}, and this program reads versions 1 to ${SESSION_VERSION}: ${path}`,
    );
  }
  return found;
}

/** Returns `undefined` when the file has no session header. */
export async function tryReadHeader(file: OpenFile): Promise<ParsedHeader | undefined> {
  for (let length = FIRST_READ_BYTES; length <= MAX_HEADER_BYTES; length *= 16) {
    const read = await file.read(0, length);
    const at = read.indexOf(LF);
    if (at < 0 && read.length === length) continue;
    const end = at < 0 ? read.length : at + 1;
    return parseHeader(read.subarray(0, end), end);
  }
  return undefined;
}

function parseHeader(line: Uint8Array, end: number): ParsedHeader | undefined {
  try {
    const value: unknown = JSON.parse(decoder.decode(line));
    if (!isRecord(value) || value.type !== 'session' || typeof value.id !== 'string' || value.id === '')
      return undefined;
    const header = { timestamp: '', cwd: '', ...value } as unknown as SessionHeader;
    return { header, version: header.version ?? 1, end };
  } catch {
    return undefined;
  }
}

/** oh-my-pi stores the name in the header. */
export function getTitle({ title }: SessionHeader): string | undefined {
  return typeof title === 'string' && title !== '' ? title : undefined;
}

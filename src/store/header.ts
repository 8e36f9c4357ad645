// The store's first look at a file: is it a session, and which one. Reads its first line only and never writes.
import { Fault } from '../base/fault.ts';
import { isRecord } from '../base/json.ts';
import { LF } from '../base/lines.ts';
import type { FileKind, Files, OpenFile } from '../contracts/ports.ts';
import { SESSION_VERSION, type SessionHeader } from '../protocol/entry.ts';

export interface HeaderFound {
  readonly header: SessionHeader;
  /** 1 for files from before versions were written down. */
  readonly version: number;
  /** Where the entries begin. */
  readonly end: number;
}

/** Drops a byte order mark. */
const decoder = new TextDecoder();
const FIRST_READ = 4096;
const LONGEST_HEADER = 1024 * 1024;
export const KINDS: Readonly<Record<Exclude<FileKind, 'file'>, string>> = {
  directory: 'a directory',
  link: 'a link that leads nowhere',
  fifo: 'a pipe',
  device: 'a device',
  socket: 'a socket',
};

/** The real path of a file that may be a session. Throws a Fault otherwise, before anything is opened: pipes would wait. */
export async function sessionPath(files: Files, path: string): Promise<string> {
  const info = await files.info(path);
  if (!info) throw new Fault('not_found', `Session not found: ${path}`);
  if (info.kind !== 'file') throw new Fault('refused', `Not a session: ${path} is ${KINDS[info.kind]}`);
  if (info.size === 0) throw new Fault('refused', `Not a session: ${path} is empty`);
  return files.resolve(path);
}

/** Throws a Fault when the file is not a session that this program understands. */
export async function headerOf(file: OpenFile, path: string): Promise<HeaderFound> {
  const found = await findHeader(file);
  if (!found) throw new Fault('refused', `Not a session: ${path} does not begin with a session header`);
  if (!Number.isInteger(found.version) || found.version < 1 || found.version > SESSION_VERSION) {
    throw new Fault(
      'refused',
      `Session has format version ${found.version}, and this program reads versions 1 to ${SESSION_VERSION}: ${path}`,
    );
  }
  return found;
}

/** `undefined` when there is none. */
export async function findHeader(file: OpenFile): Promise<HeaderFound | undefined> {
  for (let length = FIRST_READ; length <= LONGEST_HEADER; length *= 16) {
    const read = await file.read(0, length);
    const at = read.indexOf(LF);
    if (at < 0 && read.length === length) continue;
    const end = at < 0 ? read.length : at + 1;
    return understood(read.subarray(0, end), end);
  }
  return undefined;
}

function understood(line: Uint8Array, end: number): HeaderFound | undefined {
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

/** oh-my-pi keeps the name in the header. */
export function titleIn({ title }: SessionHeader): string | undefined {
  return typeof title === 'string' && title !== '' ? title : undefined;
}

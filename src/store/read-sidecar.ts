// Reads a sidecar file of a session that is not open.
import { Fault, getErrorMessage, getSystemErrorCode } from '../base/fault.ts';
import type { Files } from '../contracts/ports.ts';
import { readSessionHeader } from './list-sessions.ts';
import { getArtifactsDirectory, getFileName } from './session-paths.ts';

/** `undefined` when there is none. Also finds it after a crash during a move, when the log has moved and its directory has not. */
export async function readSidecar(files: Files, file: string, name: string): Promise<string | undefined> {
  const directory = getArtifactsDirectory(file);
  if (directory === undefined) return undefined;
  const text = await readText(files, `${directory}/${name}`);
  if (text !== undefined || (await files.info(directory))) return text;
  const movedFrom = (await readSessionHeader(files, file))?.movedFrom;
  if (movedFrom === undefined || movedFrom === file || getFileName(movedFrom) !== getFileName(file)) return undefined;
  const previous = getArtifactsDirectory(movedFrom);
  return previous === undefined || (await files.info(movedFrom)) ? undefined : readText(files, `${previous}/${name}`);
}

async function readText(files: Files, path: string): Promise<string | undefined> {
  try {
    return new TextDecoder().decode(await files.read(path));
  } catch (cause) {
    const code = getSystemErrorCode(cause);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new Fault('storage', `Cannot read ${path}: ${getErrorMessage(cause)}`, { cause });
  }
}

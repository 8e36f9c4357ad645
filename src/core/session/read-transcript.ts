// Reads a subagent's log incrementally from a byte offset.
import { Fault, isRecord } from '../../base/index.ts';
import type { Files, Transcript, TranscriptRequest } from '../../contracts/index.ts';

/** Maximum of one response; the client requests the rest with the next offset. A longer line is still returned complete. */
const MAX_BYTES = 768 * 1024;
const NEWLINE = 0x0a;

/** `sessionFiles` maps the ids of this session's subagents to their logs. No other file is ever opened. */
export async function readTranscript(
  files: Pick<Files, 'info' | 'read'>,
  sessionFiles: ReadonlyMap<string, string>,
  request: TranscriptRequest,
): Promise<Transcript> {
  const sessionFile = resolveSessionFile(sessionFiles, request);
  const requestedByte = request.fromByte ?? 0;
  const size = (await files.info(sessionFile))?.size ?? requestedByte;
  const reset = requestedByte > size;
  const fromByte = reset ? 0 : requestedByte;
  const bytes = await readCompleteLines(files, sessionFile, fromByte, size);
  const entries = parseEntries(bytes);
  const messages = entries.flatMap((entry) => (entry.type === 'message' ? [entry.message] : []));
  return { sessionFile, fromByte, nextByte: fromByte + bytes.length, reset, entries, messages };
}

function resolveSessionFile(
  sessionFiles: ReadonlyMap<string, string>,
  { subagentId, sessionFile }: TranscriptRequest,
): string {
  if (subagentId !== undefined) {
    const path = sessionFiles.get(subagentId);
    if (path !== undefined) return path;
    throw new Fault('not_found', `Unknown subagent or session file unavailable: ${subagentId}`);
  }
  if (sessionFile === undefined) {
    throw new Fault('invalid_params', 'get_subagent_messages requires subagentId or sessionFile');
  }
  if ([...sessionFiles.values()].includes(sessionFile)) return sessionFile;
  throw new Fault('not_found', `Unknown subagent session file: ${sessionFile}`);
}

/** An incomplete last line is left for the next request. */
async function readCompleteLines(
  files: Pick<Files, 'read'>,
  path: string,
  start: number,
  size: number,
): Promise<Uint8Array> {
  for (let length = MAX_BYTES; start < size; length *= 2) {
    const bytes = await files.read(path, { start, length: Math.min(length, size - start) });
    const end = bytes.lastIndexOf(NEWLINE) + 1;
    if (end > 0 || start + length >= size) return bytes.subarray(0, end);
  }
  return new Uint8Array();
}

function parseEntries(bytes: Uint8Array): Transcript['entries'] {
  const lines = new TextDecoder().decode(bytes).split('\n');
  return lines.flatMap((line) => {
    try {
      const entry: unknown = JSON.parse(line);
      return isRecord(entry) ? [entry as Transcript['entries'][number]] : [];
    } catch {
      // Skip a line that was cut off by a crash. The lines after it are valid.
      return [];
    }
  });
}

// First floor, core: what a subagent has written to its log, for somebody who follows it from byte to byte. Changes nothing.
import { Fault, isRecord } from '../../base/index.ts';
import type { Files, Transcript, TranscriptRequest } from '../../contracts/index.ts';

/** Of one answer: whoever wants more asks again. A line that is longer comes whole. */
const MOST_BYTES = 768 * 1024;
const NEWLINE = 0x0a;

/** `known` are the logs of this session's subagents by their ids; no other file is ever opened. */
export async function readTranscript(
  files: Pick<Files, 'info' | 'read'>,
  known: ReadonlyMap<string, string>,
  request: TranscriptRequest,
): Promise<Transcript> {
  const sessionFile = fileFor(known, request);
  const wanted = request.fromByte ?? 0;
  const size = (await files.info(sessionFile))?.size ?? wanted;
  const reset = wanted > size;
  const fromByte = reset ? 0 : wanted;
  const bytes = await wholeLines(files, sessionFile, fromByte, size);
  const entries = parsed(bytes);
  const messages = entries.flatMap((entry) => (entry.type === 'message' ? [entry.message] : []));
  return { sessionFile, fromByte, nextByte: fromByte + bytes.length, reset, entries, messages };
}

function fileFor(known: ReadonlyMap<string, string>, { subagentId, sessionFile }: TranscriptRequest): string {
  if (subagentId !== undefined) {
    const path = known.get(subagentId);
    if (path !== undefined) return path;
    throw new Fault('not_found', `Unknown subagent or session file unavailable: ${subagentId}`);
  }
  if (sessionFile === undefined) {
    throw new Fault('invalid_params', 'get_subagent_messages requires subagentId or sessionFile');
  }
  if ([...known.values()].includes(sessionFile)) return sessionFile;
  throw new Fault('not_found', `Unknown subagent session file: ${sessionFile}`);
}

/** A line that is still being written is left for the next time. */
async function wholeLines(files: Pick<Files, 'read'>, path: string, start: number, size: number): Promise<Uint8Array> {
  for (let length = MOST_BYTES; start < size; length *= 2) {
    const bytes = await files.read(path, { start, length: Math.min(length, size - start) });
    const end = bytes.lastIndexOf(NEWLINE) + 1;
    if (end > 0 || start + length >= size) return bytes.subarray(0, end);
  }
  return new Uint8Array();
}

function parsed(bytes: Uint8Array): Transcript['entries'] {
  const lines = new TextDecoder().decode(bytes).split('\n');
  return lines.flatMap((line) => {
    try {
      const entry: unknown = JSON.parse(line);
      return isRecord(entry) ? [entry as Transcript['entries'][number]] : [];
    } catch {
      // A torn line says nothing; those after it do.
      return [];
    }
  });
}

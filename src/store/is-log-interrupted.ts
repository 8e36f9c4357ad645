// Finds out from the end of a log whether its last run has ended. Reads no more lines than needed.
import type { OpenFile } from '../contracts/ports.ts';
import { isRunOpenAfter } from '../protocol/run-progress.ts';
import { parseHead, parseLine } from './entry-line.ts';
import type { RawLine } from './raw-line.ts';
import { readLinesBackward } from './read-lines-backward.ts';
import { looksLikeMessage } from './unread-line.ts';

/** The order of the lines is used instead of the tree: the newest entries are nearly always those of the path. */
export async function isLogInterrupted(file: OpenFile, size: number): Promise<boolean> {
  const reader = readLinesBackward(file, 0, size);
  for (let lines = await reader.next(); lines; lines = await reader.next()) {
    for (const line of lines) {
      const isOpen = isRunOpenAfterLine(line);
      if (isOpen !== undefined) return isOpen;
    }
  }
  return false;
}

/** `undefined` for a line that does not decide it: the lines before it do. */
export function isRunOpenAfterLine(line: RawLine): boolean | undefined {
  const head = parseHead(line);
  const role = head && looksLikeMessage(head, line) ? head.role : undefined;
  // Results of tools can be long, and the answer before them decides.
  if (role === 'toolResult') return undefined;
  const { entry } = parseLine(line);
  return entry && isRunOpenAfter(entry);
}

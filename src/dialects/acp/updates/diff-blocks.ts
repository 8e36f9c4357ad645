// Diff blocks: from the texts of an edit, or from the numbered diff lines in the result of an edit.
import type { ToolCallContent } from '@agentclientprotocol/sdk';
import { limitText, MAX_CONTENT_LENGTH } from './limits.ts';

export interface TextChange {
  readonly oldText: string | null;
  readonly newText: string;
}

/** A sign, a line number that is padded to the same width in all lines, a space, the text. */
const NUMBERED_LINE = /^([ +-]) *\d+ /;

/** One block per change. Together they have at most MAX_CONTENT_LENGTH characters. */
export function createDiffBlocks(path: string, changes: readonly TextChange[]): ToolCallContent[] {
  let left = MAX_CONTENT_LENGTH;
  const take = (text: string): string => {
    const limited = limitText(text, Math.max(0, left));
    left -= limited.length;
    return limited;
  };
  return changes.flatMap(({ oldText, newText }): ToolCallContent[] => {
    if (left <= 0) return [];
    return [{ type: 'diff', path, oldText: oldText === null ? null : take(oldText), newText: take(newText) }];
  });
}

/** The changed places with the lines around them. `undefined` when the text is not such a diff. */
export function parseLineDiff(diff: string): TextChange[] | undefined {
  const changes: TextChange[] = [];
  let oldLines: string[] = [];
  let newLines: string[] = [];
  const finishChange = () => {
    if (oldLines.length + newLines.length === 0) return;
    changes.push({ oldText: oldLines.join('\n'), newText: newLines.join('\n') });
    [oldLines, newLines] = [[], []];
  };
  // A diff has context lines twice, so that a longer one would not fit anyway.
  for (const line of diff.slice(0, MAX_CONTENT_LENGTH).split('\n')) {
    const [head, sign] = NUMBERED_LINE.exec(line) ?? [];
    if (head === undefined) {
      if (line.trim() !== '...' && diff.length <= MAX_CONTENT_LENGTH) return undefined;
      finishChange();
      continue;
    }
    const text = line.slice(head.length);
    if (sign !== '+') oldLines.push(text);
    if (sign !== '-') newLines.push(text);
  }
  finishChange();
  return changes.length > 0 ? changes : undefined;
}

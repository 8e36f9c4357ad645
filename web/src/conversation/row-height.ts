// Estimates the height of a row that was never drawn, in pixels. Pure.
import type { MarkdownChunk } from '../markdown/markdown-stream.ts';
import { readText } from '../panels/tree-layout.ts';
import type { Row } from './conversation-rows.ts';

const LINE = 22;
const CHARACTERS_PER_LINE = 105;
/** Between two blocks. */
const BLOCK_GAP = 10;

/** Every change of the list asks for the heights of all rows again. */
const chunkHeights = new WeakMap<MarkdownChunk, number>();

export function estimateRowHeight(row: Row): number {
  switch (row.kind) {
    case 'gap':
      return 96;
    case 'text':
      return estimateChunk(row.chunk);
    case 'thinking':
      return row.isStreaming ? 96 : 34;
    case 'call':
      return 58;
    case 'message':
      return 'content' in row.message ? 52 + LINE * Math.min(40, countLines(readText(row.message.content))) : 72;
    default:
      return 40;
  }
}

function estimateChunk(chunk: MarkdownChunk): number {
  const known = chunkHeights.get(chunk);
  if (known !== undefined) return known;
  const blocks = chunk.tokens.filter(({ type }) => type !== 'space');
  const height = blocks.reduce((sum, { raw }) => sum + BLOCK_GAP + LINE * countLines(raw.trimEnd()), 8);
  chunkHeights.set(chunk, height);
  return height;
}

function countLines(text: string): number {
  let lines = 1;
  for (let at = text.indexOf('\n'); at >= 0 && lines < 400; at = text.indexOf('\n', at + 1)) lines++;
  return Math.max(lines, Math.ceil(text.length / CHARACTERS_PER_LINE));
}

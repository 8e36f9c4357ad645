// Functions to truncate tool output, for extensions.

const DEFAULT_MAX_LINES = 2000;
const DEFAULT_MAX_BYTES = 50 * 1024;
const GREP_MAX_LINE_LENGTH = 500;

interface Limits {
  maxLines?: number;
  maxBytes?: number;
}

function formatSize(bytes: number): string {
  if (bytes < 1024) return `${bytes}B`;
  return bytes < 1024 * 1024 ? `${(bytes / 1024).toFixed(1)}KB` : `${(bytes / 1024 / 1024).toFixed(1)}MB`;
}

/** Keeps as many complete lines from the start as fit. */
function truncateHead(text: string, limits: Limits = {}) {
  return truncateLines(text, limits, (lines) => lines);
}

/** Keeps as many complete lines from the end as fit. */
function truncateTail(text: string, limits: Limits = {}) {
  return truncateLines(text, limits, (lines) => lines.reverse());
}

function truncateLine(line: string, maxChars = GREP_MAX_LINE_LENGTH): { text: string; wasTruncated: boolean } {
  if (line.length <= maxChars) return { text: line, wasTruncated: false };
  return { text: `${line.slice(0, maxChars)}... [truncated]`, wasTruncated: true };
}

/** `reorder` puts the lines to keep first. It is applied to the result again to restore the order. */
function truncateLines(text: string, limits: Limits, reorder: (lines: string[]) => string[]) {
  const { maxLines = DEFAULT_MAX_LINES, maxBytes = DEFAULT_MAX_BYTES } = limits;
  const allLines = text.split('\n');
  const lines = reorder([...allLines]);
  let bytes = 0;
  let lineCount = 0;
  for (const line of lines.slice(0, maxLines)) {
    const lineBytes = Buffer.byteLength(line) + (lineCount > 0 ? 1 : 0);
    if (bytes + lineBytes > maxBytes) break;
    bytes += lineBytes;
    lineCount++;
  }
  const truncated = lineCount < allLines.length;
  const content = truncated ? reorder(lines.slice(0, lineCount)).join('\n') : text;
  return {
    content,
    truncated,
    truncatedBy: truncated ? (lineCount === maxLines ? ('lines' as const) : ('bytes' as const)) : null,
    totalLines: allLines.length,
    totalBytes: Buffer.byteLength(text),
    outputLines: lineCount,
    outputBytes: bytes,
    lastLinePartial: false,
    firstLineExceedsLimit: truncated && lineCount === 0,
    maxLines,
    maxBytes,
  };
}

export const truncation = {
  DEFAULT_MAX_LINES,
  DEFAULT_MAX_BYTES,
  GREP_MAX_LINE_LENGTH,
  formatSize,
  truncateHead,
  truncateTail,
  truncateLine,
};

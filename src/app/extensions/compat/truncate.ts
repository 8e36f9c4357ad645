// The hall: cutting texts, as extensions import it for the outputs of their tools. Pure.

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

/** Whole lines from the start, as many as fit. */
function truncateHead(text: string, limits: Limits = {}) {
  return cut(text, limits, (lines) => lines);
}

/** Whole lines from the end, as many as fit. */
function truncateTail(text: string, limits: Limits = {}) {
  return cut(text, limits, (lines) => lines.reverse());
}

function truncateLine(line: string, maxChars = GREP_MAX_LINE_LENGTH): { text: string; wasTruncated: boolean } {
  if (line.length <= maxChars) return { text: line, wasTruncated: false };
  return { text: `${line.slice(0, maxChars)}... [truncated]`, wasTruncated: true };
}

/** `turn` puts the lines that matter first, and turns the result round again. */
function cut(text: string, limits: Limits, turn: (lines: string[]) => string[]) {
  const { maxLines = DEFAULT_MAX_LINES, maxBytes = DEFAULT_MAX_BYTES } = limits;
  const all = text.split('\n');
  const lines = turn([...all]);
  let bytes = 0;
  let fitting = 0;
  for (const line of lines.slice(0, maxLines)) {
    const more = Buffer.byteLength(line) + (fitting > 0 ? 1 : 0);
    if (bytes + more > maxBytes) break;
    bytes += more;
    fitting++;
  }
  const truncated = fitting < all.length;
  const content = truncated ? turn(lines.slice(0, fitting)).join('\n') : text;
  return {
    content,
    truncated,
    truncatedBy: truncated ? (fitting === maxLines ? ('lines' as const) : ('bytes' as const)) : null,
    totalLines: all.length,
    totalBytes: Buffer.byteLength(text),
    outputLines: fitting,
    outputBytes: bytes,
    lastLinePartial: false,
    firstLineExceedsLimit: truncated && fitting === 0,
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

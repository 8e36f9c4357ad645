// Limits of tool output, and the truncation details reported to hosts.

export const MAX_LINES = 2000;
export const MAX_BYTES = 50 * 1024;

/** Details of a text that is shown only in part. */
export interface TruncationResult {
  content: string;
  truncated: boolean;
  truncatedBy: 'lines' | 'bytes' | null;
  totalLines: number;
  totalBytes: number;
  outputLines: number;
  outputBytes: number;
  /** Only the end of a single line is shown. */
  lastLinePartial: boolean;
  /** The first line is larger than the limit; nothing is shown. */
  firstLineExceedsLimit: boolean;
  maxLines: number;
  maxBytes: number;
}

/** Fills in the defaults. */
export function createTruncation(
  fields: Pick<
    TruncationResult,
    'content' | 'truncatedBy' | 'totalLines' | 'totalBytes' | 'outputLines' | 'outputBytes'
  > &
    Partial<TruncationResult>,
): TruncationResult {
  return {
    truncated: true,
    lastLinePartial: false,
    firstLineExceedsLimit: false,
    maxLines: MAX_LINES,
    maxBytes: MAX_BYTES,
    ...fields,
  };
}

/** Returns as many complete lines as the byte limit allows. The caller limits the number of lines. */
export function truncateList(lines: readonly string[]): { text: string; truncation: TruncationResult | undefined } {
  let fitting = 0;
  let fittingBytes = 0;
  let totalBytes = 0;
  for (const [index, line] of lines.entries()) {
    totalBytes += Buffer.byteLength(line) + (index > 0 ? 1 : 0);
    if (totalBytes > MAX_BYTES) continue;
    fitting = index + 1;
    fittingBytes = totalBytes;
  }
  const text = lines.slice(0, fitting).join('\n');
  if (fitting === lines.length) return { text, truncation: undefined };
  const truncation = createTruncation({
    content: text,
    truncatedBy: 'bytes',
    totalLines: lines.length,
    totalBytes,
    outputLines: fitting,
    outputBytes: fittingBytes,
    firstLineExceedsLimit: fitting === 0,
    // No line limit; JSON cannot represent infinity.
    maxLines: Number.MAX_SAFE_INTEGER,
  });
  return { text, truncation };
}

export function formatSize(bytes: number): string {
  if (bytes < 1024) return `${bytes}B`;
  if (bytes < 1024 ** 2) return `${(bytes / 1024).toFixed(1)}KB`;
  if (bytes < 1024 ** 3) return `${(bytes / 1024 ** 2).toFixed(1)}MB`;
  return `${(bytes / 1024 ** 3).toFixed(1)}GB`;
}

/** Turns a limit from the model into an integer of at least 1. */
export function normalizeLimit(limit: number | undefined, fallback: number): number {
  return limit === undefined || Number.isNaN(limit) ? fallback : Math.max(1, Math.floor(limit));
}

// First floor, tools: how much of a text is shown. Pure; knows neither files nor processes.

export const MAX_LINES = 2000;
export const MAX_BYTES = 50 * 1024;

/** What hosts read about a text of which only a part is shown. */
export interface TruncationResult {
  content: string;
  truncated: boolean;
  truncatedBy: 'lines' | 'bytes' | null;
  totalLines: number;
  totalBytes: number;
  outputLines: number;
  outputBytes: number;
  /** Only the end of the one line shown fits. */
  lastLinePartial: boolean;
  /** Not even the first line fits; nothing is shown. */
  firstLineExceedsLimit: boolean;
  maxLines: number;
  maxBytes: number;
}

/** The facts that every cut shares; the caller adds what was special about its own. */
export function truncationOf(
  facts: Pick<
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
    ...facts,
  };
}

/** As many whole lines from the start as the byte limit allows. For lists whose number of lines is limited elsewhere. */
export function headOfList(lines: readonly string[]): { text: string; truncation: TruncationResult | undefined } {
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
  const truncation = truncationOf({
    content: text,
    truncatedBy: 'bytes',
    totalLines: lines.length,
    totalBytes,
    outputLines: fitting,
    outputBytes: fittingBytes,
    firstLineExceedsLimit: fitting === 0,
    // JSON has no infinity.
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

/** A limit that a model gave: a whole number of at least one. */
export function atLeastOne(given: number | undefined, otherwise: number): number {
  return given === undefined || Number.isNaN(given) ? otherwise : Math.max(1, Math.floor(given));
}

// Views of a text for matching, with a mapping from view offsets to source offsets.

/** A normalized form of a source text. */
export interface TextView {
  readonly text: string;
  /** Maps a view offset to a source offset. `undefined` inside a replaced piece, which has no matching source offset. */
  toSourceIndex(index: number): number | undefined;
}

/** Replaces CRLF by LF; nothing else. */
export function createExactView(source: string): TextView {
  const view = new ViewBuilder();
  let start = 0;
  for (let cr = source.indexOf('\r\n'); cr >= 0; cr = source.indexOf('\r\n', start)) {
    view.copy(source, start, cr);
    view.putReplacement('\n', cr);
    start = cr + 2;
  }
  view.copy(source, start, source.length);
  return view.finish(source.length);
}

// A character with its combining marks and with Hangul vowels and finals.
const CLUSTER = /.[\p{M}\u1160-\u11ff]*/suy;
const ASCII_RUN = /[\t\x20-\x7e]+(?![\p{M}\u1160-\u11ff])/uy;

/** NFKC, ASCII quotes, dashes and spaces, no trailing blanks. Matches text that a model copied with small differences. */
export function createNormalizedView(source: string): TextView {
  const view = new ViewBuilder();
  let start = 0;
  while (start <= source.length) {
    const newline = source.indexOf('\n', start);
    const lineEnd = newline < 0 ? source.length : newline;
    const contentEnd = start + source.slice(start, lineEnd).trimEnd().length;
    copyNormalized(view, source, start, contentEnd);
    if (newline < 0) return view.finish(contentEnd);
    // Trailing blanks are never matched: a match that ends here does not replace them.
    view.putReplacement('\n', contentEnd);
    start = newline + 1;
  }
  return view.finish(source.length);
}

function copyNormalized(view: ViewBuilder, source: string, start: number, end: number): void {
  const line = source.slice(start, end);
  let at = 0;
  while (at < line.length) {
    ASCII_RUN.lastIndex = at;
    const run = ASCII_RUN.exec(line)?.[0] ?? '';
    view.copy(source, start + at, start + at + run.length);
    at += run.length;
    if (at >= line.length) return;
    CLUSTER.lastIndex = at;
    const cluster = CLUSTER.exec(line)?.[0] ?? '';
    view.putReplacement(normalizeCluster(cluster), start + at);
    at += cluster.length;
  }
}

function normalizeCluster(cluster: string): string {
  return cluster
    .normalize('NFKC')
    .replace(/[\u2018-\u201b]/g, "'")
    .replace(/[\u201c-\u201f]/g, '"')
    .replace(/[\u2010-\u2015\u2212]/g, '-')
    .replace(/[\u00a0\u2002-\u200a\u202f\u205f\u3000]/g, ' ');
}

class ViewBuilder {
  #text = '';
  // Pieces in order: start in the view, start in the source, and whether the piece was copied unchanged.
  readonly #viewAt: number[] = [];
  readonly #sourceAt: number[] = [];
  readonly #copied: boolean[] = [];

  copy(source: string, start: number, end: number): void {
    if (start === end) return;
    const last = this.#viewAt.length - 1;
    const isContiguous =
      this.#copied[last] &&
      (this.#sourceAt[last] as number) + this.#text.length - (this.#viewAt[last] as number) === start;
    if (!isContiguous) this.#startPiece(start, true);
    this.#text += source.slice(start, end);
  }

  /** Adds text that replaces source text of another length or spelling. */
  putReplacement(text: string, sourceStart: number): void {
    this.#startPiece(sourceStart, false);
    this.#text += text;
  }

  finish(sourceEnd: number): TextView {
    this.#startPiece(sourceEnd, false);
    const [viewAt, sourceAt, copied] = [this.#viewAt, this.#sourceAt, this.#copied];
    return {
      text: this.#text,
      toSourceIndex(index) {
        const piece = findLastAtOrBefore(viewAt, index);
        const inside = index - (viewAt[piece] as number);
        return inside === 0 || copied[piece] ? (sourceAt[piece] as number) + inside : undefined;
      },
    };
  }

  #startPiece(sourceStart: number, copied: boolean): void {
    this.#viewAt.push(this.#text.length);
    this.#sourceAt.push(sourceStart);
    this.#copied.push(copied);
  }
}

function findLastAtOrBefore(sorted: readonly number[], value: number): number {
  let low = 0;
  let high = sorted.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((sorted[middle] as number) <= value) low = middle;
    else high = middle - 1;
  }
  return low;
}

// First floor, tools: a text as it is compared, with the way back to where each character came from. Pure.

/** A rewritten form of a source text in which positions can still be traced to the source. */
export interface TextView {
  readonly text: string;
  /** Where the source holds what begins at `index` of the view; `undefined` inside something that has no inside there. */
  sourceIndex(index: number): number | undefined;
}

/** The text with every CRLF as LF; nothing else differs. */
export function plainView(source: string): TextView {
  const view = new ViewBuilder();
  let start = 0;
  for (let cr = source.indexOf('\r\n'); cr >= 0; cr = source.indexOf('\r\n', start)) {
    view.copy(source, start, cr);
    view.put('\n', cr);
    start = cr + 2;
  }
  view.copy(source, start, source.length);
  return view.finish(source.length);
}

// A character with everything that composes with it: marks, and the vowels and finals of Hangul.
const CLUSTER = /.[\p{M}\u1160-\u11ff]*/suy;
const PLAIN_RUN = /[\t\x20-\x7e]+(?![\p{M}\u1160-\u11ff])/uy;

/** The text as a hasty reader sees it: compatible characters alike, quotes and dashes plain, no blanks at line ends. */
export function forgivingView(source: string): TextView {
  const view = new ViewBuilder();
  let start = 0;
  while (start <= source.length) {
    const newline = source.indexOf('\n', start);
    const lineEnd = newline < 0 ? source.length : newline;
    const kept = start + source.slice(start, lineEnd).trimEnd().length;
    copyForgiving(view, source, start, kept);
    if (newline < 0) return view.finish(kept);
    // The blanks before the newline belong to nobody: a match that ends here leaves them alone.
    view.put('\n', kept);
    start = newline + 1;
  }
  return view.finish(source.length);
}

function copyForgiving(view: ViewBuilder, source: string, start: number, end: number): void {
  const line = source.slice(start, end);
  let at = 0;
  while (at < line.length) {
    PLAIN_RUN.lastIndex = at;
    const run = PLAIN_RUN.exec(line)?.[0] ?? '';
    view.copy(source, start + at, start + at + run.length);
    at += run.length;
    if (at >= line.length) return;
    CLUSTER.lastIndex = at;
    const cluster = CLUSTER.exec(line)?.[0] ?? '';
    view.put(plainSpelling(cluster), start + at);
    at += cluster.length;
  }
}

function plainSpelling(cluster: string): string {
  return cluster
    .normalize('NFKC')
    .replace(/[\u2018-\u201b]/g, "'")
    .replace(/[\u201c-\u201f]/g, '"')
    .replace(/[\u2010-\u2015\u2212]/g, '-')
    .replace(/[\u00a0\u2002-\u200a\u202f\u205f\u3000]/g, ' ');
}

class ViewBuilder {
  #text = '';
  // Pieces in order: where each begins in the view and in the source, and whether it was copied letter by letter.
  readonly #viewAt: number[] = [];
  readonly #sourceAt: number[] = [];
  readonly #copied: boolean[] = [];

  copy(source: string, start: number, end: number): void {
    if (start === end) return;
    const last = this.#viewAt.length - 1;
    const goesOn =
      this.#copied[last] &&
      (this.#sourceAt[last] as number) + this.#text.length - (this.#viewAt[last] as number) === start;
    if (!goesOn) this.#begin(start, true);
    this.#text += source.slice(start, end);
  }

  /** Something that stands for source text of another length or spelling. */
  put(text: string, sourceStart: number): void {
    this.#begin(sourceStart, false);
    this.#text += text;
  }

  finish(sourceEnd: number): TextView {
    this.#begin(sourceEnd, false);
    const [viewAt, sourceAt, copied] = [this.#viewAt, this.#sourceAt, this.#copied];
    return {
      text: this.#text,
      sourceIndex(index) {
        const piece = lastAtOrBefore(viewAt, index);
        const inside = index - (viewAt[piece] as number);
        return inside === 0 || copied[piece] ? (sourceAt[piece] as number) + inside : undefined;
      },
    };
  }

  #begin(sourceStart: number, copied: boolean): void {
    this.#viewAt.push(this.#text.length);
    this.#sourceAt.push(sourceStart);
    this.#copied.push(copied);
  }
}

function lastAtOrBefore(sorted: readonly number[], value: number): number {
  let low = 0;
  let high = sorted.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((sorted[middle] as number) <= value) low = middle;
    else high = middle - 1;
  }
  return low;
}

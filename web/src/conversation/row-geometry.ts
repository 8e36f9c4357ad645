// Positions of rows with different heights, of which most are only estimated. Pure.

export interface RowWindow {
  /** The first row to draw and the one after the last. */
  readonly start: number;
  readonly end: number;
}

/** Heights by row key. Rows that were never drawn have an estimated height. */
export class RowGeometry {
  readonly #heights = new Map<string, number>();
  #keys: readonly string[] = [];
  #offsets = new Float64Array(1);
  readonly #estimate: (at: number) => number;

  constructor(estimate: (at: number) => number) {
    this.#estimate = estimate;
  }

  get count(): number {
    return this.#keys.length;
  }

  get total(): number {
    return this.#offsets[this.#keys.length] ?? 0;
  }

  setKeys(keys: readonly string[]): void {
    this.#keys = keys;
    this.#computeOffsets(0);
  }

  /** Returns true if a height has changed. */
  setHeights(measured: Iterable<readonly [key: string, height: number]>): boolean {
    let isChanged = false;
    for (const [key, height] of measured) {
      if (this.#heights.get(key) === height) continue;
      this.#heights.set(key, height);
      isChanged = true;
    }
    if (isChanged) this.#computeOffsets(0);
    return isChanged;
  }

  /** All heights are unknown again, because the width has changed. */
  clearHeights(): void {
    this.#heights.clear();
    this.#computeOffsets(0);
  }

  getOffset(at: number): number {
    return this.#offsets[Math.min(Math.max(at, 0), this.#keys.length)] ?? 0;
  }

  /** The row at a position, at most the last one. */
  findRow(position: number): number {
    let [low, high] = [0, Math.max(0, this.#keys.length - 1)];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.getOffset(middle) <= position) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  getKey(at: number): string | undefined {
    return this.#keys[at];
  }

  /** The rows between two positions, with `margin` pixels more at both ends. */
  findWindow(top: number, height: number, margin: number): RowWindow {
    if (this.#keys.length === 0) return { start: 0, end: 0 };
    const start = this.findRow(Math.max(0, top - margin));
    const end = this.findRow(top + height + margin) + 1;
    return { start, end };
  }

  #computeOffsets(from: number): void {
    const count = this.#keys.length;
    if (this.#offsets.length < count + 1) {
      const larger = new Float64Array(Math.ceil((count + 1) * 1.5));
      larger.set(this.#offsets);
      this.#offsets = larger;
    }
    let sum = this.#offsets[from] ?? 0;
    for (let at = from; at < count; at++) {
      this.#offsets[at] = sum;
      sum += this.#heights.get(this.#keys[at] as string) ?? this.#estimate(at);
    }
    this.#offsets[count] = sum;
  }
}

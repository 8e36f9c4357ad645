// The series of one metric: one for each combination of label values. Bounds how many values a label can have.

/** A value beyond the limit of its label is counted under this one. */
const OTHER_VALUE = 'other';
const MAX_VALUE_LENGTH = 128;

/** Accepts the first `limit` different values of a label. Shared by all metrics with that label, so that they agree. */
export class LabelLimiter {
  readonly #known = new Set<string>();
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  bound(value: string): string {
    if (this.#known.has(value)) return value;
    const short = value.length > MAX_VALUE_LENGTH ? value.slice(0, MAX_VALUE_LENGTH) : value;
    if (this.#known.has(short)) return short;
    if (this.#known.size >= this.#limit) return OTHER_VALUE;
    this.#known.add(short);
    return short;
  }
}

export interface LabelledSeries<S> {
  readonly values: readonly string[];
  readonly series: S;
}

type SecondLevel<S> = Map<string, Map<string, S>>;

/** Finds a series by up to three label values. Nested maps, because a joined key would be allocated for each lookup. */
export class SeriesTable<S> {
  readonly #limiters: readonly LabelLimiter[];
  readonly #create: () => S;
  readonly #root = new Map<string, SecondLevel<S>>();
  readonly #list: LabelledSeries<S>[] = [];

  constructor(limiters: readonly LabelLimiter[], create: () => S) {
    this.#limiters = limiters;
    this.#create = create;
  }

  get(first = '', second = '', third = ''): S {
    const found = this.#root.get(first)?.get(second)?.get(third);
    return found ?? this.#getBounded(this.#bound(0, first), this.#bound(1, second), this.#bound(2, third));
  }

  /** Sorted by the label values. */
  list(): LabelledSeries<S>[] {
    return this.#list.toSorted((one, other) => compareValues(one.values, other.values));
  }

  #bound(index: number, value: string): string {
    return this.#limiters[index]?.bound(value) ?? '';
  }

  #getBounded(first: string, second: string, third: string): S {
    const secondLevel = getOrAdd(this.#root, first, (): SecondLevel<S> => new Map());
    const thirdLevel = getOrAdd(secondLevel, second, (): Map<string, S> => new Map());
    return getOrAdd(thirdLevel, third, () => {
      const series = this.#create();
      this.#list.push({ values: [first, second, third].slice(0, this.#limiters.length), series });
      return series;
    });
  }
}

function getOrAdd<V>(map: Map<string, V>, key: string, create: () => V): V {
  const found = map.get(key);
  if (found !== undefined) return found;
  const created = create();
  map.set(key, created);
  return created;
}

function compareValues(one: readonly string[], other: readonly string[]): number {
  for (const [index, value] of one.entries()) {
    const compared = other[index] ?? '';
    if (value !== compared) return value < compared ? -1 : 1;
  }
  return 0;
}

// A registry of counters, gauges and histograms with bounded label values, rendered in the Prometheus text format 0.0.4.
import { formatComment, formatNumber, formatSample, type Labels } from './prometheus-text.ts';
import { LabelLimiter, SeriesTable } from './series-table.ts';

export interface MetricOptions<L extends readonly string[] = readonly string[]> {
  readonly name: string;
  readonly help: string;
  /** At most three names. */
  readonly labels?: L;
}

export interface HistogramOptions<L extends readonly string[] = readonly string[]> extends MetricOptions<L> {
  /** The upper limits, ascending, without infinity. */
  readonly buckets: readonly number[];
}

export type MetricType = 'counter' | 'gauge' | 'histogram';

export interface MetricDescription {
  readonly name: string;
  readonly type: MetricType;
  readonly help: string;
  readonly labels: readonly string[];
}

type ValuesOf<L extends readonly string[]> = { readonly [Index in keyof L]: string };

/** Values that are negative or no number are ignored, so that wrong data of a provider cannot damage a counter. */
export interface Counter<L extends readonly string[] = readonly []> {
  add(amount: number, ...values: ValuesOf<L>): void;
}

export interface Gauge<L extends readonly string[] = readonly []> {
  set(value: number, ...values: ValuesOf<L>): void;
}

export interface Histogram<L extends readonly string[] = readonly []> {
  observe(value: number, ...values: ValuesOf<L>): void;
}

interface NumberSeries {
  value: number;
}

interface HistogramSeries {
  readonly buckets: readonly number[];
  /** Not cumulative. The last one is for values above all limits. */
  readonly counts: number[];
  sum: number;
}

type RenderSeries<S> = (name: string, labels: Labels, series: S) => string;

export class MetricRegistry {
  readonly #limiters: ReadonlyMap<string, LabelLimiter>;
  readonly #metrics: { readonly description: MetricDescription; render(): string }[] = [];

  /** `labelLimits`: how many different values a label may have, by its name. */
  constructor(labelLimits: Readonly<Record<string, number>>) {
    this.#limiters = new Map(Object.entries(labelLimits).map(([name, limit]) => [name, new LabelLimiter(limit)]));
  }

  counter<const L extends readonly string[] = readonly []>(options: MetricOptions<L>): Counter<L> {
    const table = this.#register<NumberSeries>(options, 'counter', () => ({ value: 0 }), renderNumber);
    return {
      // No rest parameter, which would be allocated for each call.
      add(amount: number, first?: string, second?: string, third?: string) {
        if (amount > 0) table.get(first, second, third).value += amount;
      },
    } as Counter<L>;
  }

  gauge<const L extends readonly string[] = readonly []>(options: MetricOptions<L>): Gauge<L> {
    const table = this.#register<NumberSeries>(options, 'gauge', () => ({ value: 0 }), renderNumber);
    return {
      set(value: number, first?: string, second?: string, third?: string) {
        table.get(first, second, third).value = value;
      },
    } as Gauge<L>;
  }

  histogram<const L extends readonly string[] = readonly []>(options: HistogramOptions<L>): Histogram<L> {
    const { buckets } = options;
    const create = (): HistogramSeries => ({ buckets, counts: [...buckets, 0].fill(0), sum: 0 });
    const table = this.#register(options, 'histogram', create, renderHistogram);
    return {
      observe(value: number, first?: string, second?: string, third?: string) {
        if (value >= 0) addToHistogram(table.get(first, second, third), value);
      },
    } as Histogram<L>;
  }

  /** In the order of declaration. */
  describe(): MetricDescription[] {
    return this.#metrics.map(({ description }) => description);
  }

  /** Metrics in the order of declaration, series sorted by their label values. */
  render(): string {
    return this.#metrics.map((metric) => metric.render()).join('');
  }

  #register<S>(
    options: MetricOptions,
    type: MetricType,
    create: () => S,
    renderSeries: RenderSeries<S>,
  ): SeriesTable<S> {
    const { name, help, labels = [] } = options;
    const table = new SeriesTable(
      labels.map((label) => this.#getLimiter(label)),
      create,
    );
    // Shown from the start, so that the first increase is an increase for Prometheus, too.
    if (labels.length === 0) table.get();
    const render = () => {
      const head = formatComment('HELP', name, help) + formatComment('TYPE', name, type);
      const series = table.list().map(({ values, series: one }) => renderSeries(name, toLabels(labels, values), one));
      return head + series.join('');
    };
    this.#metrics.push({ description: { name, type, help, labels }, render });
    return table;
  }

  #getLimiter(label: string): LabelLimiter {
    const limiter = this.#limiters.get(label);
    if (!limiter) throw new Error(`The label ${label} has no limit`);
    return limiter;
  }
}

function toLabels(names: readonly string[], values: readonly string[]): Labels {
  return Object.fromEntries(names.map((name, index) => [name, values[index] ?? '']));
}

function renderNumber(name: string, labels: Labels, { value }: NumberSeries): string {
  return formatSample(name, labels, value);
}

function addToHistogram(series: HistogramSeries, value: number): void {
  const { buckets, counts } = series;
  let index = 0;
  while (index < buckets.length && value > (buckets[index] ?? 0)) index += 1;
  counts[index] = (counts[index] ?? 0) + 1;
  series.sum += value;
}

function renderHistogram(name: string, labels: Labels, { buckets, counts, sum }: HistogramSeries): string {
  let total = 0;
  const lines = counts.map((count, index) => {
    total += count;
    const limit = formatNumber(buckets[index] ?? Number.POSITIVE_INFINITY);
    return formatSample(`${name}_bucket`, { ...labels, le: limit }, total);
  });
  return lines.join('') + formatSample(`${name}_sum`, labels, sum) + formatSample(`${name}_count`, labels, total);
}

// Parses the Prometheus text format 0.0.4 strictly, and checks what a scraper requires of it.

export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface ParsedMetric {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly samples: readonly Sample[];
}

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*/;
const LABEL = /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"/;
const NUMBER = /^(?:[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|[+-]Inf|NaN)$/i;

/** Throws an error that names the line when the text is not valid. */
export function parsePrometheus(text: string): ReadonlyMap<string, ParsedMetric> {
  if (text !== '' && !text.endsWith('\n')) throw new Error('The last line does not end with a newline');
  const metrics = new Map<string, ParsedMetric & { samples: Sample[] }>();
  const seen = new Set<string>();
  let current: (ParsedMetric & { samples: Sample[] }) | undefined;
  let help: [name: string, text: string] | undefined;
  for (const line of text.split('\n').slice(0, -1)) {
    const comment = /^# (HELP|TYPE) ([a-zA-Z_:][a-zA-Z0-9_:]*) ([^\n]*)$/.exec(line);
    if (comment) {
      const [, keyword, name = '', rest = ''] = comment;
      if (metrics.has(name)) throw new Error(`Declared twice: ${line}`);
      if (keyword === 'HELP') {
        help = [name, rest];
        continue;
      }
      if (help?.[0] !== name) throw new Error(`TYPE without HELP before it: ${line}`);
      if (!/^(counter|gauge|histogram|summary|untyped)$/.test(rest)) throw new Error(`Unknown type: ${line}`);
      current = { name, type: rest, help: help[1], samples: [] };
      metrics.set(name, current);
      continue;
    }
    const sample = parseSample(line);
    if (!current || !belongsTo(sample.name, current)) throw new Error(`Not below its TYPE line: ${line}`);
    const key = JSON.stringify([sample.name, Object.entries(sample.labels).sort()]);
    if (seen.has(key)) throw new Error(`The same series twice: ${line}`);
    seen.add(key);
    current.samples.push(sample);
  }
  for (const metric of metrics.values()) checkMetric(metric);
  return metrics;
}

/** The value of one series. Throws when there is none. */
export function readSample(text: string, name: string, labels: Readonly<Record<string, string>> = {}): number {
  const samples = [...parsePrometheus(text).values()].flatMap((metric) => metric.samples);
  const isEqual = (sample: Sample) =>
    sample.name === name &&
    JSON.stringify(Object.entries(sample.labels).sort()) === JSON.stringify(Object.entries(labels).sort());
  const found = samples.find(isEqual);
  if (!found) throw new Error(`No series ${name} ${JSON.stringify(labels)}`);
  return found.value;
}

function parseSample(line: string): Sample {
  const [name = ''] = NAME.exec(line) ?? [];
  if (name === '') throw new Error(`No sample: ${line}`);
  let rest = line.slice(name.length);
  const labels: Record<string, string> = {};
  if (rest.startsWith('{')) {
    rest = rest.slice(1);
    while (!rest.startsWith('}')) {
      const [whole = '', label = '', value = ''] = LABEL.exec(rest) ?? [];
      if (whole === '') throw new Error(`Invalid label: ${line}`);
      if (label in labels) throw new Error(`The same label twice: ${line}`);
      labels[label] = value.replace(/\\(.)/g, (_, letter: string) => (letter === 'n' ? '\n' : letter));
      rest = rest.slice(whole.length);
      if (rest.startsWith(',')) rest = rest.slice(1);
      else if (!rest.startsWith('}')) throw new Error(`Invalid labels: ${line}`);
    }
    rest = rest.slice(1);
  }
  const number = /^ (\S+)$/.exec(rest)?.[1] ?? '';
  if (!NUMBER.test(number)) throw new Error(`Invalid number: ${line}`);
  return { name, labels, value: Number(number.replace('Inf', 'Infinity')) };
}

function belongsTo(sampleName: string, { name, type }: ParsedMetric): boolean {
  if (type !== 'histogram') return sampleName === name;
  return ['_bucket', '_sum', '_count'].some((suffix) => sampleName === name + suffix);
}

function checkMetric({ name, type, help, samples }: ParsedMetric): void {
  if (help === '') throw new Error(`${name} has no help`);
  if (type === 'counter' && !name.endsWith('_total')) throw new Error(`The counter ${name} does not end with _total`);
  if (type === 'counter' && samples.some(({ value }) => !(value >= 0))) throw new Error(`${name} is negative`);
  if (type !== 'histogram') return;
  const groups = new Map<string, Sample[]>();
  for (const sample of samples) {
    const { le: _, ...labels } = sample.labels;
    const key = JSON.stringify(Object.entries(labels).sort());
    groups.set(key, [...(groups.get(key) ?? []), sample]);
  }
  for (const group of groups.values()) checkHistogram(name, group);
}

function checkHistogram(name: string, group: readonly Sample[]): void {
  const buckets = group.filter((sample) => sample.name === `${name}_bucket`);
  const limits = buckets.map(({ labels }) => Number(labels.le?.replace('Inf', 'Infinity')));
  const isAscending = (values: readonly number[], canBeEqual: boolean) =>
    values.every((value, i) => i === 0 || value > (values[i - 1] ?? 0) || (canBeEqual && value === values[i - 1]));
  if (!isAscending(limits, false) || limits.at(-1) !== Number.POSITIVE_INFINITY)
    throw new Error(`The limits of ${name} are not ascending to +Inf`);
  const counts = buckets.map(({ value }) => value);
  if (!isAscending(counts, true)) throw new Error(`The buckets of ${name} are not cumulative`);
  const count = group.find((sample) => sample.name === `${name}_count`)?.value;
  if (count !== counts.at(-1)) throw new Error(`${name}_count differs from its last bucket`);
  if (!group.some((sample) => sample.name === `${name}_sum`)) throw new Error(`${name} has no sum`);
}

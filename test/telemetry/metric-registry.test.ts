// The registry of metrics and its text format.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MetricRegistry } from '../../src/telemetry/metric-registry.ts';
import { parsePrometheus, readSample } from '../support/prometheus.ts';

const LIMITS = { model: 3, tool: 2, kind: 4 };

describe('text format', () => {
  test('exact output: comments, escapes, order of labels and series', () => {
    const registry = new MetricRegistry(LIMITS);
    const calls = registry.counter({ name: 'calls_total', help: 'With \\ and\nlines.', labels: ['tool', 'kind'] });
    const plain = registry.gauge({ name: 'plain', help: 'Without labels.' });
    calls.add(2, 'z', 'b');
    calls.add(1, 'a"\\\n', 'b');
    calls.add(1.5, 'z', 'a');
    plain.set(-0.25);
    expect(registry.render()).toBe(
      [
        '# HELP calls_total With \\\\ and\\nlines.',
        '# TYPE calls_total counter',
        'calls_total{tool="a\\"\\\\\\n",kind="b"} 1',
        'calls_total{tool="z",kind="a"} 1.5',
        'calls_total{tool="z",kind="b"} 2',
        '# HELP plain Without labels.',
        '# TYPE plain gauge',
        'plain -0.25',
        '',
      ].join('\n'),
    );
  });

  test('a histogram has cumulative buckets, and a value on a limit is in its bucket', () => {
    const registry = new MetricRegistry(LIMITS);
    const seconds = registry.histogram({ name: 'seconds', help: 'Time.', labels: ['tool'], buckets: [0.1, 1] });
    for (const value of [0.05, 0.1, 0.5, 2, Number.NaN, -1]) seconds.observe(value, 'read');
    expect(registry.render()).toBe(
      [
        '# HELP seconds Time.',
        '# TYPE seconds histogram',
        'seconds_bucket{tool="read",le="0.1"} 2',
        'seconds_bucket{tool="read",le="1"} 3',
        'seconds_bucket{tool="read",le="+Inf"} 4',
        'seconds_sum{tool="read"} 2.65',
        'seconds_count{tool="read"} 4',
        '',
      ].join('\n'),
    );
  });

  test('any help and any label value can be parsed back', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.array(fc.string({ unit: 'binary' }), { maxLength: 3 }),
        (help, values) => {
          const registry = new MetricRegistry(LIMITS);
          const counter = registry.counter({ name: 'a_total', help: `x${help}`, labels: ['model'] });
          const distinct = [...new Set(values)];
          for (const value of distinct) counter.add(1, value);
          const parsed = parsePrometheus(registry.render()).get('a_total');
          expect(parsed?.samples.map(({ labels }) => labels.model).sort()).toEqual(distinct.sort());
        },
      ),
    );
  });
});

describe('values', () => {
  test('a counter ignores negative amounts and values that are no numbers', () => {
    const registry = new MetricRegistry(LIMITS);
    const counter = registry.counter({ name: 'a_total', help: 'A.' });
    for (const amount of [1, -5, Number.NaN, 0.5]) counter.add(amount);
    expect(readSample(registry.render(), 'a_total')).toBe(1.5);
  });

  test('a metric without labels is 0 from the start; one with labels has no series', () => {
    const registry = new MetricRegistry(LIMITS);
    registry.counter({ name: 'a_total', help: 'A.' });
    registry.counter({ name: 'b_total', help: 'B.', labels: ['tool'] });
    const parsed = parsePrometheus(registry.render());
    expect(parsed.get('a_total')?.samples).toEqual([{ name: 'a_total', labels: {}, value: 0 }]);
    expect(parsed.get('b_total')?.samples).toEqual([]);
  });
});

describe('label values', () => {
  test('values beyond the limit are counted as "other", in all metrics alike', () => {
    const registry = new MetricRegistry(LIMITS);
    const one = registry.counter({ name: 'one_total', help: 'One.', labels: ['model'] });
    const two = registry.counter({ name: 'two_total', help: 'Two.', labels: ['kind', 'model'] });
    for (const model of ['a', 'b', 'c', 'd', 'e', 'a', 'd']) {
      one.add(1, model);
      two.add(1, 'x', model);
    }
    two.add(1, 'x', 'f');
    const text = registry.render();
    const counts = parsePrometheus(text)
      .get('one_total')
      ?.samples.map(({ labels, value }) => [labels.model, value]);
    expect(counts).toEqual([
      ['a', 2],
      ['b', 1],
      ['c', 1],
      ['other', 3],
    ]);
    expect(readSample(text, 'two_total', { kind: 'x', model: 'other' })).toBe(4);
  });

  test('a long value is truncated, so that it is one series', () => {
    const registry = new MetricRegistry(LIMITS);
    const counter = registry.counter({ name: 'a_total', help: 'A.', labels: ['tool'] });
    counter.add(1, 'x'.repeat(5000));
    counter.add(1, 'x'.repeat(6000));
    expect(readSample(registry.render(), 'a_total', { tool: 'x'.repeat(128) })).toBe(2);
  });

  test('a label without a limit is refused', () => {
    const registry = new MetricRegistry(LIMITS);
    expect(() => registry.counter({ name: 'a_total', help: 'A.', labels: ['path'] })).toThrow('path has no limit');
  });
});

describe('the parser of the tests', () => {
  test.each([
    ['a sample without a type', 'a 1\n', 'Not below its TYPE line'],
    ['a missing newline at the end', '# HELP a A.\n# TYPE a gauge\na 1', 'newline'],
    ['a raw quote in a value', '# HELP a A.\n# TYPE a gauge\na{x="""} 1\n', 'Invalid labels'],
    ['the same series twice', '# HELP a A.\n# TYPE a gauge\na 1\na 2\n', 'twice'],
    ['a text as the value', '# HELP a A.\n# TYPE a gauge\na x\n', 'Invalid number'],
    [
      'buckets that are not cumulative',
      histogram('a_bucket{le="1"} 2\na_bucket{le="+Inf"} 1\na_sum 1\na_count 1\n'),
      'cumulative',
    ],
    ['a wrong count', histogram('a_bucket{le="+Inf"} 1\na_sum 1\na_count 2\n'), 'a_count differs'],
    ['no last bucket', histogram('a_bucket{le="1"} 1\na_sum 1\na_count 1\n'), 'not ascending'],
  ])('refuses %s', (_, text, message) => {
    expect(() => parsePrometheus(text)).toThrow(message);
  });
});

function histogram(samples: string): string {
  return `# HELP a A.\n# TYPE a histogram\n${samples}`;
}

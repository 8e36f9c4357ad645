// docs/observability.md: the metrics, spans and variables on the page are those of the code, and its examples are valid.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { createMetrics } from '../src/telemetry/index.ts';
import { fencesOf, readPage } from './support/pages.ts';

const PAGE = 'docs/observability.md';
const text = readPage(PAGE);
const source = readSource(join(import.meta.dirname, '../src/telemetry'));
const metrics = createMetrics({
  clock: { now: () => 0 },
  version: '1',
  processStatistics: { read: () => ({}) as never, close: () => {} },
});

function readSource(folder: string): string {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  return names.map((name) => readFileSync(join(folder, name), 'utf8')).join('\n');
}

/** The blocks of a language that are not run by another test. */
function block(language: string): string[] {
  return fencesOf(PAGE).flatMap(([, found, run, code = '']) => (found === language && !run ? [code] : []));
}

test('the table of metrics is that of the code', () => {
  const rows = metrics.describe().map(({ name, type, labels, help }) => {
    const names = labels.map((label) => `\`${label}\``).join(', ');
    return `| \`${name}\` | ${type} | ${names} | ${help} |`;
  });
  const listed = text.split('\n').filter((line) => /^\| `(parley|process|nodejs)_/.test(line));
  expect(listed).toEqual(rows);
});

test('the queries use metrics and labels that exist', () => {
  const described = new Map(metrics.describe().map((metric) => [metric.name, metric]));
  const [queries = ''] = block('promql');
  const names = [...queries.matchAll(/\b(parley_\w+)/g)].map(([, name = '']) => name.replace(/_bucket$/, ''));
  expect(names.length).toBeGreaterThan(3);
  expect(names.filter((name) => !described.has(name))).toEqual([]);
  const labels = new Set([...described.values()].flatMap((metric) => metric.labels).concat('le'));
  const used = [...queries.matchAll(/by \(([^)]+)\)|\{(\w+)=/g)].flatMap(([, by, label]) =>
    (by ?? label ?? '').split(', '),
  );
  expect(used.filter((label) => !labels.has(label))).toEqual([]);
});

test('the configuration of the scraper is valid', () => {
  const [yaml = ''] = block('yaml');
  expect(parse(yaml).scrape_configs).toMatchObject([
    { metrics_path: '/metrics', authorization: { type: 'Bearer' }, static_configs: [{ targets: ['127.0.0.1:7420'] }] },
  ]);
});

test('the commands can be parsed by the shell', () => {
  const commands = block('bash');
  expect(commands).toHaveLength(2);
  for (const code of commands)
    expect(spawnSync('bash', ['-nc', code], { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' });
});

test('every variable of the code is on the page, and every variable on the page is used', () => {
  const onPage = new Set(text.match(/\b(OTEL_[A-Z_]+|TRACEPARENT)\b/g));
  const inCode = new Set(source.match(/\b(OTEL_[A-Z_]*[A-Z]|TRACEPARENT)\b/g));
  const suffixes = [...source.matchAll(/read\('([A-Z]+)'\)/g)].flatMap(([, name]) => [
    `OTEL_EXPORTER_OTLP_${name}`,
    `OTEL_EXPORTER_OTLP_TRACES_${name}`,
  ]);
  const known = new Set([...inCode, ...suffixes]);
  // The SDK reads these itself.
  const ofSdk = /^OTEL_(TRACES_SAMPLER(_ARG)?|BSP_[A-Z_]+)$/;
  expect([...onPage].filter((name) => !known.has(name) && !ofSdk.test(name))).toEqual([]);
  expect([...known].filter((name) => !onPage.has(name) && !/^OTEL_EXPORTER_OTLP(_TRACES)?$/.test(name))).toEqual([]);
});

test('every attribute and name of a span in the code is on the page, and the reverse', () => {
  const attributes = (from: string) => new Set(from.match(/\b(gen_ai|parley)\.[a-z_]+(\.[a-z_]+)*\b/g));
  const [onPage, inCode] = [attributes(text), attributes(source)];
  const isGroup = (name: string) => name === 'gen_ai.usage';
  expect([...inCode].filter((name) => !onPage.has(name))).toEqual([]);
  expect([...onPage].filter((name) => !inCode.has(name) && !isGroup(name) && !name.startsWith('parley.log'))).toEqual(
    [],
  );
  for (const type of source.match(/(?<=errorType: ')[a-z_]+/g) ?? []) expect(text).toContain(`\`${type}\``);
});

// Formats figures as a table of medians, ratios and budgets.
// @ts-check
import { readFile, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { median } from './median.mjs';

/** @typedef {Record<string, Record<string, number>>} Medians */

/**
 * @param {Record<string, Record<string, number>[]>} samples
 * @returns {Medians}
 */
export function medians(samples) {
  return Object.fromEntries(
    Object.entries(samples).map(([name, all]) => [
      name,
      Object.fromEntries(Object.keys(all[0] ?? {}).map((key) => [key, median(all.map((one) => one[key] ?? NaN))])),
    ]),
  );
}

/**
 * @param {Medians} m
 * @param {{ rounds: number, startBytes: number, sources: { files: number, median: number, largest: number, path: string } }} facts
 */
export function table(m, { rounds, startBytes, sources }) {
  const of = (/** @type {string} */ name, /** @type {string} */ key) => m[name]?.[key] ?? NaN;
  /** @type {[string, number, number, string, string][]} */
  const rows = [
    ['spawn → first reply', of('baseline.start', 'reply'), of('parley.start', 'reply'), 'ms', '≤ 1.3'],
    ['the same, compared with `node -e 0`', of('node', 'reply'), of('parley.start', 'reply'), 'ms', ''],
    ['the same, with a provider key and model', of('baseline.start', 'reply'), of('parley.keyed', 'reply'), 'ms', ''],
    ['idle memory (PSS)', of('baseline.start', 'pss'), of('parley.start', 'pss'), 'MiB', '≤ 1.3'],
    ['the same, compared with bare Node', of('node', 'pss'), of('parley.start', 'pss'), 'MiB', ''],
    [
      'idle memory, shared pages counted fully (RSS)',
      of('baseline.start', 'rss'),
      of('parley.start', 'rss'),
      'MiB',
      '',
    ],
    ['first prompt → first delta', of('baseline.first', 'delta'), of('parley.first', 'delta'), 'ms', '≤ 2'],
    ['the same, offline model', of('baseline.first', 'delta'), of('offline.first', 'delta'), 'ms', ''],
    ['8,000 deltas, CPU, delta stream', of('baseline.deltas', 'cpu'), of('parley.deltas', 'cpu'), 'ms', '≤ 1.5'],
    ['the same, offline model', of('baseline.deltas', 'cpu'), of('offline.deltas', 'cpu'), 'ms', ''],
    ['8,000 deltas, CPU, full stream', of('baseline.deltas', 'cpu'), of('parley.full', 'cpu'), 'ms', ''],
    [
      'stdout bytes per delta, delta stream',
      of('baseline.deltas', 'bytes'),
      of('parley.deltas', 'bytes'),
      'B',
      '≤ 130 B',
    ],
    ['stdout bytes per line, full stream', of('baseline.deltas', 'bytes'), of('parley.full', 'bytes'), 'B', ''],
    ['tool turn, first', of('baseline.tool', 'firstTool'), of('parley.tool', 'firstTool'), 'ms', ''],
    ['tool turn, later', of('baseline.tool', 'tool'), of('parley.tool', 'tool'), 'ms', '≤ 1.5'],
    ['run with a tool, first', of('baseline.tool', 'firstWhole'), of('parley.tool', 'firstWhole'), 'ms', ''],
    ['run with a tool, later', of('baseline.tool', 'whole'), of('parley.tool', 'whole'), 'ms', '≤ 1.5'],
  ];
  return [
    machine(rounds),
    '',
    '| measurement | baseline | Parley | ratio | budget |',
    '|---|---:|---:|---:|---:|',
    ...rows.map(
      ([what, baseline, parley, unit, budget]) =>
        `| ${what} | ${formatValue(baseline, unit)} | ${formatValue(parley, unit)} | ${(parley / baseline).toFixed(2)} | ${budget} |`,
    ),
    `| lines sent for 8,000 deltas, full stream (updates are merged while the host is slow) | | ${of('parley.full', 'lines')} | | |`,
    `| start chunk | | ${(startBytes / 1000).toFixed(1)} kB | | ≤ 250 kB |`,
    `| source files: number, median, largest | | ${sources.files}, ${sources.median}, ${sources.largest} lines (${sources.path}) | | ≤ 400 lines |`,
    '',
  ].join('\n');
}

/** @param {number} rounds */
export function machine(rounds) {
  const model = cpus()[0]?.model.trim();
  return `Node ${process.versions.node}, ${process.platform} ${process.arch}, ${cpus().length} × ${model}; medians of ${rounds} interleaved rounds.`;
}

/**
 * @param {number} value
 * @param {string} unit
 */
function formatValue(value, unit) {
  return `${value.toFixed(value < 100 && unit !== 'B' ? 1 : 0)} ${unit}`;
}

const PREFACE = `# Benchmarks

Written by \`npm run bench -- --write\`. The baseline (\`bench/floor\`) is a minimal Node program: it answers \`get_state\`, converts
the stream of a model over loopback HTTP to \`message_update\` lines, and runs shell commands. It has no session, no checks and no
supervision of child processes. Both programs use the same model, except where the table names the offline model. Baseline and Parley are
measured alternately in one run, so the ratios are more reliable than the times.

`;

/**
 * The page has the figures only; the budgets are printed for developers. Sections with a heading are written by other benchmarks and stay.
 * @param {string} path
 * @param {string} report
 * @param {string} [preface]
 */
export async function writePage(path, report, preface = PREFACE) {
  const previous = await readFile(path, 'utf8').catch(() => '');
  const [sections = ''] = /\n## [\s\S]*$/.exec(previous) ?? [];
  await writeFile(path, preface + removeBudgets(report) + sections);
}

/**
 * Removes the column `budget` of Markdown tables.
 * @param {string} report
 */
export function removeBudgets(report) {
  let column = -1;
  return report
    .split('\n')
    .map((line) => {
      if (!line.startsWith('|')) {
        column = -1;
        return line;
      }
      const cells = line.split('|');
      if (column < 0) column = cells.findIndex((cell) => cell.trim() === 'budget');
      return column < 0 ? line : cells.toSpliced(column, 1).join('|');
    })
    .join('\n');
}

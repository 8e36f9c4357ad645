// Turns figures into a table of medians and ratios beside the budgets. Measures nothing.
// @ts-check
import { writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { median } from './median.mjs';

/** @typedef {Record<string, Record<string, number>>} Medians */

/**
 * @param {Record<string, Record<string, number>[]>} taken
 * @returns {Medians}
 */
export function medians(taken) {
  return Object.fromEntries(
    Object.entries(taken).map(([name, all]) => [
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
    ['spawn → first reply', of('floor.start', 'reply'), of('parley.start', 'reply'), 'ms', '≤ 1.3'],
    ['the same, against `node -e 0`', of('node', 'reply'), of('parley.start', 'reply'), 'ms', ''],
    ['the same, with a provider’s key and model', of('floor.start', 'reply'), of('parley.keyed', 'reply'), 'ms', ''],
    ['idle memory (PSS)', of('floor.start', 'pss'), of('parley.start', 'pss'), 'MiB', '≤ 1.3'],
    ['the same, against bare Node', of('node', 'pss'), of('parley.start', 'pss'), 'MiB', ''],
    ['idle memory, shared pages counted whole (RSS)', of('floor.start', 'rss'), of('parley.start', 'rss'), 'MiB', ''],
    ['first prompt → first delta', of('floor.first', 'delta'), of('parley.first', 'delta'), 'ms', '≤ 2'],
    ['the same, offline model', of('floor.first', 'delta'), of('offline.first', 'delta'), 'ms', ''],
    ['8,000 deltas, CPU, delta stream', of('floor.deltas', 'cpu'), of('parley.deltas', 'cpu'), 'ms', '≤ 1.5'],
    ['the same, offline model', of('floor.deltas', 'cpu'), of('offline.deltas', 'cpu'), 'ms', ''],
    ['8,000 deltas, CPU, full stream', of('floor.deltas', 'cpu'), of('parley.full', 'cpu'), 'ms', ''],
    ['stdout bytes per delta, delta stream', of('floor.deltas', 'bytes'), of('parley.deltas', 'bytes'), 'B', '≤ 130 B'],
    ['stdout bytes per line, full stream', of('floor.deltas', 'bytes'), of('parley.full', 'bytes'), 'B', ''],
    ['tool turn, first', of('floor.tool', 'firstTool'), of('parley.tool', 'firstTool'), 'ms', ''],
    ['tool turn, later', of('floor.tool', 'tool'), of('parley.tool', 'tool'), 'ms', '≤ 1.5'],
    ['run with a tool, first', of('floor.tool', 'firstWhole'), of('parley.tool', 'firstWhole'), 'ms', ''],
    ['run with a tool, later', of('floor.tool', 'whole'), of('parley.tool', 'whole'), 'ms', '≤ 1.5'],
  ];
  return [
    machine(rounds),
    '',
    '| what | floor | Parley | ratio | budget |',
    '|---|---:|---:|---:|---:|',
    ...rows.map(
      ([what, floor, own, unit, budget]) =>
        `| ${what} | ${shown(floor, unit)} | ${shown(own, unit)} | ${(own / floor).toFixed(2)} | ${budget} |`,
    ),
    `| lines sent for 8,000 deltas, full stream (growth folds while the host is slow) | | ${of('parley.full', 'lines')} | | |`,
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
function shown(value, unit) {
  return `${value.toFixed(value < 100 && unit !== 'B' ? 1 : 0)} ${unit}`;
}

const PREFACE = `# Benchmarks

Written by \`npm run bench -- --write\`. The floor (\`bench/floor\`) is the least Node program that answers \`get_state\`, turns a
model's stream over loopback HTTP into \`message_update\` lines and spawns the shell: no session, no checks, no supervision of
children. Both ask the same model, except where the table names the offline one. Floor and Parley take turns in one run, so
ratios say more than times.

`;

/**
 * @param {string} path
 * @param {string} report
 * @param {string} [preface]
 */
export async function writePage(path, report, preface = PREFACE) {
  await writeFile(path, preface + report);
}

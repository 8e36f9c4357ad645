// Formats the figures of `parley serve` as a table with budgets.
// @ts-check
import { readFile, writeFile } from 'node:fs/promises';
import { median } from '../median.mjs';
import { machine, removeBudgets } from '../report.mjs';

/** @typedef {Awaited<ReturnType<typeof import('./measures.mjs').measureStreams>>} StreamFigures */
/**
 * @typedef {object} ServerFigures
 * @property {Omit<Awaited<ReturnType<typeof import('./measures.mjs').measureSessions>>, 'ids'>} sessions
 * @property {Record<'one' | 'many', StreamFigures[]>} streams
 * @property {Record<'one' | 'many', StreamFigures[]>} followers
 * @property {Record<'page' | 'reply', number[]>} start
 */
/** @typedef {{ sessions: number, prompted: number, streams: number, followers: number, rate: number, seconds: number, rounds: number }} Sizes */

/** Per session in MiB, added milliseconds, and ratios. */
const BUDGETS = { idle: 0.3, added: 100, followers: 3, start: 1.5 };

/**
 * @param {ServerFigures} figures
 * @param {Sizes} sizes
 */
export function createReport({ sessions, streams, followers, start }, sizes) {
  const added = compare(streams, 'p99', (many, one) => many - one);
  const ratio = compare(followers, 'serverMs', (many, one) => many / one);
  const startRatio = median(start.page) / median(start.reply);
  const { rate, seconds, rounds } = sizes;
  /** @type {[string, string, string][]} */
  const rows = [
    [
      `${format(sizes.sessions)} open sessions, idle: memory of each`,
      mib(sessions.idle),
      check(sessions.idle, BUDGETS.idle, 'MiB'),
    ],
    ['the same before a garbage collection', mib(sessions.idleUncollected), ''],
    [`a prompt in each of ${format(sizes.prompted)}: further memory of each`, mib(sessions.prompted), ''],
    ['opening a session: the first tenth, the last tenth', `${ms(sessions.openFirst)}, ${ms(sessions.openLast)}`, ''],
    [`delay of a delta, one stream: median, p99`, describeDelays(streams.one), ''],
    [`delay of a delta, ${format(sizes.streams)} streams: median, p99`, describeDelays(streams.many), ''],
    ['added to the p99 by the other streams', ms(added), check(added, BUDGETS.added, 'ms')],
    [`cores in use with ${format(sizes.streams)} streams: server, model, clients`, describeBusy(streams.many), ''],
    ['share of that time in which the server waited for a core', of(streams.many, 'waited').toFixed(2), ''],
    ['CPU time of the server for one stream, one follower', ms(of(followers.one, 'serverMs')), ''],
    [`the same, ${format(sizes.followers)} followers`, ms(of(followers.many, 'serverMs')), ''],
    ['ratio of the two', ratio.toFixed(2), check(ratio, BUDGETS.followers, '')],
    ['start to the first byte of the page', ms(median(start.page)), ''],
    ['`parley --mode rpc` to the first reply', ms(median(start.reply)), ''],
    ['ratio of the two', startRatio.toFixed(2), check(startRatio, BUDGETS.start, '')],
    ['10,000 reconnects: events lost or repeated', '[soaks](soaks.md)', ''],
  ];
  return [
    `${machine(rounds)} Each stream has ${rate} deltas per second for ${seconds} seconds.`,
    '',
    '| measurement | Parley | budget |',
    '|---|---:|---:|',
    ...rows.map((cells) => `| ${cells.join(' | ')} |`),
  ].join('\n');
}

/**
 * The median of the comparisons of neighbouring measurements.
 * @param {Record<'one' | 'many', StreamFigures[]>} samples
 * @param {keyof StreamFigures} key
 * @param {(many: number, one: number) => number} act
 */
function compare({ one, many }, key, act) {
  return median(many.map((figures, index) => act(figures[key], one[index]?.[key] ?? Number.NaN)));
}

/**
 * @param {StreamFigures[]} samples
 * @param {keyof StreamFigures} key
 */
function of(samples, key) {
  return median(samples.map((figures) => figures[key]));
}

/** @param {StreamFigures[]} samples */
function describeDelays(samples) {
  return `${ms(of(samples, 'median'))}, ${ms(of(samples, 'p99'))}`;
}

/** @param {StreamFigures[]} samples */
function describeBusy(samples) {
  const names = /** @type {const} */ (['busyServer', 'busyModel', 'busyClients']);
  return names.map((name) => of(samples, name).toFixed(2)).join(', ');
}

/**
 * @param {number} value
 * @param {number} budget
 * @param {string} unit
 */
function check(value, budget, unit) {
  return `≤ ${budget}${unit && ` ${unit}`}: ${value <= budget ? 'pass' : 'FAIL'}`;
}

const format = (/** @type {number} */ count) => count.toLocaleString('en-US');
const mib = (/** @type {number} */ value) => `${value.toFixed(3)} MiB`;
const ms = (/** @type {number} */ value) => `${value.toFixed(1)} ms`;

const [START, END] = ['<!-- bench:server -->\n', '<!-- end of bench:server -->'];

/**
 * Replaces the figures of a page. The budgets are printed for developers only.
 * @param {URL} file
 * @param {string} report
 */
export async function updatePage(file, report) {
  const page = await readFile(file, 'utf8');
  const [start, end] = [page.indexOf(START), page.indexOf(END)];
  if (start < 0 || end < 0) throw new Error(`${file} has no section bench:server`);
  await writeFile(file, `${page.slice(0, start + START.length)}${removeBudgets(report)}\n${page.slice(end)}`);
}

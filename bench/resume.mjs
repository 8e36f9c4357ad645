// Measures what it costs to go on with a session against beginning one, and to list a thousand of them.
// `npm run bench:resume -- [--rounds N] [--write]`; --write keeps the figures in docs/resume.md.
// @ts-check
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, symlinkSync, writeFileSync, writeSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { bundle } from '../scripts/bundle.mjs';
import { startHost } from './host.mjs';
import { median } from './median.mjs';
import { machine, writePage } from './report.mjs';
import { cpuMs, memoryMiB } from './system.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '7' }, write: { type: 'boolean', default: false } },
});
const MB = 1024 * 1024;
const STAMP = '2026-01-02T03:04:05.000Z';
const place = mkdtempSync(join(tmpdir(), 'parley-resume-'));

/** @typedef {{ messages: number, words?: number, compacted?: 'ours' | 'foreign' }} Shape */

/** @type {Record<string, { what: string, budget?: string, shape?: Shape }>} */
const SUBJECTS = {
  empty: { what: 'a new session' },
  small: { what: '1 MB, nothing compacted', shape: { messages: 1500 } },
  compacted: { what: '20,000 messages, compacted', budget: '≤ +15 ms', shape: { messages: 20_000, compacted: 'ours' } },
  whole: { what: '20,000 messages, all of them in the context', budget: '≤ +15 ms', shape: { messages: 20_000 } },
  foreign: {
    what: '20,000 messages of another program, compacted',
    budget: '≤ +15 ms',
    shape: { messages: 20_000, compacted: 'foreign' },
  },
  big: { what: '200 MB, compacted', budget: '≤ +50 ms', shape: { messages: 100_000, words: 300, compacted: 'ours' } },
  bigForeign: {
    what: '200 MB of another program, compacted',
    budget: '≤ +50 ms',
    shape: { messages: 100_000, words: 300, compacted: 'foreign' },
  },
};

const PREFACE = `# Going on with a session

Written by \`npm run bench:resume -- --write\`. What it costs to go on with a session, against beginning one: until the first reply,
which needs none of the messages, and until all of them have been read. *The first time* nothing is remembered of the log; *again* is
any later time, as long as nothing has changed it ([decision 16](decisions/0016-a-digest-beside-a-long-log.md)). The subjects take turns in one run.
CPU time, of all threads, says more than wall time on a machine that is busy with other things.

`;

try {
  writeFileSync(join(place, 'package.json'), '{"type":"module"}');
  symlinkSync(join(root, 'node_modules'), join(place, 'node_modules'), 'junction');
  const { program } = await bundle(join(place, 'dist'));
  const report = [...(await resuming(program)), '', ...(await listing(program))].join('\n');
  console.log(report);
  if (values.write) await writePage(join(root, 'docs/resume.md'), `${report}\n`, PREFACE);
} finally {
  rmSync(place, { recursive: true, force: true });
}

/** @param {string} program */
async function resuming(program) {
  const options = { cwd: place, env: { PARLEY_DIR: join(place, 'home') } };
  const starts = Object.entries(SUBJECTS).flatMap(([name, { shape }]) => {
    const file = shape ? writeSession(join(place, `${name}.jsonl`), shape) : '';
    const start = { name, when: '', flags: shape ? ['--session', file] : [], forgotten: '' };
    const first = { ...start, when: ', the first time', forgotten: `${file}.digest` };
    const starts = shape ? [first, { ...start, when: ', again' }] : [start];
    return starts.map((of) => ({ ...of, taken: /** @type {Life[]} */ ([]) }));
  });
  for (let round = 0; round < Number(values.rounds); round++) {
    process.stderr.write(`\rround ${round + 1} of ${values.rounds}`);
    for (const { flags, forgotten, taken } of round % 2 === 0 ? starts : [...starts].reverse()) {
      if (forgotten) rmSync(forgotten, { force: true });
      taken.push(await oneLife([program, '--mode', 'rpc', ...flags], options));
    }
  }
  process.stderr.write('\n');
  const empty = starts[0]?.taken ?? [];
  const rows = starts.map(({ name, when, taken }) => {
    const { what, budget = '' } = SUBJECTS[name] ?? { what: name };
    const more = (/** @type {keyof Life} */ key) => (name === 'empty' ? '' : signed(of(taken, key) - of(empty, key)));
    const [reply, cpu, all, rss] = [of(taken, 'reply'), of(taken, 'cpu'), of(taken, 'all'), of(taken, 'rss')];
    return `| ${what}${when} | ${reply.toFixed(1)} ms | ${more('reply')} | ${budget} | ${cpu.toFixed(0)} ms | ${more('cpu')} | ${all.toFixed(1)} ms | ${rss.toFixed(1)} MiB |`;
  });
  return [
    `${machine(Number(values.rounds))} Load average ${loadavg()[0]?.toFixed(1)}: above the number of processors, wall times say little.`,
    '',
    '| what is gone on with | spawn → get_state | over a new session | budget | CPU of it | over a new session | spawn → get_session_stats | memory at rest (RSS) |',
    '|---|---:|---:|---:|---:|---:|---:|---:|',
    ...rows,
  ];
}

/** @typedef {{ reply: number, cpu: number, all: number, rss: number }} Life */

/**
 * @param {Life[]} taken
 * @param {keyof Life} key
 */
function of(taken, key) {
  return median(taken.map((life) => life[key]));
}

/** @param {number} ms */
function signed(ms) {
  return `${ms < 0 ? '−' : '+'}${Math.abs(ms).toFixed(1)} ms`;
}

/**
 * The first reply needs no message, statistics need all of them.
 * @param {string[]} args
 * @param {{ cwd: string, env: Record<string, string> }} options
 * @returns {Promise<Life>}
 */
async function oneLife(args, options) {
  const host = startHost(args, options);
  host.send({ id: '1', type: 'get_state' });
  const first = await host.line('"get_state"');
  const cpu = cpuMs(host.pid);
  await sleep(200);
  const { rss } = memoryMiB(host.pid);
  const sent = host.send({ id: '2', type: 'get_session_stats' });
  const all = await host.line('"get_session_stats"');
  await host.end();
  return { reply: first.at - host.begun, cpu, all: first.at - host.begun + all.at - sent, rss };
}

/** @param {string} program */
async function listing(program) {
  const directory = join(place, 'many');
  mkdirSync(directory);
  for (let n = 0; n < 1000; n++)
    writeSession(join(directory, `2026-01-02T03-04-05-000Z_${n}.jsonl`), { messages: 60, words: 100 });
  const options = { cwd: place, env: { PARLEY_DIR: join(place, 'home') } };
  const list = async () => {
    const host = startHost([program, 'sessions', '--session-dir', directory], options);
    return (await host.end()) - host.begun;
  };
  const first = [];
  const again = [];
  for (let round = 0; round < Number(values.rounds); round++) {
    rmSync(join(directory, '.parley-sessions.json'), { force: true });
    first.push(await list());
    again.push(await list());
  }
  const rows = [
    ['the first time', first],
    ['again, nothing changed', again],
  ];
  return [
    '| `parley sessions`, 1,000 sessions of 60 messages (40 kB each), whole life of the process | |',
    '|---|---:|',
    ...rows.map(([what, taken]) => `| ${what} | ${median(/** @type {number[]} */ (taken)).toFixed(0)} ms |`),
  ];
}

/**
 * A session as runs leave it. The last compaction keeps the last twenty messages.
 * @param {string} file
 * @param {Shape} shape
 */
function writeSession(file, { messages, words = 40, compacted }) {
  const target = openSync(file, 'w');
  let block = `${JSON.stringify({ type: 'session', version: 3, id: file.replace(/\W/g, '-'), timestamp: STAMP, cwd: place })}\n`;
  let parentId = /** @type {string | null} */ (null);
  const add = (/** @type {string} */ type, /** @type {object} */ body) => {
    made += 1;
    const id = made.toString(16).padStart(8, '0');
    block += `${JSON.stringify({ type, id, parentId, timestamp: STAMP, ...body })}\n`;
    parentId = id;
    if (block.length > MB) {
      writeSync(target, block);
      block = '';
    }
    return id;
  };
  let made = 0;
  let kept = '';
  add('model_change', { provider: 'parley', modelId: 'offline' });
  add('thinking_level_change', { thinkingLevel: 'off' });
  if (compacted) add('session_info', { name: 'a name given at the beginning' });
  for (let n = 0; n < messages; n++) {
    const id = add('message', { message: n % 2 === 0 ? prompt(n, words) : answer(n, words) });
    if (n === messages - 20) kept = id;
  }
  if (compacted) add('compaction', { summary: 'What was said.', firstKeptEntryId: kept, tokensBefore: 100_000 });
  if (compacted === 'ours')
    add('custom', { customType: 'parley.checkpoint', data: { name: 'a name', queued: [], held: [] } });
  for (let n = 0; n < 10; n++) add('message', { message: n % 2 === 0 ? prompt(n, words) : answer(n, words) });
  writeSync(target, block);
  closeSync(target);
  return file;
}

/** @param {number} n @param {number} words */
function prompt(n, words) {
  return {
    role: 'user',
    content: [{ type: 'text', text: `question ${n} ${'about it '.repeat(words / 2)}` }],
    timestamp: n,
  };
}

/** @param {number} n @param {number} words */
function answer(n, words) {
  const cost = { input: 0.001, output: 0.002, cacheRead: 0, cacheWrite: 0, total: 0.003 };
  const usage = { input: 100, output: 50, cacheRead: 0, cacheWrite: 0, totalTokens: 150, cost };
  const content = [{ type: 'text', text: `answer ${n} ${'of many words '.repeat(words / 2)}` }];
  return {
    role: 'assistant',
    content,
    api: 'parley',
    provider: 'parley',
    model: 'offline',
    usage,
    stopReason: 'stop',
    timestamp: n,
  };
}

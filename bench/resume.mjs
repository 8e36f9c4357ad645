// Measures the cost of resuming a session compared with a new one, and of listing a thousand sessions.
// `npm run bench:resume -- [--rounds N] [--write]`; --write updates docs/resume.md.
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
const directory = mkdtempSync(join(tmpdir(), 'parley-resume-'));

/** @typedef {{ messages: number, words?: number, compacted?: 'ours' | 'foreign' }} Shape */

/** @type {Record<string, { what: string, budget?: string, shape?: Shape }>} */
const SUBJECTS = {
  empty: { what: 'a new session' },
  small: { what: '1 MB, not compacted', shape: { messages: 1500 } },
  compacted: { what: '20,000 messages, compacted', budget: '≤ +15 ms', shape: { messages: 20_000, compacted: 'ours' } },
  whole: { what: '20,000 messages, all in the context', budget: '≤ +15 ms', shape: { messages: 20_000 } },
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

const PREFACE = `# Cost of resuming a session

Written by \`npm run bench:resume -- --write\`. The table compares resuming a session with starting a new one: the time to the first reply,
which needs no messages, and the time until all messages are read. *First time* means that the file has no digest. *Again* means a later
start while the file has not changed ([decision 14](decisions/0014-digest-of-long-logs.md)). The cases are measured alternately in
one run. On a busy machine, CPU time (of all threads) is more reliable than wall time.

`;

try {
  writeFileSync(join(directory, 'package.json'), '{"type":"module"}');
  symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'), 'junction');
  const { program } = await bundle(join(directory, 'dist'));
  const report = [...(await measureResume(program)), '', ...(await measureList(program))].join('\n');
  console.log(report);
  if (values.write) await writePage(join(root, 'docs/resume.md'), `${report}\n`, PREFACE);
} finally {
  rmSync(directory, { recursive: true, force: true });
}

/** @param {string} program */
async function measureResume(program) {
  const options = { cwd: directory, env: { PARLEY_DIR: join(directory, 'home') } };
  const starts = Object.entries(SUBJECTS).flatMap(([name, { shape }]) => {
    const file = shape ? writeSession(join(directory, `${name}.jsonl`), shape) : '';
    const start = { name, when: '', flags: shape ? ['--session', file] : [], digest: '' };
    const first = { ...start, when: ', first time', digest: `${file}.digest` };
    const starts = shape ? [first, { ...start, when: ', again' }] : [start];
    return starts.map((one) => ({ ...one, samples: /** @type {Sample[]} */ ([]) }));
  });
  for (let round = 0; round < Number(values.rounds); round++) {
    process.stderr.write(`\rround ${round + 1} of ${values.rounds}`);
    for (const { flags, digest, samples } of round % 2 === 0 ? starts : [...starts].reverse()) {
      if (digest) rmSync(digest, { force: true });
      samples.push(await measureStart([program, '--mode', 'rpc', ...flags], options));
    }
  }
  process.stderr.write('\n');
  const empty = starts[0]?.samples ?? [];
  const rows = starts.map(({ name, when, samples }) => {
    const { what, budget = '' } = SUBJECTS[name] ?? { what: name };
    const difference = (/** @type {keyof Sample} */ key) =>
      name === 'empty' ? '' : formatSigned(medianOf(samples, key) - medianOf(empty, key));
    const [reply = 0, cpu = 0, all = 0, rss = 0] = /** @type {const} */ (['reply', 'cpu', 'all', 'rss']).map((key) =>
      medianOf(samples, key),
    );
    return `| ${what}${when} | ${reply.toFixed(1)} ms | ${difference('reply')} | ${budget} | ${cpu.toFixed(0)} ms | ${difference('cpu')} | ${all.toFixed(1)} ms | ${rss.toFixed(1)} MiB |`;
  });
  return [
    `${machine(Number(values.rounds))} Load average ${loadavg()[0]?.toFixed(1)}: if it is above the number of processors, wall times are unreliable.`,
    '',
    '| session | spawn → get_state | more than a new session | budget | CPU of it | more than a new session | spawn → get_session_stats | idle memory (RSS) |',
    '|---|---:|---:|---:|---:|---:|---:|---:|',
    ...rows,
  ];
}

/** @typedef {{ reply: number, cpu: number, all: number, rss: number }} Sample */

/**
 * @param {Sample[]} samples
 * @param {keyof Sample} key
 */
function medianOf(samples, key) {
  return median(samples.map((sample) => sample[key]));
}

/** @param {number} ms */
function formatSigned(ms) {
  return `${ms < 0 ? '−' : '+'}${Math.abs(ms).toFixed(1)} ms`;
}

/**
 * The first reply needs no messages; get_session_stats needs all of them.
 * @param {string[]} args
 * @param {{ cwd: string, env: Record<string, string> }} options
 * @returns {Promise<Sample>}
 */
async function measureStart(args, options) {
  const host = startHost(args, options);
  host.send({ id: '1', type: 'get_state' });
  const first = await host.line('"get_state"');
  const cpu = cpuMs(host.pid);
  await sleep(200);
  const { rss } = memoryMiB(host.pid);
  const sent = host.send({ id: '2', type: 'get_session_stats' });
  const all = await host.line('"get_session_stats"');
  await host.end();
  return { reply: first.at - host.startedAt, cpu, all: first.at - host.startedAt + all.at - sent, rss };
}

/** @param {string} program */
async function measureList(program) {
  const sessionDirectory = join(directory, 'many');
  mkdirSync(sessionDirectory);
  for (let n = 0; n < 1000; n++)
    writeSession(join(sessionDirectory, `2026-01-02T03-04-05-000Z_${n}.jsonl`), { messages: 60, words: 100 });
  const options = { cwd: directory, env: { PARLEY_DIR: join(directory, 'home') } };
  const list = async () => {
    const host = startHost([program, 'sessions', '--session-dir', sessionDirectory], options);
    return (await host.end()) - host.startedAt;
  };
  const first = [];
  const again = [];
  for (let round = 0; round < Number(values.rounds); round++) {
    rmSync(join(sessionDirectory, '.parley-sessions.json'), { force: true });
    first.push(await list());
    again.push(await list());
  }
  const rows = [
    ['first time', first],
    ['again, nothing changed', again],
  ];
  return [
    '| `parley sessions`, 1,000 sessions of 60 messages (40 kB each), time from spawn to exit | |',
    '|---|---:|',
    ...rows.map(([what, times]) => `| ${what} | ${median(/** @type {number[]} */ (times)).toFixed(0)} ms |`),
  ];
}

/**
 * Writes a session file. The compaction keeps the last twenty messages.
 * @param {string} file
 * @param {Shape} shape
 */
function writeSession(file, { messages, words = 40, compacted }) {
  const target = openSync(file, 'w');
  let block = `${JSON.stringify({ type: 'session', version: 3, id: file.replace(/\W/g, '-'), timestamp: STAMP, cwd: directory })}\n`;
  let parentId = /** @type {string | null} */ (null);
  const add = (/** @type {string} */ type, /** @type {object} */ body) => {
    entryCount += 1;
    const id = entryCount.toString(16).padStart(8, '0');
    block += `${JSON.stringify({ type, id, parentId, timestamp: STAMP, ...body })}\n`;
    parentId = id;
    if (block.length > MB) {
      writeSync(target, block);
      block = '';
    }
    return id;
  };
  let entryCount = 0;
  let firstKeptEntryId = '';
  add('model_change', { provider: 'parley', modelId: 'offline' });
  add('thinking_level_change', { thinkingLevel: 'off' });
  if (compacted) add('session_info', { name: 'a name given at the beginning' });
  for (let n = 0; n < messages; n++) {
    const id = add('message', { message: n % 2 === 0 ? createPrompt(n, words) : createAnswer(n, words) });
    if (n === messages - 20) firstKeptEntryId = id;
  }
  if (compacted) add('compaction', { summary: 'A summary.', firstKeptEntryId, tokensBefore: 100_000 });
  if (compacted === 'ours')
    add('custom', { customType: 'parley.checkpoint', data: { name: 'a name', queued: [], held: [] } });
  for (let n = 0; n < 10; n++)
    add('message', { message: n % 2 === 0 ? createPrompt(n, words) : createAnswer(n, words) });
  writeSync(target, block);
  closeSync(target);
  return file;
}

/** @param {number} n @param {number} words */
function createPrompt(n, words) {
  return {
    role: 'user',
    content: [{ type: 'text', text: `question ${n} ${'about it '.repeat(words / 2)}` }],
    timestamp: n,
  };
}

/** @param {number} n @param {number} words */
function createAnswer(n, words) {
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

// Measures `parley serve` with many sessions, streams and followers. The model and the clients are processes of their own.
// `npm run bench:server -- [--sessions N] [--rounds N] [--write]`; --write updates docs/benchmarks.md. Linux only.
// @ts-check
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { measurePageStart, measureReplyStart, measureSessions, measureStreams } from './server/measures.mjs';
import { createReport, updatePage } from './server/report.mjs';
import { startServer } from './server/server-process.mjs';
import { startWorker } from './server/worker.mjs';

const DEFAULTS = { sessions: 5000, prompted: 300, streams: 200, followers: 100, rate: 40, seconds: 10, rounds: 5 };
/** @typedef {typeof DEFAULTS} Sizes */

const numberOptions = Object.fromEntries(
  Object.entries(DEFAULTS).map(([name, value]) => [
    name,
    { type: /** @type {const} */ ('string'), default: `${value}` },
  ]),
);
const { values } = parseArgs({
  options: {
    ...numberOptions,
    program: { type: 'string', default: fileURLToPath(new URL('../dist/cli.js', import.meta.url)) },
    write: { type: 'boolean', default: false },
  },
});
const sizes = /** @type {Sizes} */ (
  Object.fromEntries(Object.keys(DEFAULTS).map((name) => [name, Number(/** @type {any} */ (values)[name])]))
);
const DIRECTORIES = 50;

const directory = mkdtempSync(join(tmpdir(), 'parley-bench-server-'));
const workers = { clients: startWorker('clients.mjs'), model: startWorker('stream-model.mjs') };
/** @type {import('./server/measures.mjs').Server[]} */
const servers = [];
try {
  const directories = await writeFiles(await workers.model.call('listen'));
  const report = createReport(await measureAll(directories), sizes);
  console.log(report);
  if (values.write) await updatePage(new URL('../docs/benchmarks.md', import.meta.url), report);
} finally {
  for (const server of servers) await server.end();
  for (const worker of Object.values(workers)) worker.end();
  rmSync(directory, { recursive: true, force: true });
}

/** @param {string} modelUrl */
async function writeFiles(modelUrl) {
  const directories = Array.from({ length: DIRECTORIES }, (_, index) => join(directory, `project-${index}`));
  for (const path of [join(directory, 'home'), ...directories]) mkdirSync(path);
  const own = {
    ...{ baseUrl: modelUrl, api: 'openai-completions', apiKey: 'loopback' },
    models: [{ id: 'bench', contextWindow: 2_000_000, maxTokens: 1_000_000 }],
  };
  writeFileSync(join(directory, 'home', 'models.json'), JSON.stringify({ providers: { own } }));
  return directories;
}

/**
 * @param {string[]} directories
 * @returns {Promise<import('./server/report.mjs').ServerFigures>}
 */
async function measureAll(directories) {
  const options = { program: values.program, home: join(directory, 'home'), cwd: directory };
  const { rounds, sessions, prompted } = sizes;
  const start = { page: /** @type {number[]} */ ([]), reply: /** @type {number[]} */ ([]) };
  for (let round = 0; round < 3 * rounds; round++) {
    showProgress('start', round, 3 * rounds);
    start.reply.push(await measureReplyStart(options));
    start.page.push(await measurePageStart(options));
  }
  showProgress('sessions', 0, 1);
  const server = await startServer({ ...options, nodeFlags: ['--inspect=127.0.0.1:0'] });
  servers.push(server);
  const { ids, ...sessionFigures } = await measureSessions(server, workers.clients, {
    directories,
    sessions,
    prompted,
  });
  // A server without other sessions, so that their garbage collections do not hide the cost of a follower.
  const small = await startServer(options);
  servers.push(small);
  const opened = await workers.clients.call('openSessions', small.address, directories.slice(0, 1));
  const streams = await measurePairs('streams', server, { ids: ids.slice(-1) }, { ids: ids.slice(0, sizes.streams) });
  const followed = { ids: opened.ids };
  const followers = await measurePairs('followers', small, followed, { ...followed, followers: sizes.followers });
  process.stderr.write('\n');
  return { sessions: sessionFigures, streams, followers, start };
}

/**
 * Measures two cases alternately. With several rounds, one more is done first as a warm-up.
 * @param {string} name
 * @param {import('./server/measures.mjs').Server} server
 * @param {{ ids: string[], followers?: number }} one
 * @param {{ ids: string[], followers?: number }} many
 */
async function measurePairs(name, server, one, many) {
  const { rate, seconds, rounds } = sizes;
  /** @type {Record<'one' | 'many', import('./server/report.mjs').StreamFigures[]>} */
  const samples = { one: [], many: [] };
  const warmUps = rounds > 1 ? 1 : 0;
  for (let round = 0; round < warmUps + rounds; round++) {
    showProgress(name, round, warmUps + rounds);
    const measured = {
      one: await measureStreams(server, workers, { followers: 1, rate, seconds, ...one }),
      many: await measureStreams(server, workers, { followers: 1, rate, seconds, ...many }),
    };
    if (round < warmUps) continue;
    samples.one.push(measured.one);
    samples.many.push(measured.many);
  }
  return samples;
}

/**
 * @param {string} name
 * @param {number} round
 * @param {number} rounds
 */
function showProgress(name, round, rounds) {
  process.stderr.write(`\r${name}: round ${round + 1} of ${rounds}   `);
}

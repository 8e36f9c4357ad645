// Measures what the sandbox adds to the time of a command: `true` without it and in each kind of it, in a git repository, in one interleaved run.
// `npm run bench:sandbox -- [--rounds N] [--write]`. Needs bubblewrap.
// @ts-check
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { median } from './median.mjs';
import { machine } from './report.mjs';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '41' }, write: { type: 'boolean' } } });
const ROUNDS = Number(values.rounds);
const BUDGET_MS = 15;

/** @param {string} path */
const load = (path) => import(new URL(`../dist/lib/${path}`, import.meta.url).href);
/** @type {typeof import('../src/app/guard/session-sandbox.ts')} */
const { createSessionSandbox } = await load('app/guard/session-sandbox.js');
/** @type {typeof import('../src/app/system-ports/index.ts')} */
const { createSystemPorts } = await load('app/system-ports/index.js');
/** @type {typeof import('../src/settings/index.ts')} */
const { defaultSettings } = await load('settings/settings-table.js');

/** @type {readonly [name: string, settings: Partial<import('../src/settings/index.ts').SettingValues>][]} */
const KINDS = [
  ['no sandbox', { sandbox: 'off' }],
  ['`workspace-write`, network `off`', { sandbox: 'workspace-write' }],
  ['`read-only`, network `off`', { sandbox: 'read-only' }],
  ['`workspace-write`, network `on`', { sandbox: 'workspace-write', 'sandbox.network': 'on' }],
  ['`workspace-write`, network `allow-list`', { sandbox: 'workspace-write', 'sandbox.network': 'allow-list' }],
];

// Not in /tmp, which is replaced in the sandbox.
const base = mkdtempSync('/var/tmp/parley-sandbox-bench-');
const home = join(base, 'home');
const cwd = join(home, 'work');
mkdirSync(cwd, { recursive: true });
execFileSync('git', ['init', '-q', cwd]);
const ports = createSystemPorts();
const env = { ...ports.toolEnv, HOME: home };

const subjects = KINDS.map(([name, settings]) => ({
  name,
  sandbox: createSessionSandbox({
    ...{ ports, cwd, home, agentDirectory: join(home, '.parley') },
    settings: { ...defaultSettings, ...settings },
  }),
  wrapTimes: /** @type {number[]} */ ([]),
  times: /** @type {number[]} */ ([]),
}));

/** @param {typeof subjects[number]} subject */
async function run({ sandbox, wrapTimes, times }) {
  const request = { command: '/bin/bash', args: ['-c', 'true'], cwd, env };
  const startedAt = performance.now();
  const wrapped = await (await sandbox.getSandbox(cwd))?.wrap(request);
  const wrappedAt = performance.now();
  let output = '';
  const onOutput = (/** @type {Uint8Array} */ chunk) => {
    output += Buffer.from(chunk).toString('utf8');
  };
  const { code } = await (await ports.processes.spawn({ ...(wrapped ?? request), onOutput })).finished;
  await wrapped?.release();
  if (code !== 0) throw new Error(`exit code ${code}: ${output}`);
  wrapTimes.push(wrappedAt - startedAt);
  times.push(performance.now() - startedAt);
}

try {
  // The first run loads code and tries bubblewrap.
  for (const subject of subjects) await run(subject);
  for (const subject of subjects) {
    subject.times.length = 0;
    subject.wrapTimes.length = 0;
  }
  for (let round = 0; round < ROUNDS; round++)
    for (const subject of round % 2 === 0 ? subjects : [...subjects].reverse()) await run(subject);
  const plain = median(subjects[0]?.times ?? []);
  const rows = subjects.map(({ name, times, wrapTimes }) => {
    const added = median(times) - plain;
    const cells = [median(times), added, median(wrapTimes), Math.min(...times)].map((ms) => `${ms.toFixed(1)} ms`);
    return `| ${name} | ${cells.join(' | ')} |`;
  });
  const text = [
    ...[machine(ROUNDS), ''],
    '| `true` in a git repository | time | more than without | of it preparation in Parley | fastest run |',
    '|---|---:|---:|---:|---:|',
    ...rows,
  ].join('\n');
  console.log(text);
  const [, workspaceWrite] = subjects;
  const added = median(workspaceWrite?.times ?? []) - plain;
  console.log(
    `\n${added <= BUDGET_MS ? 'Within' : 'ABOVE'} the budget of ${BUDGET_MS} ms for workspace-write without a network.`,
  );
  if (values.write) writeTable(text);
} finally {
  await Promise.all(subjects.map(({ sandbox }) => sandbox.close()));
  await ports.close();
  rmSync(base, { recursive: true, force: true });
}

/** @param {string} table */
function writeTable(table) {
  const file = new URL('../docs/sandbox.md', import.meta.url);
  const text = readFileSync(file, 'utf8');
  const [start, end] = ['<!-- bench:sandbox -->\n', '\n<!-- end of bench:sandbox -->'];
  const [before, rest] = [text.slice(0, text.indexOf(start) + start.length), text.slice(text.indexOf(end))];
  writeFileSync(file, `${before}${table}${rest}`);
}

// Measures Parley and the baseline alternately in one run, because their ratio hardly depends on the load of the machine.
// `npm run bench -- [--rounds N] [--write]`; --write updates docs/benchmarks.md.
// @ts-check
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { bundle } from '../scripts/bundle.mjs';
import * as measures from './measures.mjs';
import { medians, table, writePage } from './report.mjs';
import { sourceSizes } from './sources.mjs';

/** @typedef {import('./measures.mjs').Start} Start */

const root = fileURLToPath(new URL('..', import.meta.url));
const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '9' }, write: { type: 'boolean', default: false } },
});
const rounds = Number(values.rounds);

const directory = mkdtempSync(join(tmpdir(), 'parley-bench-'));
// Builds the program in a temporary directory, because other processes may use dist/.
writeFileSync(join(directory, 'package.json'), '{"type":"module"}');
symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'), 'junction');
const { program, startBytes } = await bundle(join(directory, 'dist'));
const model = spawn(process.execPath, [join(root, 'bench/floor/model.mjs')], { stdio: ['pipe', 'pipe', 'inherit'] });
try {
  const [url] = await once(model.stdout.setEncoding('utf8'), 'data');
  const figures = await measureAll(url.trim());
  const report = table(figures, { rounds, startBytes, sources: sourceSizes(join(root, 'src')) });
  console.log(report);
  if (values.write) await writePage(join(root, 'docs/benchmarks.md'), report);
} finally {
  model.stdin.end();
  rmSync(directory, { recursive: true, force: true });
}

/** @param {string} modelUrl */
async function measureAll(modelUrl) {
  // A provider whose URL can be set with a variable, so that both programs use the same model.
  const provider = { MOONSHOT_BASE_URL: modelUrl, MOONSHOT_API_KEY: 'none' };
  const options = { cwd: directory, env: { MODEL_URL: modelUrl, PARLEY_DIR: join(directory, 'home') } };
  /** @type {(...flags: string[]) => Start} */
  const offline = (...flags) => [[program, '--mode', 'rpc', ...flags], options];
  /** @type {(...flags: string[]) => Start} */
  const parley = (...flags) => [
    [program, '--mode', 'rpc', '--model', 'moonshot/kimi-k2.5', '--thinking', 'off', ...flags],
    { ...options, env: { ...options.env, ...provider } },
  ];
  /** @type {Start} */
  const baseline = [[join(root, 'bench/floor/agent.mjs')], options];
  const delta = parley('--stream', 'delta');
  /** @type {[string, () => Promise<measures.Figures>][]} */
  const subjects = [
    ['node', () => measures.bareNode()],
    ['baseline.start', () => measures.firstReply(baseline)],
    ['parley.start', () => measures.firstReply(offline())],
    ['parley.keyed', () => measures.firstReply(parley())],
    ['baseline.first', () => measures.firstDelta(baseline)],
    ['parley.first', () => measures.firstDelta(delta)],
    ['offline.first', () => measures.firstDelta(offline('--stream', 'delta'))],
    ['baseline.deltas', () => measures.manyDeltas(baseline)],
    ['parley.deltas', () => measures.manyDeltas(delta)],
    ['offline.deltas', () => measures.manyDeltas(offline('--stream', 'delta'))],
    ['parley.full', () => measures.manyDeltas(parley('--stream', 'full'))],
    ['baseline.tool', () => measures.toolTurn(baseline)],
    ['parley.tool', () => measures.toolTurn(delta)],
  ];
  /** @type {Record<string, measures.Figures[]>} */
  const samples = Object.fromEntries(subjects.map(([name]) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    process.stderr.write(`\rround ${round + 1} of ${rounds}`);
    // Every second round runs in reverse order, so that no subject always follows the same one.
    for (const [name, measure] of round % 2 === 0 ? subjects : [...subjects].reverse())
      samples[name]?.push(await measure());
  }
  process.stderr.write('\n');
  return medians(samples);
}

// Measures Parley against the floor in one interleaved run: what matters is the ratio, which a busy machine hardly changes.
// `npm run bench -- [--rounds N] [--write]`; --write keeps the figures in docs/benchmarks.md.
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

const place = mkdtempSync(join(tmpdir(), 'parley-bench-'));
// The program as `npm run build` makes it, away from dist/, which others may be using.
writeFileSync(join(place, 'package.json'), '{"type":"module"}');
symlinkSync(join(root, 'node_modules'), join(place, 'node_modules'), 'junction');
const { program, startBytes } = await bundle(join(place, 'dist'));
const model = spawn(process.execPath, [join(root, 'bench/floor/model.mjs')], { stdio: ['pipe', 'pipe', 'inherit'] });
try {
  const [url] = await once(model.stdout.setEncoding('utf8'), 'data');
  const figures = await measureAll(url.trim());
  const report = table(figures, { rounds, startBytes, sources: sourceSizes(join(root, 'src')) });
  console.log(report);
  if (values.write) await writePage(join(root, 'docs/benchmarks.md'), report);
} finally {
  model.stdin.end();
  rmSync(place, { recursive: true, force: true });
}

/** @param {string} modelUrl */
async function measureAll(modelUrl) {
  // A provider of Parley's that may be sent elsewhere by a variable, so that both have the same model.
  const provider = { MOONSHOT_BASE_URL: modelUrl, MOONSHOT_API_KEY: 'none' };
  const options = { cwd: place, env: { MODEL_URL: modelUrl, PARLEY_DIR: join(place, 'home') } };
  /** @type {(...flags: string[]) => Start} */
  const offline = (...flags) => [[program, '--mode', 'rpc', ...flags], options];
  /** @type {(...flags: string[]) => Start} */
  const parley = (...flags) => [
    [program, '--mode', 'rpc', '--model', 'moonshot/kimi-k2.5', '--thinking', 'off', ...flags],
    { ...options, env: { ...options.env, ...provider } },
  ];
  /** @type {Start} */
  const floor = [[join(root, 'bench/floor/agent.mjs')], options];
  const delta = parley('--stream', 'delta');
  /** @type {[string, () => Promise<measures.Figures>][]} */
  const subjects = [
    ['node', () => measures.bareNode()],
    ['floor.start', () => measures.firstReply(floor)],
    ['parley.start', () => measures.firstReply(offline())],
    ['parley.keyed', () => measures.firstReply(parley())],
    ['floor.first', () => measures.firstDelta(floor)],
    ['parley.first', () => measures.firstDelta(delta)],
    ['offline.first', () => measures.firstDelta(offline('--stream', 'delta'))],
    ['floor.deltas', () => measures.manyDeltas(floor)],
    ['parley.deltas', () => measures.manyDeltas(delta)],
    ['offline.deltas', () => measures.manyDeltas(offline('--stream', 'delta'))],
    ['parley.full', () => measures.manyDeltas(parley('--stream', 'full'))],
    ['floor.tool', () => measures.toolTurn(floor)],
    ['parley.tool', () => measures.toolTurn(delta)],
  ];
  /** @type {Record<string, measures.Figures[]>} */
  const taken = Object.fromEntries(subjects.map(([name]) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    process.stderr.write(`\rround ${round + 1} of ${rounds}`);
    // Every other round backwards, so that neither always comes after the other.
    for (const [name, measure] of round % 2 === 0 ? subjects : [...subjects].reverse())
      taken[name]?.push(await measure());
  }
  process.stderr.write('\n');
  return medians(taken);
}

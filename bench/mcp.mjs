// Measures what configured MCP servers cost: the first reply, the first request and the first delta, with 0, 1 and 10 servers of 20 tools each.
// `npm run bench:mcp -- [--rounds N]`
// @ts-check
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { bundle } from '../scripts/bundle.mjs';
import { startHost } from './host.mjs';
import { median } from './median.mjs';
import { memoryMiB } from './system.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const { values } = parseArgs({ options: { rounds: { type: 'string', default: '9' } } });
const SERVER_COUNTS = [0, 1, 10];
const TOOLS = 20;
const SETTLE_MS = 500;

const directory = mkdtempSync(join(tmpdir(), 'parley-mcp-bench-'));
/** The size of each request to the model. */
const requests = /** @type {number[]} */ ([]);
const model = createServer(async (request, response) => {
  requests.push(Buffer.byteLength(await text(request)));
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const choice of [{ delta: { content: 'Hello.' } }, { delta: {}, finish_reason: 'stop' }])
    response.write(`data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, ...choice }] })}\n\n`);
  response.end('data: [DONE]\n\n');
});

try {
  await new Promise((resolve) => model.listen(0, '127.0.0.1', () => resolve(undefined)));
  writeFileSync(join(directory, 'package.json'), '{"type":"module"}');
  symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'), 'junction');
  const { program } = await bundle(join(directory, 'dist'));
  console.log(await measureAll(program));
} finally {
  model.close();
  rmSync(directory, { recursive: true, force: true });
}

/** @typedef {{ reply: number, delta: number, second: number, bytes: number, pss: number }} Figures */

/** @param {string} program */
async function measureAll(program) {
  const subjects = SERVER_COUNTS.map((count) => ({
    count,
    home: createHome(count),
    samples: /** @type {Figures[]} */ ([]),
  }));
  const rounds = Number(values.rounds);
  for (let round = 0; round < rounds; round++) {
    process.stderr.write(`\rround ${round + 1} of ${rounds}`);
    for (const { home, samples } of round % 2 === 0 ? subjects : [...subjects].reverse())
      samples.push(await measure(program, home));
  }
  process.stderr.write('\n');
  const [base] = subjects;
  const lines = subjects.map(({ count, samples }) => {
    /** @param {keyof Figures} key */
    const cell = (key) => {
      const value = median(samples.map((sample) => sample[key]));
      const ratio = value / median((base?.samples ?? []).map((sample) => sample[key]));
      return `${value.toFixed(key === 'bytes' ? 0 : 1)} (${ratio.toFixed(2)}×)`;
    };
    return `| ${count} | ${cell('reply')} | ${cell('bytes')} | ${cell('delta')} | ${cell('second')} | ${cell('pss')} |`;
  });
  return [
    '| servers | spawn → first reply, ms | first request, bytes | first prompt → first delta, ms | second prompt → first delta, ms | memory, MiB |',
    '|---|---|---|---|---|---|',
    ...lines,
  ].join('\n');
}

/** @param {string} program @param {string} home */
async function measure(program, home) {
  const port = /** @type {import('node:net').AddressInfo} */ (model.address()).port;
  const env = { PARLEY_DIR: home, MOONSHOT_BASE_URL: `http://127.0.0.1:${port}`, MOONSHOT_API_KEY: 'none' };
  const flags = ['--mode', 'rpc', '--no-session', '--model', 'moonshot/kimi-k2.5', '--thinking', 'off'];
  const host = startHost([program, ...flags], { cwd: directory, env });
  host.send({ id: '1', type: 'get_state' });
  const { at: repliedAt } = await host.line('"get_state"');
  requests.length = 0;
  const delta = await measurePrompt(host);
  const bytes = requests[0] ?? NaN;
  const second = await measurePrompt(host);
  const { pss = NaN } = memoryMiB(host.pid);
  await host.end();
  // The end of the servers must not slow down the next measurement.
  await sleep(SETTLE_MS);
  return { reply: repliedAt - host.startedAt, delta, second, bytes, pss };
}

/** @param {ReturnType<typeof startHost>} host */
async function measurePrompt(host) {
  const sent = host.send({ type: 'prompt', message: 'hello' });
  const { at } = await host.line('_delta"');
  await host.line('"agent_settled"');
  return at - sent;
}

/** @param {number} count */
function createHome(count) {
  const home = join(directory, `home-${count}`);
  mkdirSync(home);
  const names = Array.from({ length: count }, (_, index) => `server${index}`);
  const script = join(root, 'bench/mcp-server.mjs');
  const mcpServers = Object.fromEntries(
    names.map((name) => [name, { command: process.execPath, args: [script, name, String(TOOLS)] }]),
  );
  if (count > 0) writeFileSync(join(home, 'mcp.json'), JSON.stringify({ mcpServers }));
  return home;
}

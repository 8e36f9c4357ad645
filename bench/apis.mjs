// Measures CPU time per delta and time to the first delta of every model API with a loopback server: `npm run bench:apis`.
// @ts-check
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { API_STREAMS } from '../scripts/api-streams.mjs';
import { median } from './median.mjs';
import { machine } from './report.mjs';

const DELTAS = 4000;
const ROUNDS = 9;

/** @type {typeof import('../src/llm/index.ts')} */
const { createApiLoaders } = await import(new URL('../dist/lib/llm/index.js', import.meta.url).href);
const { createSystemPorts } = await import(new URL('../dist/lib/app/system-ports/index.js', import.meta.url).href);
const ports = createSystemPorts();
const limits = { idleTimeoutMs: 60_000, totalTimeoutMs: 600_000 };

/** @type {Buffer} */
let frames = Buffer.alloc(0);
let type = '';
const server = createServer((request, response) => {
  request.resume().on('end', () => response.writeHead(200, { 'content-type': type }).end(frames));
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());

/** @param {import('../scripts/api-streams.mjs').ApiStream} stream @param {import('../src/contracts/index.ts').ModelApi} api @param {number} deltas */
async function runRequest(stream, api, deltas) {
  frames = stream.frames(deltas);
  type = stream.type;
  const model = stream.model(`http://127.0.0.1:${port}`);
  const cpu = process.cpuUsage();
  const startedAt = performance.now();
  let first = NaN;
  let count = 0;
  const { signal } = new AbortController();
  const request = {
    model,
    systemPrompt: 'x',
    messages: [HELLO],
    tools: [],
    thinkingLevel: 'off',
    sessionId: 's',
    signal,
  };
  for await (const event of api.stream(/** @type {never} */ ({ ...request, ...stream.auth }))) {
    if (event.type === 'error') throw new Error(`${stream.api}: ${event.error.errorMessage}`);
    if (event.type !== 'text_delta') continue;
    if (count++ === 0) first = performance.now() - startedAt;
  }
  const { user, system } = process.cpuUsage(cpu);
  if (count !== deltas) throw new Error(`${stream.api}: ${count} deltas of ${deltas}`);
  return { first, micros: (user + system) / deltas };
}

const HELLO = { role: 'user', content: 'Hello', timestamp: 1 };
const env = { GOOGLE_VERTEX_PROJECT: 'p' };
const apis = createApiLoaders({ clock: ports.clock, wire: { ...ports, ...limits, userAgent: 'bench' }, env });
/** @type {{ stream: import('../scripts/api-streams.mjs').ApiStream, api: import('../src/contracts/index.ts').ModelApi, cold: number, warm: number[], micros: number[] }[]} */
const subjects = [];
for (const stream of API_STREAMS) {
  const startedAt = performance.now();
  const api = await /** @type {() => Promise<import('../src/contracts/index.ts').ModelApi>} */ (apis[stream.api])();
  const loadMs = performance.now() - startedAt;
  subjects.push({ stream, api, cold: (await runRequest(stream, api, 1)).first + loadMs, warm: [], micros: [] });
}
for (let round = 0; round < ROUNDS; round++) {
  for (const { stream, api, warm, micros } of subjects) {
    warm.push((await runRequest(stream, api, 1)).first);
    micros.push((await runRequest(stream, api, DELTAS)).micros);
  }
}
const rows = subjects.map(
  ({ stream, cold, warm, micros }) =>
    `| ${stream.api} | ${median(micros).toFixed(1)} µs | ${cold.toFixed(1)} ms | ${median(warm).toFixed(1)} ms |`,
);
server.close();
server.closeAllConnections();
await ports.close();

const text = [
  machine(ROUNDS),
  '',
  `| model API | CPU per delta (of ${DELTAS}) | first delta, cold (chunk loaded in this process) | first delta, warm |`,
  '|---|---:|---:|---:|',
  ...rows,
  '',
].join('\n');
console.log(text);
if (process.argv.includes('--write')) {
  const file = new URL('../docs/benchmarks-apis.md', import.meta.url);
  const preface = `# Benchmarks of the model APIs\n\nWritten by \`npm run bench:apis -- --write\`. One process sends requests to a loopback server that answers immediately in the format of each\nprovider, so the figures contain only the time of Parley and Node. The CPU figure includes the server. The cold figure is for the library,\nwhich loads single files: the first row includes files that all APIs share, and most files of Azure and Vertex are already loaded. The\nprogram loads one chunk per API.\n`;
  await writeFile(file, `${preface}\n${text}`);
}

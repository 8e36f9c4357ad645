// CPU per delta and the time to the first delta for every model API, against a loopback server in its own frames: `npm run bench:apis`.
// @ts-check
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { WIRES } from '../scripts/wires.mjs';
import { median } from './median.mjs';
import { machine } from './report.mjs';

const DELTAS = 4000;
const ROUNDS = 9;

/** @type {typeof import('../src/llm/index.ts')} */
const { apiLoaders } = await import(new URL('../dist/lib/llm/index.js', import.meta.url).href);
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

/** @param {import('../scripts/wires.mjs').Wire} wire @param {import('../src/contracts/index.ts').ModelApi} api @param {number} deltas */
async function ask(wire, api, deltas) {
  frames = wire.frames(deltas);
  type = wire.type;
  const model = wire.model(`http://127.0.0.1:${port}`);
  const cpu = process.cpuUsage();
  const begun = performance.now();
  let first = NaN;
  let seen = 0;
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
  for await (const event of api.stream(/** @type {never} */ ({ ...request, ...wire.door }))) {
    if (event.type === 'error') throw new Error(`${wire.api}: ${event.error.errorMessage}`);
    if (event.type !== 'text_delta') continue;
    if (seen++ === 0) first = performance.now() - begun;
  }
  const { user, system } = process.cpuUsage(cpu);
  if (seen !== deltas) throw new Error(`${wire.api}: ${seen} deltas of ${deltas}`);
  return { first, micros: (user + system) / deltas };
}

const HELLO = { role: 'user', content: 'Hello', timestamp: 1 };
const env = { GOOGLE_VERTEX_PROJECT: 'p' };
const apis = apiLoaders({ clock: ports.clock, wire: { ...ports, ...limits, userAgent: 'bench' }, env });
/** @type {{ wire: import('../scripts/wires.mjs').Wire, api: import('../src/contracts/index.ts').ModelApi, cold: number, warm: number[], micros: number[] }[]} */
const subjects = [];
for (const wire of WIRES) {
  const begun = performance.now();
  const api = await /** @type {() => Promise<import('../src/contracts/index.ts').ModelApi>} */ (apis[wire.api])();
  const loaded = performance.now() - begun;
  subjects.push({ wire, api, cold: (await ask(wire, api, 1)).first + loaded, warm: [], micros: [] });
}
for (let round = 0; round < ROUNDS; round++) {
  for (const { wire, api, warm, micros } of subjects) {
    warm.push((await ask(wire, api, 1)).first);
    micros.push((await ask(wire, api, DELTAS)).micros);
  }
}
const rows = subjects.map(
  ({ wire, cold, warm, micros }) =>
    `| ${wire.api} | ${median(micros).toFixed(1)} µs | ${cold.toFixed(1)} ms | ${median(warm).toFixed(1)} ms |`,
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
  const preface = `# Model APIs, measured\n\nWritten by \`npm run bench:apis -- --write\`. One process asks a loopback server that answers at once in each provider's own frames, so\nall of the time is ours and Node's. The server's own work is in the CPU figure. The cold figure is that of the library, whose files\nare loaded one by one: the first row pays for what all share, Azure and Vertex find most of theirs loaded. The program loads one chunk.\n`;
  await writeFile(file, `${preface}\n${text}`);
}

// Measures the times between animation frames of the page in chromium: scrolling 20,000 messages, and streaming answers of 2 MB.
// `npm run bench:page -- [--seconds N] [--write]`; --write updates docs/page.md.
// @ts-check
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import { machine } from './report.mjs';

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '10' }, write: { type: 'boolean', default: false } },
});
const BUDGET_MS = 50;
const ANSWER_BYTES = 2_000_000;
const DELTA_BYTES = 120;
const MESSAGES = 20_000;
const SESSION = '0f8b0000-0000-4000-8000-000000000001';
const program = fileURLToPath(new URL('../dist/cli.js', import.meta.url));

/** Runs in the page. */
const RECORD = `window.times = [];
(function next(last) { requestAnimationFrame((now) => { if (last) window.times.push(now - last); next(now); }); })();`;

/** @type {Record<string, (at: number) => string>} Each returns a part of an answer. */
const ANSWERS = {
  'headings, lists, code and tables': (at) =>
    `## Section ${at}\n\nSome **bold** text, \`code\`, and more words to fill the line.\n\n- one\n- two\n\n\`\`\`ts\nconst x = ${at};\n\`\`\`\n\n| a | b |\n|---|---|\n| ${at} | 2 |\n\n`,
  'one paragraph': (at) => `word${at} and some more text that goes on `,
  'one block of code': (at) => `${at === 0 ? '```ts\n' : ''}const value${at} = compute(${at}); // line ${at}\n`,
  'one list': (at) => `- item ${at} of a very long list with **bold** words\n`,
};

/** @param {string} prompt */
function buildAnswer(prompt) {
  const build = Object.entries(ANSWERS).find(([name]) => prompt.includes(name))?.[1];
  let answer = '';
  for (let at = 0; build && answer.length < ANSWER_BYTES; at++) answer += build(at);
  return answer || 'Hello.';
}

/** Sends an answer evenly over the given time. */
const model = createServer(async (request, response) => {
  const { messages } = JSON.parse(await text(request));
  const answer = buildAnswer(JSON.stringify(messages.at(-1).content));
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (/** @type {object} */ choice) =>
    response.write(`data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, ...choice }] })}\n\n`);
  const start = Date.now();
  for (let at = 0; at < answer.length; ) {
    const due = (answer.length * (Date.now() - start)) / 1000 / Number(values.seconds);
    for (; at < Math.min(due, answer.length); at += DELTA_BYTES)
      send({ delta: { content: answer.slice(at, at + DELTA_BYTES) } });
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  send({ delta: {}, finish_reason: 'stop' });
  response.end('data: [DONE]\n\n');
});

const directory = mkdtempSync(join(tmpdir(), 'parley-page-'));
const [home, cwd] = [join(directory, 'home'), join(directory, 'project')];
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  chromiumSandbox: process.getuid?.() !== 0,
});
let server;
try {
  await new Promise((resolve) => model.listen(0, '127.0.0.1', () => resolve(undefined)));
  writeFiles();
  server = await startServer();
  const rows = [['20,000 messages, scrolled with the wheel', await measureScrolling(server.address)]];
  for (const name of Object.keys(ANSWERS)) rows.push([`2 MB: ${name}`, await measureStreaming(server.address, name)]);
  report(/** @type {[string, number[]][]} */ (rows));
} finally {
  server?.child.kill();
  await browser.close();
  model.close();
  rmSync(directory, { recursive: true, force: true });
}

function writeFiles() {
  const sessions = join(home, 'sessions', `--${cwd.slice(1).replaceAll('/', '-')}--`);
  for (const path of [sessions, cwd]) mkdirSync(path, { recursive: true });
  const { port } = /** @type {import('node:net').AddressInfo} */ (model.address());
  const own = {
    ...{ baseUrl: `http://127.0.0.1:${port}/v1`, api: 'openai-completions', apiKey: 'loopback' },
    models: [{ id: 'bench', contextWindow: 2_000_000, maxTokens: 1_000_000 }],
  };
  writeFileSync(join(home, 'models.json'), JSON.stringify({ providers: { own } }));
  const stamp = '2026-01-02T03:04:05.000Z';
  const id = (/** @type {number} */ at) => at.toString(16).padStart(8, '0');
  const entries = Array.from({ length: MESSAGES }, (_, at) => ({
    ...{ type: 'message', id: id(at), parentId: at === 0 ? null : id(at - 1), timestamp: stamp },
    message: createMessage(at),
  }));
  const lines = [{ type: 'session', version: 3, id: SESSION, timestamp: stamp, cwd }, ...entries];
  const file = join(sessions, `2026-01-02T03-04-05-000Z_${SESSION}.jsonl`);
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
}

/** @param {number} at */
function createMessage(at) {
  if (at % 2 === 0) return { role: 'user', content: `Prompt ${at}. ${'More words. '.repeat(at % 23)}`, timestamp: 1 };
  const body = `### Answer ${at}\n\n${'A sentence. '.repeat(at % 40)}\n\n\`\`\`ts\nconst x = ${at};\n\`\`\`\n`;
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2, cost };
  const origin = { api: 'openai-completions', provider: 'own', model: 'bench' };
  return {
    role: 'assistant',
    content: [{ type: 'text', text: body }],
    ...origin,
    usage,
    stopReason: 'stop',
    timestamp: 1,
  };
}

/** @returns {Promise<{ address: string, child: import('node:child_process').ChildProcess }>} */
async function startServer() {
  const flags = ['serve', '--port', '0', '--json', '--provider', 'own', '--model', 'bench'];
  const env = { PATH: process.env.PATH, HOME: home, PARLEY_DIR: home };
  const child = spawn(process.execPath, [program, ...flags], { cwd, env, stdio: ['pipe', 'pipe', 'inherit'] });
  const line = await new Promise((resolve) => child.stdout.once('data', (chunk) => resolve(String(chunk))));
  const { url, token } = JSON.parse(line);
  return { address: `${url}?token=${token}`, child };
}

/** @param {string} address */
async function openPage(address) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  await page.goto(address);
  return page;
}

/** @param {string} address */
async function measureScrolling(address) {
  const page = await openPage(`${address}&session=${SESSION}`);
  await page.getByText(`Answer ${MESSAGES - 1}`).waitFor();
  await page.locator('.session .scroller').hover();
  await page.evaluate(RECORD);
  for (let step = 0; step < 200; step++) await page.mouse.wheel(0, -700);
  return finish(page);
}

/**
 * @param {string} address
 * @param {string} name
 */
async function measureStreaming(address, name) {
  const page = await openPage(address);
  await page.getByRole('button', { name: 'New session' }).first().click();
  await page.getByRole('button', { name: 'Create' }).click();
  await page.locator('#prompt:not([disabled])').waitFor();
  await page.fill('#prompt', name);
  await page.press('#prompt', 'Enter');
  await page.locator('.kind-text').first().waitFor();
  await page.evaluate(RECORD);
  await page.locator('.state-badge', { hasText: /^idle$/ }).waitFor({ timeout: 300_000 });
  return finish(page);
}

/** @param {import('playwright-core').Page} page */
async function finish(page) {
  const times = /** @type {number[]} */ (await page.evaluate('window.times'));
  await page.context().close();
  return times.sort((a, b) => a - b);
}

/** @param {[string, number[]][]} rows */
function report(rows) {
  const at = (/** @type {number[]} */ times, /** @type {number} */ share) =>
    `${(times[Math.floor((times.length - 1) * share)] ?? Number.NaN).toFixed(0)} ms`;
  const table = [
    ...[
      machine(1).replace(/; medians.*$/, '.'),
      '',
      `| in chromium | frames | median | p95 (budget ${BUDGET_MS} ms) | longest |`,
      '|---|---:|---:|---:|---:|',
    ],
    ...rows.map(
      ([name, times]) => `| ${name} | ${times.length} | ${at(times, 0.5)} | ${at(times, 0.95)} | ${at(times, 1)} |`,
    ),
  ].join('\n');
  console.log(table);
  if (!values.write) return;
  const file = new URL('../docs/page.md', import.meta.url);
  const page = readFileSync(file, 'utf8');
  const [start, end] = ['<!-- bench:page -->\n', '\n<!-- end of bench:page -->'];
  writeFileSync(file, page.slice(0, page.indexOf(start) + start.length) + table + page.slice(page.indexOf(end)));
}

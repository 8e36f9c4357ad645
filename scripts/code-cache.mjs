// Runs short conversations with the program at build time, so that the code cache of V8 contains the functions that most starts and
// first prompts need. Models are the offline model, and a loopback server for the common model APIs.
// @ts-check
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { API_STREAMS } from './api-streams.mjs';

const COMPILE = fileURLToPath(new URL('compile.cjs', import.meta.url));
const DELTAS = 20;

/** The most common model APIs. */
export const COMMON_APIS = ['anthropic-messages', 'openai-responses', 'openai-completions'];

/**
 * Writes the code cache to the directory where the launcher reads it.
 * @param {string} program
 * @param {readonly string[]} models Model APIs, or `offline`; one prompt is sent to each.
 * @param {'start' | 'request'} [served] Whether the server is started, and answers a request.
 * @returns {Promise<string[]>} The files of the program that were loaded.
 */
export async function writeCodeCache(program, models, served) {
  const home = await mkdtemp(join(tmpdir(), 'parley-code-cache-'));
  const codeCache = join(
    dirname(program),
    'program',
    `compiled-${process.platform}-${process.arch}-${process.versions.v8}`,
  );
  const server = await startServer();
  try {
    await rm(codeCache, { recursive: true, force: true });
    await writeFile(join(home, 'models.json'), JSON.stringify({ providers: createProviders(server.url) }));
    const agent = startAgent(program, codeCache, home);
    for (const model of models) await promptOnce(agent, model);
    if (models.includes('offline')) await resumeSession(agent);
    await agent.close();
    if (served) await runServer(program, codeCache, home, served === 'request');
    return await readdir(codeCache);
  } finally {
    server.close();
    await rm(home, { recursive: true, force: true });
  }
}

async function startServer() {
  const server = createServer((request, response) => {
    request.resume();
    const stream = API_STREAMS.find(({ api }) => request.url?.startsWith(`/${api}/`));
    response
      .writeHead(stream ? 200 : 404, { 'content-type': stream?.type ?? 'text/plain' })
      .end(stream?.frames(DELTAS));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    url: `http://127.0.0.1:${port}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** @param {string} url */
function createProviders(url) {
  const provider = (/** @type {string} */ api) => ({
    baseUrl: `${url}/${api}`,
    apiKey: 'none',
    api,
    models: [{ id: 'warm-up' }],
  });
  return Object.fromEntries(COMMON_APIS.map((api) => [api, provider(api)]));
}

/** @typedef {ReturnType<typeof startAgent>} Agent */

/**
 * @param {Agent} agent
 * @param {string} model
 */
async function promptOnce({ send, waitForLine }, model) {
  if (model !== 'offline') {
    send({ type: 'set_model', provider: model, modelId: 'warm-up' });
    await waitForLine('"set_model"');
  }
  send({ type: 'prompt', message: 'run `true`' });
  await waitForLine('"agent_settled"');
}

/**
 * Switches to a new session and back, which runs the code of a start with `--continue`.
 * @param {Agent} agent
 */
async function resumeSession({ send, waitForLine }) {
  send({ type: 'get_session_stats' });
  const { data } = JSON.parse(await waitForLine('"get_session_stats"'));
  send({ type: 'new_session' });
  await waitForLine('"new_session"');
  send({ type: 'switch_session', sessionPath: data.sessionFile });
  await waitForLine('"switch_session"');
}

/**
 * No settings of the user and no NODE_OPTIONS: V8 accepts a code cache only with the flags it was created with.
 * @param {string[]} args
 * @param {string} home
 */
function spawnProgram(args, home) {
  const env = { PATH: process.env.PATH, HOME: home, PARLEY_DIR: home };
  return spawn(process.execPath, args, { env, stdio: ['pipe', 'pipe', 'inherit'] });
}

/**
 * Starts the server and ends it.
 * @param {string} program
 * @param {string} codeCache
 * @param {string} home
 * @param {boolean} isRequested
 */
async function runServer(program, codeCache, home, isRequested) {
  const child = spawnProgram([COMPILE, program, codeCache, 'serve', '--port', '0', '--json'], home);
  const ended = once(child, 'exit');
  const [line] = await Promise.race([once(child.stdout.setEncoding('utf8'), 'data'), ended]);
  if (typeof line !== 'string') throw new Error('The server has ended before it was started');
  if (isRequested) await fetch(`${JSON.parse(line).url}healthz`);
  child.kill('SIGTERM');
  await ended;
}

/**
 * @param {string} program
 * @param {string} codeCache
 * @param {string} home
 */
function startAgent(program, codeCache, home) {
  const child = spawnProgram([COMPILE, program, codeCache, '--mode', 'rpc'], home);
  const ended = once(child, 'exit');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const send = (/** @type {object} */ call) => child.stdin.write(`${JSON.stringify(call)}\n`);
  send({ type: 'get_state' });
  return {
    send,
    /** @param {string} text */
    async waitForLine(text) {
      for (let next = await lines.next(); !next.done; next = await lines.next()) {
        if (next.value.includes('"success":false')) throw new Error(`The warm-up run failed: ${next.value}`);
        if (next.value.includes(text)) return next.value;
      }
      throw new Error(`The warm-up run ended before ${text}`);
    },
    async close() {
      child.stdin.end();
      child.stdout.resume();
      const [code] = await ended;
      if (code !== 0) throw new Error(`The warm-up run ended with exit code ${code}`);
    },
  };
}

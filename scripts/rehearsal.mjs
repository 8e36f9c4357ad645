// Conversations that the program is made to have at build time, so that V8 compiles what most starts and first prompts need:
// with the offline model, and over the common wires with a server of our own on this machine.
// @ts-check
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { WIRES } from './wires.mjs';

const COMPILE = fileURLToPath(new URL('compile.cjs', import.meta.url));
const DELTAS = 20;

/** The wires over which most people talk to their models. */
export const COMMON_WIRES = ['anthropic-messages', 'openai-responses', 'openai-completions'];

/**
 * Leaves the compiled code where the launcher looks for it.
 * @param {string} program
 * @param {readonly string[]} models Wires, or `offline`; one prompt each.
 * @returns {Promise<string[]>} The files of the program that were needed.
 */
export async function rehearse(program, models) {
  const home = await mkdtemp(join(tmpdir(), 'parley-rehearsal-'));
  const compiled = join(
    dirname(program),
    'program',
    `compiled-${process.platform}-${process.arch}-${process.versions.v8}`,
  );
  const server = await serveWires();
  try {
    await rm(compiled, { recursive: true, force: true });
    await writeFile(join(home, 'models.json'), JSON.stringify({ providers: providersAt(server.url) }));
    const actor = openActor(program, compiled, home);
    for (const model of models) await promptOnce(actor, model);
    if (models.includes('offline')) await goOn(actor);
    await actor.leave();
    return await readdir(compiled);
  } finally {
    server.close();
    await rm(home, { recursive: true, force: true });
  }
}

async function serveWires() {
  const server = createServer((request, response) => {
    request.resume();
    const wire = WIRES.find(({ api }) => request.url?.startsWith(`/${api}/`));
    response.writeHead(wire ? 200 : 404, { 'content-type': wire?.type ?? 'text/plain' }).end(wire?.frames(DELTAS));
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
function providersAt(url) {
  const provider = (/** @type {string} */ api) => ({
    baseUrl: `${url}/${api}`,
    apiKey: 'none',
    api,
    models: [{ id: 'rehearsal' }],
  });
  return Object.fromEntries(COMMON_WIRES.map((api) => [api, provider(api)]));
}

/** @typedef {ReturnType<typeof openActor>} Actor */

/**
 * @param {Actor} actor
 * @param {string} model
 */
async function promptOnce({ say, heard }, model) {
  if (model !== 'offline') {
    say({ type: 'set_model', provider: model, modelId: 'rehearsal' });
    await heard('"set_model"');
  }
  say({ type: 'prompt', message: 'run `true`' });
  await heard('"agent_settled"');
}

/**
 * Leaves the session and comes back to it, as a start with `--continue` would.
 * @param {Actor} actor
 */
async function goOn({ say, heard }) {
  say({ type: 'get_session_stats' });
  const { data } = JSON.parse(await heard('"get_session_stats"'));
  say({ type: 'new_session' });
  await heard('"new_session"');
  say({ type: 'switch_session', sessionPath: data.sessionFile });
  await heard('"switch_session"');
}

/**
 * @param {string} program
 * @param {string} compiled
 * @param {string} home
 */
function openActor(program, compiled, home) {
  const child = spawn(process.execPath, [COMPILE, program, compiled], {
    // Neither the user's settings nor flags for Node: V8 takes the code back only under the flags it had.
    env: { PATH: process.env.PATH, HOME: home, PARLEY_DIR: home },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const say = (/** @type {object} */ call) => child.stdin.write(`${JSON.stringify(call)}\n`);
  say({ type: 'get_state' });
  return {
    say,
    /** @param {string} text */
    async heard(text) {
      for (let next = await lines.next(); !next.done; next = await lines.next()) {
        if (next.value.includes('"success":false')) throw new Error(`The rehearsal was refused: ${next.value}`);
        if (next.value.includes(text)) return next.value;
      }
      throw new Error(`The rehearsal ended before ${text}`);
    },
    async leave() {
      child.stdin.end();
      child.stdout.resume();
      const [code] = await ended;
      if (code !== 0) throw new Error(`The rehearsal ended with ${code}`);
    },
  };
}

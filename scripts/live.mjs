// Asks real providers, for whoever has keys: `npm run live`, or `npm run live -- anthropic openai/gpt-5.5`. Costs a little money;
// never part of the tests. Each is to read a file with a tool and to say what stands in it.
// @ts-check
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PATIENCE_MS = 180_000;

/** @type {typeof import('../src/app/sdk.ts')} */
const { createAgentSession, textOf } = await import(new URL('../dist/lib/app/sdk.js', import.meta.url).href);
const cwd = await mkdtemp(join(tmpdir(), 'parley-live-'));
try {
  const wanted = process.argv.length > 2 ? process.argv.slice(2) : await providersWithKeys();
  if (wanted.length === 0) console.error('No provider has a key: set one, for example ANTHROPIC_API_KEY.');
  for (const name of wanted) await tryOut(name);
} finally {
  await rm(cwd, { recursive: true });
}

async function providersWithKeys() {
  const { session, close } = await createAgentSession({
    cwd,
    persist: false,
    onProblem: (text) => console.error(text),
  });
  const models = await session.models.available();
  await close();
  return [...new Set(models.map(({ provider }) => provider))].filter((provider) => provider !== 'parley');
}

/** @param {string} name a provider, or `provider/model` */
async function tryOut(name) {
  const [, provider = name, model] = /^([^/]+)\/(.+)$/.exec(name) ?? [];
  const word = `word-${Math.random().toString(36).slice(2, 10)}`;
  await writeFile(join(cwd, 'note.txt'), `The password is ${word}.\n`);
  try {
    const agent = await createAgentSession({ cwd, provider, model, persist: false, toolNames: ['read'] });
    const timer = setTimeout(() => void agent.session.runs.abort(), PATIENCE_MS);
    try {
      report(name, await conversation(agent, word));
    } finally {
      clearTimeout(timer);
      await agent.close();
    }
  } catch (thrown) {
    report(name, { ok: false, words: thrown instanceof Error ? thrown.message : String(thrown) });
  }
}

/**
 * @param {import('../src/app/sdk.ts').AgentSessionHandle} agent
 * @param {string} word
 */
async function conversation({ session, subscribe, prompt }, word) {
  const begun = Date.now();
  let firstMs = 0;
  let deltas = 0;
  subscribe((event) => {
    if (event.type !== 'message_update') return;
    firstMs ||= Date.now() - begun;
    deltas += 1;
  });
  const messages = await prompt('Read note.txt with your tool and answer with the password in it, and nothing else.');
  const answers = messages.filter((message) => message.role === 'assistant');
  const last = answers.at(-1);
  const said = last ? textOf(last.content) : '';
  const called = messages.some((message) => message.role === 'toolResult' && !message.isError);
  const { tokens, cost } = session.history.stats();
  const current = session.models.current;
  const facts = `${current?.id}: first after ${firstMs} ms, all after ${Date.now() - begun} ms, ${deltas} deltas, ${tokens.total} tokens, $${cost.toFixed(5)}`;
  if (called && said.includes(word)) return { ok: true, words: facts };
  return { ok: false, words: `${facts}; ${last?.errorMessage ?? `said ${JSON.stringify(said.slice(0, 200))}`}` };
}

/**
 * @param {string} name
 * @param {{ ok: boolean, words: string }} outcome
 */
function report(name, { ok, words }) {
  if (!ok) process.exitCode = 1;
  console.log(`${ok ? 'ok  ' : 'FAIL'} ${name}  ${words}`);
}

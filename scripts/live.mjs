// Checks real providers with your API keys: `npm run live`, or `npm run live -- anthropic openai/gpt-5.5`. It costs a little money and is
// not part of the tests. Each model must read a file with a tool and answer with its content.
// @ts-check
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const TIMEOUT_MS = 180_000;

/** @type {typeof import('../src/app/sdk.ts')} */
const { createAgentSession, extractText } = await import(new URL('../dist/lib/app/sdk.js', import.meta.url).href);
const cwd = await mkdtemp(join(tmpdir(), 'parley-live-'));
try {
  const names = process.argv.length > 2 ? process.argv.slice(2) : await providersWithKeys();
  if (names.length === 0) console.error('No provider has an API key. Set one, for example ANTHROPIC_API_KEY.');
  for (const name of names) await checkProvider(name);
} finally {
  await rm(cwd, { recursive: true });
}

async function providersWithKeys() {
  const { session, close } = await createAgentSession({
    cwd,
    persist: false,
    onProblem: (text) => console.error(text),
  });
  const models = await session.models.listAvailable();
  await close();
  return [...new Set(models.map(({ provider }) => provider))].filter((provider) => provider !== 'parley');
}

/** @param {string} name a provider, or `provider/model` */
async function checkProvider(name) {
  const [, provider = name, model] = /^([^/]+)\/(.+)$/.exec(name) ?? [];
  const password = `word-${Math.random().toString(36).slice(2, 10)}`;
  await writeFile(join(cwd, 'note.txt'), `The password is ${password}.\n`);
  try {
    const agent = await createAgentSession({ cwd, provider, model, persist: false, toolNames: ['read'] });
    const timer = setTimeout(() => void agent.session.runs.abort(), TIMEOUT_MS);
    try {
      report(name, await runConversation(agent, password));
    } finally {
      clearTimeout(timer);
      await agent.close();
    }
  } catch (thrown) {
    report(name, { ok: false, text: thrown instanceof Error ? thrown.message : String(thrown) });
  }
}

/**
 * @param {import('../src/app/sdk.ts').AgentSessionHandle} agent
 * @param {string} password
 */
async function runConversation({ session, subscribe, prompt }, password) {
  const startedAt = Date.now();
  let firstMs = 0;
  let deltas = 0;
  subscribe((event) => {
    if (event.type !== 'message_update') return;
    firstMs ||= Date.now() - startedAt;
    deltas += 1;
  });
  const messages = await prompt('Read note.txt with your tool and answer with the password in it, and nothing else.');
  const answers = messages.filter((message) => message.role === 'assistant');
  const last = answers.at(-1);
  const answer = last ? extractText(last.content) : '';
  const hasToolResult = messages.some((message) => message.role === 'toolResult' && !message.isError);
  const { tokens, cost } = session.history.stats();
  const current = session.models.current;
  const facts = `${current?.id}: first delta after ${firstMs} ms, end after ${Date.now() - startedAt} ms, ${deltas} deltas, ${tokens.total} tokens, $${cost.toFixed(5)}`;
  if (hasToolResult && answer.includes(password)) return { ok: true, text: facts };
  return { ok: false, text: `${facts}; ${last?.errorMessage ?? `answered ${JSON.stringify(answer.slice(0, 200))}`}` };
}

/**
 * @param {string} name
 * @param {{ ok: boolean, text: string }} outcome
 */
function report(name, { ok, text }) {
  if (!ok) process.exitCode = 1;
  console.log(`${ok ? 'ok  ' : 'FAIL'} ${name}  ${text}`);
}

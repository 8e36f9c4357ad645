// What many subagents cost: N of them side by side with a model that answers at once, logs and syncs included.
// `npm run bench:subagents -- [--count 100] [--isolated 8]`
// @ts-check
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

/** What was built, which the compiler need not find. @param {string} path */
const built = (path) => import(new URL(`../dist/lib/${path}`, import.meta.url).href);
/** @type {typeof import('../src/app/sdk.ts')} */
const { createAgentSession } = await built('app/sdk.js');
/** @type {typeof import('../src/testing/index.ts')} */
const { createScriptedModels } = await built('testing/index.js');

const { values } = parseArgs({
  options: { count: { type: 'string', default: '100' }, isolated: { type: 'string', default: '8' } },
});

const place = mkdtempSync(join(tmpdir(), 'parley-subagents-'));
try {
  const cwd = join(place, 'work');
  mkdirSync(cwd);
  writeFileSync(join(cwd, 'a.txt'), 'hello\n');
  const git = (/** @type {string[]} */ ...args) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd });
  git('init', '-q');
  git('add', '-A');
  git('commit', '-qm', 'state');
  await measure(cwd, Number(values.count), false);
  await measure(cwd, Number(values.isolated), true);
} finally {
  rmSync(place, { recursive: true, force: true });
}

/**
 * @param {string} cwd
 * @param {number} count
 * @param {boolean} isolated
 */
async function measure(cwd, count, isolated) {
  const tasks = Array.from({ length: count }, (_, n) => ({ id: `T${n}`, assignment: 'read a.txt' }));
  /** @type {import('../src/testing/index.ts').ScriptStep} */
  const step = (request) => {
    const last = request.messages.at(-1);
    const first = JSON.stringify(request.messages[0]?.content);
    if (last?.role === 'toolResult') return { text: 'done' };
    if (!first.includes('"go"')) return { calls: [{ name: 'read', arguments: { path: 'a.txt' } }] };
    return { calls: [{ name: 'task', arguments: { agent: 'task', tasks, isolated } }] };
  };
  const models = createScriptedModels(Array.from({ length: 2 * count + 2 }, () => step));
  const agent = await createAgentSession({
    cwd,
    agentDirectory: join(cwd, '..', 'home'),
    models,
    settings: { 'task.maxConcurrency': count },
  });
  globalThis.gc?.();
  const before = process.memoryUsage().rss;
  let most = before;
  let ends = 0;
  agent.subscribe((event) => {
    if (event.type === 'subagent_end' && event.exitCode === 0) ends += 1;
    most = Math.max(most, process.memoryUsage.rss());
  });
  const began = performance.now();
  const cpu = process.cpuUsage();
  await agent.prompt('go');
  const ms = performance.now() - began;
  const { user, system } = process.cpuUsage(cpu);
  await agent.close();
  const row = {
    subagents: count,
    isolated,
    completed: ends,
    ms: Math.round(ms),
    cpuMs: Math.round((user + system) / 1000),
    rssGrowthMiB: Math.round((most - before) / 1024 / 1024),
    perSubagentKiB: Math.round((most - before) / 1024 / count),
  };
  console.log(JSON.stringify(row));
}

// Measures N parallel subagents with a model that answers immediately, including session files and syncs.
// `npm run bench:subagents -- [--count 100] [--isolated 8]`
// @ts-check
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

/** Imports a built file by URL, so that the type checker does not need it. @param {string} path */
const importBuilt = (path) => import(new URL(`../dist/lib/${path}`, import.meta.url).href);
/** @type {typeof import('../src/app/sdk.ts')} */
const { createAgentSession } = await importBuilt('app/sdk.js');
/** @type {typeof import('../src/testing/index.ts')} */
const { createScriptedModels } = await importBuilt('testing/index.js');

const { values } = parseArgs({
  options: { count: { type: 'string', default: '100' }, isolated: { type: 'string', default: '8' } },
});

const directory = mkdtempSync(join(tmpdir(), 'parley-subagents-'));
try {
  const cwd = join(directory, 'work');
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
  rmSync(directory, { recursive: true, force: true });
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
  let peak = before;
  let completed = 0;
  agent.subscribe((event) => {
    if (event.type === 'subagent_end' && event.exitCode === 0) completed += 1;
    peak = Math.max(peak, process.memoryUsage.rss());
  });
  const startedAt = performance.now();
  const cpu = process.cpuUsage();
  await agent.prompt('go');
  const ms = performance.now() - startedAt;
  const { user, system } = process.cpuUsage(cpu);
  await agent.close();
  const row = {
    subagents: count,
    isolated,
    completed,
    ms: Math.round(ms),
    cpuMs: Math.round((user + system) / 1000),
    rssGrowthMiB: Math.round((peak - before) / 1024 / 1024),
    perSubagentKiB: Math.round((peak - before) / 1024 / count),
  };
  console.log(JSON.stringify(row));
}

// Calls every method of oh-my-pi's RpcClient. It is TypeScript for Bun, so it is bundled here with replacements for what Node lacks.
// Arguments: the package directory, the program, the version.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { build } from 'esbuild';
import { createChecks } from './check.mjs';

const [packageDirectory, program, version] = process.argv.slice(2);
const home = mkdtempSync(join(tmpdir(), 'parley-client-'));
const cwd = join(home, 'project');
mkdirSync(cwd);

globalThis.Bun ??= { env: process.env, sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)) };
Promise.withResolvers ??= () => {
  const settle = {};
  const promise = new Promise((resolve, reject) => Object.assign(settle, { resolve, reject }));
  return { promise, ...settle };
};

const UTILITIES = `
export const isRecord = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
export const ptree = {};
export async function* readJsonl(stream, signal) {
  let rest = '';
  for await (const text of stream.pipeThrough(new TextDecoderStream(), { signal })) {
    const lines = (rest + text).split('\\n');
    rest = lines.pop();
    for (const line of lines) if (line.trim() !== '') yield JSON.parse(line);
  }
}`;

async function loadClient() {
  const outfile = join(home, 'client.mjs');
  await build({
    entryPoints: [join(packageDirectory, 'src/modes/rpc/rpc-client.ts')],
    bundle: true,
    format: 'esm',
    platform: 'node',
    outfile,
    logLevel: 'error',
    plugins: [
      {
        name: 'utilities',
        setup(builder) {
          builder.onResolve({ filter: /^@oh-my-pi\/pi-utils$/ }, ({ path }) => ({ path, namespace: 'utilities' }));
          builder.onLoad({ filter: /.*/, namespace: 'utilities' }, () => ({ contents: UTILITIES }));
        },
      },
    ],
  });
  return (await import(outfile)).RpcClient;
}

/** The process that the client talks to, in the form that it expects. */
function startProgram(programArguments) {
  const child = spawn(process.execPath, [program, ...programArguments], {
    cwd,
    env: { ...process.env, HOME: home, PARLEY_DIR: join(home, 'parley') },
  });
  let stderr = '';
  child.stderr.on('data', (data) => (stderr += data));
  return {
    stdin: { write: (data) => child.stdin.write(data), flush() {}, end: () => child.stdin.end() },
    stdout: Readable.toWeb(child.stdout),
    peekStderr: () => stderr,
    kill: () => child.kill(),
    exited: new Promise((resolve) => child.on('exit', (code) => resolve(code ?? 0))),
  };
}

const RpcClient = await loadClient();
const client = new RpcClient({ spawn: startProgram });
const { check, finish } = createChecks(`oh-my-pi RpcClient ${version}`);
const results = [];
let settledCount = 0;
client.onPromptResult((result) => results.push(result));
client.onSessionSettled(() => (settledCount += 1));

await check('start, with protocol version 2', () => client.start());
const hasState = (s) =>
  s.isSettled === true && s.fastModeEnabled === false && Array.isArray(s.todoPhases) && s.tokensPerSecond === null;
await check('getState', () => client.getState(), hasState);
const hasRun = (events) => ['message_update', 'agent_end'].every((type) => events.some((event) => event.type === type));
await check('promptAndWait', () => client.promptAndWait('say hi'), hasRun);
await check('waitForSettled', () => client.waitForSettled());
await check('promptAndWait with a tool', () => client.promptAndWait('list the files'), hasRun);
await check('prompt', () => client.prompt('say hi').then(() => client.waitForIdle()));
await check(
  'collectEvents',
  async () => {
    const events = client.collectEvents();
    await client.prompt('say hi');
    return events;
  },
  (events) => events.length > 3,
);
await check('steer', () =>
  client
    .prompt('say hi')
    .then(() => client.steer('stop'))
    .then(() => client.waitForSettled()),
);
await check('followUp', () =>
  client
    .prompt('say hi')
    .then(() => client.followUp('then'))
    .then(() => client.waitForSettled()),
);
await check('abort', () => client.prompt('run `sleep 100`').then(() => client.abort()));
await check('abortAndPrompt', () =>
  client
    .prompt('run `sleep 100`')
    .then(() => client.abortAndPrompt('say hi'))
    .then(() => client.waitForSettled()),
);
await check(
  'onPromptResult',
  async () => results,
  (r) => r.length > 7 && r.some(({ status }) => status === 'aborted'),
);
await check(
  'onSessionSettled',
  async () => settledCount,
  (count) => count > 4,
);
await check(
  'getMessages',
  () => client.getMessages(),
  (messages) => messages.length > 4,
);
await check(
  'getMessagesPage',
  () => client.getMessagesPage({ limit: 2 }),
  (page) => page.messages.length === 2,
);
await check(
  'getMessages of more than 1 MiB',
  async () => {
    await client.setAutoCompaction(false);
    writeFileSync(join(cwd, 'large.txt'), `${'x'.repeat(50)}\n`.repeat(900));
    for (let turn = 0; turn < 30; turn += 1) await client.promptAndWait('show me `large.txt`');
    return client.getMessages();
  },
  (messages) => JSON.stringify(messages).length > 2 ** 20,
);
await check(
  'getLastAssistantText',
  () => client.getLastAssistantText(),
  (text) => typeof text === 'string',
);
await check(
  'getSessionStats',
  () => client.getSessionStats(),
  (stats) => stats.totalMessages > 0,
);
const models = await check(
  'getAvailableModels',
  () => client.getAvailableModels(),
  (m) => m.length > 0,
);
await check(
  'setModel',
  () => client.setModel(models[0].provider, models[0].id),
  (m) => m.id === models[0].id,
);
await check(
  'cycleModel',
  () => client.cycleModel(),
  (r) => r === null || r.model,
);
await check('setThinkingLevel', () => client.setThinkingLevel('low'));
await check(
  'cycleThinkingLevel',
  () => client.cycleThinkingLevel(),
  (r) => r === null || r.level,
);
await check('getAvailableThinkingLevels', () => client.getAvailableThinkingLevels(), Array.isArray);
await check(
  'setFastMode',
  () => client.setFastMode(false),
  (r) => r.enabled === false && r.active === false,
);
await check('setSteeringMode', () => client.setSteeringMode('all'));
await check('setFollowUpMode', () => client.setFollowUpMode('all'));
await check('setAutoCompaction', () => client.setAutoCompaction(true));
await check('setAutoRetry', () => client.setAutoRetry(true));
await check('abortRetry', () => client.abortRetry());
await check(
  'bash',
  () => client.bash('echo hi'),
  (r) => r.output.includes('hi') && r.exitCode === 0,
);
await check('abortBash', () => client.abortBash());
await check('getAvailableCommands', () => client.getAvailableCommands(), Array.isArray);
await check(
  'getEntries',
  () => client.getEntries(),
  (r) => r.entries.length > 3 && r.leafId,
);
await check(
  'getTree',
  () => client.getTree(),
  (r) => Array.isArray(r.tree),
);
await check(
  'setEventFilter',
  () => client.setEventFilter(['agent_end', 'agent_settled']),
  (r) => r.length === 2,
);
await check(
  'setEventFilter off',
  () => client.setEventFilter(null),
  (r) => r === null,
);
await check(
  'setSubagentSubscription',
  () => client.setSubagentSubscription('events'),
  (level) => level === 'events',
);
await check('getSubagents', () => client.getSubagents(), Array.isArray);
await check(
  'getLoginProviders',
  () => client.getLoginProviders(),
  (providers) => providers.length > 0,
);
const tool = { name: 'host_time', label: 'Time', description: 'The time', parameters: { type: 'object' } };
const execute = async () => ({ content: [{ type: 'text', text: 'noon' }] });
await check(
  'setCustomTools',
  () => client.setCustomTools([{ ...tool, execute }]),
  (names) => names[0] === 'host_time',
);
await check(
  'exportHtml',
  () => client.exportHtml(join(home, 'page.html')),
  (r) => existsSync(r.path),
);
const points = await check(
  'getBranchMessages',
  () => client.getBranchMessages(),
  (m) => m.length > 1,
);
const { sessionFile } = await client.getState();
await check(
  'branch',
  () => client.branch(points[1].entryId),
  (r) => r.cancelled === false && r.text === points[1].text,
);
await check(
  'switchSession',
  () => client.switchSession(sessionFile),
  (r) => r.cancelled === false,
);
await check(
  'compact',
  () => client.compact(),
  (r) => typeof r.summary === 'string',
);
await check(
  'newSession',
  () => client.newSession(),
  (r) => r.cancelled === false,
);
await check('prompt in the new session', () => client.promptAndWait('say hi'), hasRun);
await check(
  'handoff',
  () => client.handoff('be short'),
  (r) => typeof r.savedPath === 'string',
);
const directory = join(home, 'conversation');
await check(
  'openSession, new',
  () => client.openSession(directory),
  (r) => r.resumed === false && !r.cancelled,
);
await check('prompt in the opened session', () => client.promptAndWait('say hi'), hasRun);
await check('newSession', () => client.newSession());
await check(
  'openSession, again',
  () => client.openSession(directory),
  (r) => r.resumed === true && r.sessionFile,
);
await check('stop', () => client.stop());
finish();

// Calls every method of pi's RpcClient. Arguments: the package directory, the program, the version, more arguments of the program.
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createChecks } from './check.mjs';

const [packageDirectory, program, version, ...programArguments] = process.argv.slice(2);
const { RpcClient } = await import(join(packageDirectory, 'dist/modes/rpc/rpc-client.js'));
const home = mkdtempSync(join(tmpdir(), 'parley-client-'));
const cwd = join(home, 'project');
mkdirSync(cwd);
writeFileSync(join(cwd, 'a.txt'), 'hello\n');
const env = { HOME: home, PARLEY_DIR: join(home, 'parley') };
const client = new RpcClient({ cliPath: program, cwd, env, args: programArguments });
const { check, finish } = createChecks(`pi RpcClient ${version}`);
/** Methods that this version does not have are left out. */
const checkMethod = (method, call, isExpected) =>
  typeof client[method] === 'function' ? check(method, call, isExpected) : undefined;

const reportsDisposition = Number.parseInt(version, 10) >= 1;
const isDisposition = (value) => !reportsDisposition || ['started', 'queued', 'handled'].includes(value);
const IDLE_MS = 15_000;
/** Runs the calls, and waits until the agent is idle. */
const untilIdle = async (calls) => {
  const idle = client.waitForIdle(IDLE_MS);
  const result = await calls();
  await idle;
  return result;
};

await client.start();
const hasState = (s) => s.model && s.isStreaming === false && typeof s.pendingMessageCount === 'number';
await checkMethod('getState', () => client.getState(), hasState);
await checkMethod('setSessionName', () => client.setSessionName('name'));
const hasRun = (events) => ['message_update', 'agent_end'].every((type) => events.some((event) => event.type === type));
await checkMethod('promptAndWait', () => client.promptAndWait('say hi'), hasRun);
await checkMethod('prompt', () => untilIdle(() => client.prompt('list the files')), isDisposition);
await check(
  'prompt during a run',
  () => untilIdle(() => client.prompt('run `sleep 0.4`').then(() => client.prompt('say two', undefined, 'followUp'))),
  isDisposition,
);
await checkMethod(
  'steer',
  () => untilIdle(() => client.prompt('run `sleep 0.4`').then(() => client.steer('stop'))),
  isDisposition,
);
await checkMethod(
  'followUp',
  () => untilIdle(() => client.prompt('run `sleep 0.4`').then(() => client.followUp('then'))),
  isDisposition,
);
await checkMethod('abort', () => client.prompt('run `sleep 100`').then(() => client.abort()));
await check('steer when idle', () => client.steer('later'), isDisposition);
await checkMethod(
  'clearQueue',
  () => client.clearQueue(),
  (q) => Array.isArray(q.steering) && Array.isArray(q.followUp),
);
await checkMethod(
  'getMessages',
  () => client.getMessages(),
  (messages) => messages.length > 2,
);
await checkMethod(
  'getLastAssistantText',
  () => client.getLastAssistantText(),
  (text) => typeof text === 'string',
);
await checkMethod(
  'getSessionStats',
  () => client.getSessionStats(),
  (s) => s.totalMessages > 0 && s.tokens.total >= 0,
);
const models = await checkMethod(
  'getAvailableModels',
  () => client.getAvailableModels(),
  (m) => m.length > 0,
);
const [model] = models ?? [];
await checkMethod(
  'setModel',
  () => client.setModel(model.provider, model.id),
  (m) => m.id === model.id,
);
await checkMethod(
  'cycleModel',
  () => client.cycleModel(),
  (r) => r === null || r.model,
);
await checkMethod('setThinkingLevel', () => client.setThinkingLevel('low'));
await checkMethod(
  'cycleThinkingLevel',
  () => client.cycleThinkingLevel(),
  (r) => r === null || r.level,
);
await checkMethod('getAvailableThinkingLevels', () => client.getAvailableThinkingLevels(), Array.isArray);
for (const mode of ['all', 'one-at-a-time']) {
  await checkMethod('setSteeringMode', () => client.setSteeringMode(mode));
  await checkMethod('setFollowUpMode', () => client.setFollowUpMode(mode));
}
await checkMethod('setAutoCompaction', () => client.setAutoCompaction(true));
await checkMethod('setAutoRetry', () => client.setAutoRetry(true));
await checkMethod('abortRetry', () => client.abortRetry());
await checkMethod(
  'bash',
  () => client.bash('echo hi'),
  (r) => r.output.includes('hi') && r.exitCode === 0,
);
await checkMethod('abortBash', () => client.abortBash());
await checkMethod(
  'exportHtml',
  () => client.exportHtml(join(home, 'page.html')),
  (r) => existsSync(r.path),
);
await checkMethod(
  'getEntries',
  () => client.getEntries(),
  (r) => r.entries.length > 3 && r.leafId,
);
await checkMethod(
  'getTree',
  () => client.getTree(),
  (r) => Array.isArray(r.tree),
);
await checkMethod('getCommands', () => client.getCommands(), Array.isArray);
const points = await checkMethod(
  'getForkMessages',
  () => client.getForkMessages(),
  (m) => m.length > 1,
);
const { sessionFile } = await client.getState();
const isFork = (r) => r.cancelled === false && r.text === points[1].text;
await checkMethod('fork', () => client.fork(points[1].entryId), isFork);
await checkMethod(
  'clone',
  () => client.clone(),
  (r) => r.cancelled === false,
);
await checkMethod(
  'switchSession',
  () => client.switchSession(sessionFile),
  (r) => r.cancelled === false,
);
// The conversation is too short, so the refusal is the expected answer.
const compact = () => client.compact().catch((error) => error.message);
await checkMethod('compact', compact, (r) => r.summary !== undefined || /Nothing to compact|Already/.test(r));
await checkMethod(
  'newSession',
  () => client.newSession(),
  (r) => r.cancelled === false,
);
const collect = async () => {
  const events = client.collectEvents(IDLE_MS);
  await client.prompt('say hello');
  return events;
};
await checkMethod('collectEvents', collect, (events) => events.length > 3);
await checkMethod('waitForIdle', () => untilIdle(() => client.prompt('say hello')));
await checkMethod('stop', () => client.stop());
finish();

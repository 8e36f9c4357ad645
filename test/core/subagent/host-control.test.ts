// Subagents that the host starts, steers, stops and continues: nothing is lost or widened, and nothing is left behind.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type AgentSessionHandle,
  type AgentSessionOptions,
  createAgentSession,
  createMemoryStore,
} from '../../../src/app/sdk.ts';
import { createDeferred } from '../../../src/base/index.ts';
import type { SessionLog, SessionStore } from '../../../src/contracts/index.ts';
import type { AgentEvent } from '../../../src/protocol/index.ts';
import { createScriptedModels, type ScriptedModels, type ScriptStep } from '../../../src/testing/index.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { TestRepository } from './repository.ts';

let repo: TestRepository;
const agents: AgentSessionHandle[] = [];
beforeEach(() => {
  repo = new TestRepository();
  repo.write('a.txt', 'a\n');
  repo.write('secret.txt', 'canary\n');
  repo.commit();
});
afterEach(async () => {
  await Promise.all(agents.splice(0).map((agent) => agent.close()));
  repo.close();
});

interface Opened {
  readonly agent: AgentSessionHandle;
  readonly models: ScriptedModels;
  readonly events: AgentEvent[];
  readonly subagents: AgentSessionHandle['session']['subagents'];
}

async function open(script: readonly ScriptStep[], options: AgentSessionOptions = {}): Promise<Opened> {
  const models = createScriptedModels(script);
  const agent = await createAgentSession({
    ...{ cwd: repo.root, agentDirectory: join(repo.directory, 'home'), home: repo.directory, models },
    ...options,
  });
  agents.push(agent);
  const events: AgentEvent[] = [];
  agent.subscribe((event) => void events.push(event));
  return { agent, models, events, subagents: agent.session.subagents };
}

const typesOf = (events: readonly AgentEvent[], id: string) =>
  events.flatMap((event) =>
    /^subagent_(start|end)$/.test(event.type) && 'id' in event && event.id === id ? event.type : [],
  );
const bash = (command: string) => ({ calls: [{ name: 'bash', arguments: { command } }] });
const read = (path: string) => ({ calls: [{ name: 'read', arguments: { path } }] });
const readMessages = async ({ subagents }: Opened, subagentId: string) =>
  (await subagents.readTranscript({ subagentId })).messages;

describe('starting', () => {
  test('the subagent begins its work when its start is recorded', async () => {
    let recorded = Promise.resolve();
    const memory = createMemoryStore();
    const store: SessionStore = {
      ...memory,
      create(header) {
        const log = memory.create(header);
        const append: SessionLog['append'] = async (entries) => {
          const isStart = entries.some((entry) => entry.type === 'custom' && entry.customType === 'parley.subagent');
          if (isStart) await recorded;
          return log.append(entries);
        };
        return { ...log, append };
      },
    };
    const { subagents, models, events } = await open([{ text: 'one' }, { text: 'two' }], { store });
    // The first one loads all modules.
    await subagents.start({ agent: 'explore', assignment: 'Say one' });
    await subagents.waitUntilIdle();
    const recording = createDeferred();
    recorded = recording.promise;
    const started = subagents.start({ agent: 'explore', assignment: 'Say two' });
    await waitUntil(() => events.filter(({ type }) => type === 'subagent_start').length === 2);
    for (let i = 0; i < 1000; i++) await new Promise<void>((resolve) => setImmediate(resolve));
    const requestCount = models.requests.length;
    recording.resolve();
    expect(requestCount).toBe(1);
    const id = await started;
    expect(typesOf(events, id)).toEqual(['subagent_start']);
    await subagents.waitUntilIdle();
    expect(typesOf(events, id)).toEqual(['subagent_start', 'subagent_end']);
  });
});

describe('steering', () => {
  test('every accepted message is delivered exactly once, until the last moment of the run', async () => {
    const accepted: string[] = [];
    const refused: string[] = [];
    const opened = await open(Array.from({ length: 60 }, () => ({ text: ['o', 'k'] })));
    const { agent, subagents } = opened;
    let count = 0;
    const calls: Promise<void>[] = [];
    // Each event of the subagent, also its last ones, sends a message, up to 20 of them.
    agent.subscribe((event) => {
      if (event.type !== 'subagent_event' && event.type !== 'subagent_end') return;
      if (count === 20 && event.type === 'subagent_event') return;
      const message = `message ${count++}`;
      calls.push(
        subagents.steer('explore', message).then(
          () => void accepted.push(message),
          () => void refused.push(message),
        ),
      );
    });
    await subagents.start({ agent: 'explore', assignment: 'go' });
    await subagents.waitUntilIdle();
    await Promise.all(calls);
    const delivered = (await readMessages(opened, 'explore')).flatMap((message) =>
      message.role === 'user' ? (JSON.stringify(message.content).match(/message \d+/g) ?? []) : [],
    );
    expect(delivered.toSorted()).toEqual(accepted.toSorted());
    expect(accepted.length).toBeGreaterThan(10);
    // The message after subagent_end.
    expect(refused.length).toBeGreaterThan(0);
  });

  test('a subagent whose work is verified takes no messages, and can be stopped: its change is kept', async () => {
    const opened = await open([
      { calls: [{ name: 'write', arguments: { path: 'b.txt', content: 'b\n' } }] },
      { text: 'x' },
    ]);
    const { subagents, events } = opened;
    const verify = { commands: [{ name: 'slow', command: 'sleep 1000' }] };
    const id = await subagents.start({ agent: 'task', assignment: 'go', isolated: true, verify });
    await waitUntil(() => events.some(({ type }) => type === 'subagent_verification_command_start'));
    await expect(subagents.steer(id, 'more')).rejects.toThrow(
      `Subagent ${id} takes no more messages: its run has ended.`,
    );
    await subagents.stop(id, 'too slow');
    await subagents.waitUntilIdle();
    const [ended] = await subagents.listEnded();
    expect(ended).toMatchObject({ status: 'aborted', error: 'Stopped by the host: too slow', abortReason: 'stopped' });
    expect(readFileSync(ended?.patchPath ?? '', 'utf8')).toContain('b.txt');
    expect(existsSync(join(repo.root, 'b.txt'))).toBe(false);
    expect(repo.sh('git worktree list').trim().split('\n')).toHaveLength(1);
  });
});

describe('stopping', () => {
  test('ends the processes of the subagent and of its own subagents, and only these', async () => {
    const call = (agent: string, id: string) => ({
      name: 'task',
      arguments: { agent, tasks: [{ id, assignment: id }] },
    });
    const script: ScriptStep = ({ messages }) => {
      const text = JSON.stringify(messages[0]?.content);
      if (messages.length > 1) return { text: 'done' };
      if (text.includes('"Outer"')) return { calls: [call('quick_task', 'Inner')] };
      if (text.includes('"Other"')) return { text: ['o', 'ther'], hold: 'other', holdAfter: 1 };
      return bash('echo $$ > pid; exec sleep 1000');
    };
    writeFileSync(join(repo.root, 'pid'), '');
    const { subagents, models, events } = await open(Array.from({ length: 9 }, () => script));
    const outer = await subagents.start({ agent: 'task', assignment: 'Outer' });
    const other = await subagents.start({ agent: 'explore', assignment: 'Other' });
    const readPid = () => Number(readFileSync(join(repo.root, 'pid'), 'utf8'));
    await waitUntil(() => readPid() > 0);
    const isAlive = () => existsSync(`/proc/${readPid()}`);
    expect(isAlive()).toBe(true);
    await subagents.stop(outer);
    await waitUntil(() => !isAlive());
    expect(subagents.list().map(({ id }) => id)).toEqual([other]);
    for (const id of [outer, `${outer}.Inner`]) expect(typesOf(events, id)).toEqual(['subagent_start', 'subagent_end']);
    models.release('other');
    await subagents.waitUntilIdle();
    expect(await subagents.listEnded()).toMatchObject([
      { id: `${outer}.Inner`, status: 'aborted' },
      { id: outer, status: 'aborted', error: 'Stopped by the host' },
      { id: other, status: 'completed' },
    ]);
  });

  test('closing the session ends everything that the host has started', async () => {
    const { agent, subagents, events } = await open([bash('sleep 1000'), bash('sleep 1000')]);
    await subagents.start({ agent: 'task', assignment: 'one', isolated: true });
    await subagents.start({ agent: 'task', assignment: 'two' });
    await agent.close();
    for (const id of ['task', 'task-2']) expect(typesOf(events, id)).toEqual(['subagent_start', 'subagent_end']);
    expect(repo.sh('git worktree list').trim().split('\n')).toHaveLength(1);
    const [repository] = readdirSync(join(repo.directory, 'home/worktrees'));
    expect(readdirSync(join(repo.directory, 'home/worktrees', repository ?? ''))).toEqual([]);
    await expect(subagents.start({ agent: 'task', assignment: 'three' })).rejects.toThrow('The session is closed.');
  });
});

describe('restrictions', () => {
  test('rules, hooks and selected tools hold for subagents that are started and continued', async () => {
    const settings = { 'permissions.deny': ['read(secret.txt)'] };
    const opened = await open([read('secret.txt'), { text: 'no' }, read('secret.txt'), { text: 'still no' }], {
      settings,
    });
    const { agent, subagents, models } = opened;
    const id = await subagents.start({ agent: 'task', assignment: 'read it' });
    await subagents.waitUntilIdle();
    agent.session.tools.select(['read', 'task']);
    await subagents.resume(id, 'try again');
    await subagents.waitUntilIdle();
    const results = (await readMessages(opened, id)).filter(({ role }) => role === 'toolResult');
    expect(results).toHaveLength(2);
    for (const result of results) expect(JSON.stringify(result)).toContain('denies');
    expect(models.requests.map(({ tools }) => tools.some(({ name }) => name === 'bash'))).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  test.each<[string, AgentSessionOptions, string]>([
    ['an excluded tool', { excludedTools: ['task'] }, 'the task tool is not active'],
    ['a rule about the tool', { settings: { 'permissions.deny': ['task'] } }, 'denies'],
    ['a hook', { hooks: [{ toolCall: async () => ({ block: true as const, reason: 'Not today.' }) }] }, 'Not today.'],
    ['a disabled agent', { settings: { 'task.disabledAgents': ['explore'] } }, 'is disabled in settings'],
  ])('%s refuses to start and to continue', async (_, options, message) => {
    const first = await open([{ text: 'one' }]);
    await first.subagents.start({ agent: 'explore', assignment: 'go' });
    await first.subagents.waitUntilIdle();
    const session = first.agent.session.file as string;
    await first.agent.close();
    const { subagents, models } = await open([{ text: 'two' }], { ...options, session });
    await expect(subagents.start({ agent: 'explore', assignment: 'go' })).rejects.toThrow(message);
    await expect(subagents.resume('explore', 'go on')).rejects.toThrow(message);
    expect(models.requests).toEqual([]);
  });

  test('commands for the verification need the shell tool', async () => {
    const { agent, subagents } = await open([]);
    agent.session.tools.select(['read', 'task']);
    const verify = { commands: [{ name: 'x', command: 'true' }] };
    await expect(subagents.start({ agent: 'task', assignment: 'x', isolated: true, verify })).rejects.toThrow(
      'verify.commands needs the tool bash',
    );
  });
});

describe('continuing', () => {
  test('two calls at the same time continue it once', async () => {
    const { subagents, events } = await open([{ text: 'one' }, { text: 'two' }]);
    await subagents.start({ agent: 'explore', assignment: 'go' });
    await subagents.waitUntilIdle();
    const calls = await Promise.allSettled(['a', 'b'].map((message) => subagents.resume('explore', message)));
    expect(calls.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    await subagents.waitUntilIdle();
    expect(typesOf(events, 'explore')).toHaveLength(4);
  });

  test('a nested subagent of an isolated one is refused: the copy that it worked in is gone', async () => {
    const call = { name: 'task', arguments: { agent: 'explore', tasks: [{ id: 'Inner', assignment: 'look' }] } };
    const { subagents } = await open([{ calls: [call] }, { text: 'seen' }, { text: 'done' }]);
    await subagents.start({ agent: 'task', assignment: 'go', isolated: true });
    await subagents.waitUntilIdle();
    await expect(subagents.resume('task.Inner', 'again')).rejects.toThrow(
      'It worked in the copy of the repository of task, which has been removed.',
    );
  });

  test('a continued subagent that is stopped keeps the patch of its earlier run', async () => {
    const write = (content: string) => ({ calls: [{ name: 'write', arguments: { path: 'a.txt', content } }] });
    const { subagents, models } = await open([write('b\n'), { text: 'x', hold: 'h' }, bash('sleep 1000')]);
    const id = await subagents.start({ agent: 'task', assignment: 'go', isolated: true });
    await models.waitForHold('h');
    repo.write('a.txt', 'mine\n');
    models.release('h');
    await subagents.waitUntilIdle();
    repo.write('a.txt', 'a\n');
    await subagents.resume(id, 'more');
    await subagents.stop(id);
    await subagents.waitUntilIdle();
    const [ended] = await subagents.listEnded();
    expect(ended).toMatchObject({ status: 'aborted', applied: false });
    expect(readFileSync(ended?.patchPath ?? '', 'utf8')).toContain('+b');
    expect(readFileSync(join(repo.root, 'a.txt'), 'utf8')).toBe('a\n');
  });

  test('an invalid record is ignored', async () => {
    const first = await open([{ text: 'one' }]);
    await first.subagents.start({ agent: 'explore', assignment: 'go' });
    await first.subagents.waitUntilIdle();
    const session = first.agent.session.file as string;
    await first.agent.close();
    const record = join(session.replace(/\.jsonl$/, ''), 'explore.result.json');
    const text = readFileSync(record, 'utf8');
    for (const invalid of [
      '',
      '[]',
      text.replace('"format":1', '"format":9'),
      text.replaceAll('"explore"', '"../x"'),
    ]) {
      writeFileSync(record, invalid);
      const { agent, subagents } = await open([], { session });
      expect(await subagents.listEnded()).toEqual([]);
      await expect(subagents.resume('explore', 'x')).rejects.toThrow('Unknown subagent: explore');
      await agent.close();
    }
  });
});

// What a session has spent is in its log: whoever goes on with it, after a crash too, finds it, wherever the conversation stands.
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type AgentSessionHandle, createAgentSession, type SettingValues } from '../../../src/app/sdk.ts';
import type { SessionEntry, Usage } from '../../../src/protocol/index.ts';
import { createScriptedModels, createScriptedTools, type ScriptStep } from '../../../src/testing/index.ts';

let directory: string;
const opened: AgentSessionHandle[] = [];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'parley-budget-'));
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((agent) => agent.close()));
  rmSync(directory, { recursive: true });
});

const LIMITS: Partial<SettingValues> = { 'task.budget.maxInputTokens': 1000, 'task.budget.maxSubagents': 10 };

async function open(script: ScriptStep[], session?: string, settings = LIMITS): Promise<AgentSessionHandle> {
  const agent = await createAgentSession({
    cwd: directory,
    agentDirectory: join(directory, 'home'),
    models: createScriptedModels(script),
    tools: createScriptedTools([{ name: 'note', text: 'noted' }]).tools,
    settings,
    ...(session === undefined ? {} : { session }),
  });
  opened.push(agent);
  return agent;
}

const input = (tokens: number): Partial<Usage> => ({ input: tokens });
const entriesIn = (file: string) =>
  readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as SessionEntry);
const spentIn = (file: string) =>
  entriesIn(file).flatMap((entry) =>
    entry.type === 'custom' && entry.customType === 'parley.budget' ? [entry.data as { inputTokens: number }] : [],
  );

test('at whatever event the program is killed: what the host heard of has been kept', async () => {
  const calls = [{ name: 'note' }];
  const agent = await open([
    { calls, usage: input(100) },
    { calls: [...calls, ...calls], usage: input(20) },
    { calls: [{ name: 'task', arguments: { agent: 'task', tasks: [{ id: 'A', assignment: 'x' }] } }], usage: input(3) },
    { text: 'sub', usage: input(500) },
    { text: 'done', usage: input(77) },
  ]);
  let heard = 0;
  let copies = 0;
  const crashes: { copy: string; heard: number }[] = [];
  agent.subscribe((event) => {
    if (event.type === 'message_end' && event.message.role === 'assistant') heard += event.message.usage.input;
    const { file = '' } = agent.session;
    if (heard === 0) return;
    const copy = join(directory, `crash-${++copies}.jsonl`);
    copyFileSync(file, copy);
    crashes.push({ copy, heard });
  });
  await agent.prompt('go');
  expect(crashes.length).toBeGreaterThan(15);
  for (const crash of crashes) expect(spentIn(crash.copy).at(-1)?.inputTokens).toBeGreaterThanOrEqual(crash.heard);
  const { file = '' } = agent.session;
  await agent.close();
  expect(spentIn(file).at(-1)).toMatchObject({ inputTokens: 700, toolCalls: 4, subagents: 1 });
  const next = await open([{ text: 'x', usage: input(300) }], file);
  await next.prompt('more');
  await expect(next.prompt('again')).rejects.toThrow('Session budget exceeded (input_tokens)');
});

test('going to another place of the same conversation is no way to spend it twice, nor is going on from there', async () => {
  const agent = await open([
    { text: 'one', usage: input(300) },
    { text: 'two', usage: input(400) },
    { text: 'three', usage: input(200) },
  ]);
  await agent.prompt('first');
  await agent.prompt('second');
  const { entries } = await agent.session.history.entries();
  const first = entries.find((entry) => entry.type === 'message' && entry.message.role === 'assistant');
  await agent.session.history.moveTo(first?.id ?? '');
  const moved = join(directory, 'moved.jsonl');
  copyFileSync(agent.session.file ?? '', moved);
  expect(spentIn(moved).at(-1)?.inputTokens).toBe(700);
  await agent.prompt('other');
  expect(spentIn(agent.session.file ?? '').at(-1)?.inputTokens).toBe(900);
  const next = await open([{ text: 'x', usage: input(300) }], moved);
  await next.prompt('on');
  await expect(next.prompt('again')).rejects.toThrow('Session budget exceeded (input_tokens)');
});

test('without a limit nothing of it is in the log', async () => {
  const agent = await open([{ text: 'one', usage: input(300) }], undefined, {});
  await agent.prompt('first');
  expect(entriesIn(agent.session.file ?? '').filter(({ type }) => type === 'custom')).toEqual([]);
});

test('a limit that is raised lets the session go on', async () => {
  const agent = await open([{ text: 'one', usage: input(1000) }]);
  await agent.prompt('first');
  const { file = '' } = agent.session;
  await agent.close();
  const same = await open([], file);
  await expect(same.prompt('again')).rejects.toThrow('Session budget exceeded (input_tokens)');
  await same.close();
  const more = await open([{ text: 'two' }], file, { 'task.budget.maxInputTokens': 2000 });
  await more.prompt('again');
});

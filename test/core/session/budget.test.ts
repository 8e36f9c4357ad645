// The spending of a session is stored in its log, survives a crash, and is counted on all branches.
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type AgentSessionHandle, createAgentSession, type SettingValues } from '../../../src/app/sdk.ts';
import type { SessionEntry, Usage } from '../../../src/protocol/index.ts';
import { createScriptedModels, createScriptedTools, type ScriptStep } from '../../../src/testing/index.ts';

let directory: string;
const openAgents: AgentSessionHandle[] = [];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'parley-budget-'));
});
afterEach(async () => {
  await Promise.all(openAgents.splice(0).map((agent) => agent.close()));
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
  openAgents.push(agent);
  return agent;
}

const inputUsage = (tokens: number): Partial<Usage> => ({ input: tokens });
const readEntries = (file: string) =>
  readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as SessionEntry);
const readSpendings = (file: string) =>
  readEntries(file).flatMap((entry) =>
    entry.type === 'custom' && entry.customType === 'parley.budget' ? [entry.data as { inputTokens: number }] : [],
  );

test('at every event the log contains at least the spending that the host has received', async () => {
  const calls = [{ name: 'note' }];
  const agent = await open([
    { calls, usage: inputUsage(100) },
    { calls: [...calls, ...calls], usage: inputUsage(20) },
    {
      calls: [{ name: 'task', arguments: { agent: 'task', tasks: [{ id: 'A', assignment: 'x' }] } }],
      usage: inputUsage(3),
    },
    { text: 'sub', usage: inputUsage(500) },
    { text: 'done', usage: inputUsage(77) },
  ]);
  let reportedTokens = 0;
  let copyCount = 0;
  const crashes: { copy: string; reportedTokens: number }[] = [];
  agent.subscribe((event) => {
    if (event.type === 'message_end' && event.message.role === 'assistant') reportedTokens += event.message.usage.input;
    const { file = '' } = agent.session;
    if (reportedTokens === 0) return;
    const copy = join(directory, `crash-${++copyCount}.jsonl`);
    copyFileSync(file, copy);
    crashes.push({ copy, reportedTokens });
  });
  await agent.prompt('go');
  expect(crashes.length).toBeGreaterThan(15);
  for (const crash of crashes)
    expect(readSpendings(crash.copy).at(-1)?.inputTokens).toBeGreaterThanOrEqual(crash.reportedTokens);
  const { file = '' } = agent.session;
  await agent.close();
  expect(readSpendings(file).at(-1)).toMatchObject({ inputTokens: 700, toolCalls: 4, subagents: 1 });
  const next = await open([{ text: 'x', usage: inputUsage(300) }], file);
  await next.prompt('more');
  await expect(next.prompt('again')).rejects.toThrow('Session budget exceeded (input_tokens)');
});

test('moving to another branch does not reset the spending, even if the session is resumed there', async () => {
  const agent = await open([
    { text: 'one', usage: inputUsage(300) },
    { text: 'two', usage: inputUsage(400) },
    { text: 'three', usage: inputUsage(200) },
  ]);
  await agent.prompt('first');
  await agent.prompt('second');
  const { entries } = await agent.session.history.entries();
  const first = entries.find((entry) => entry.type === 'message' && entry.message.role === 'assistant');
  await agent.session.history.moveTo(first?.id ?? '');
  const moved = join(directory, 'moved.jsonl');
  copyFileSync(agent.session.file ?? '', moved);
  expect(readSpendings(moved).at(-1)?.inputTokens).toBe(700);
  await agent.prompt('other');
  expect(readSpendings(agent.session.file ?? '').at(-1)?.inputTokens).toBe(900);
  const next = await open([{ text: 'x', usage: inputUsage(300) }], moved);
  await next.prompt('on');
  await expect(next.prompt('again')).rejects.toThrow('Session budget exceeded (input_tokens)');
});

test('without a limit the log contains no spending entries', async () => {
  const agent = await open([{ text: 'one', usage: inputUsage(300) }], undefined, {});
  await agent.prompt('first');
  expect(readEntries(agent.session.file ?? '').filter(({ type }) => type === 'custom')).toEqual([]);
});

test('a session continues after its limit is raised', async () => {
  const agent = await open([{ text: 'one', usage: inputUsage(1000) }]);
  await agent.prompt('first');
  const { file = '' } = agent.session;
  await agent.close();
  const sameLimit = await open([], file);
  await expect(sameLimit.prompt('again')).rejects.toThrow('Session budget exceeded (input_tokens)');
  await sameLimit.close();
  const higherLimit = await open([{ text: 'two' }], file, { 'task.budget.maxInputTokens': 2000 });
  await higherLimit.prompt('again');
});

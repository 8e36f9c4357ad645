// Encodes the events of real runs with a scripted model, real tools and subagents, and compares them with the replay.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SessionUpdate } from '@agentclientprotocol/sdk';
import { expect, test } from 'vitest';
import { createSystemPorts } from '../../../../src/app/system-ports/index.ts';
import type { AgentSession } from '../../../../src/contracts/index.ts';
import { acpEvents, encodeHistory, SessionUpdateEncoder } from '../../../../src/dialects/acp/updates/index.ts';
import { defaultSettings } from '../../../../src/settings/settings-table.ts';
import {
  createCountingIds,
  createFakeClock,
  createScriptedModels,
  type ScriptStep,
} from '../../../../src/testing/index.ts';
import { createSingleSessionAgent } from '../../../../src/testing/scenario-agent.ts';
import { createTemporaryDirectory } from '../../../support/temporary-directory.ts';
import { allCapabilities, validated } from './updates-fixture.ts';

interface Run {
  readonly live: readonly SessionUpdate[];
  readonly replayed: readonly SessionUpdate[];
  readonly stopReason: string;
  readonly cwd: string;
}

async function run(
  script: readonly ScriptStep[],
  settings: Record<string, unknown> = {},
  maxTurns?: number,
): Promise<Run> {
  const directory = createTemporaryDirectory();
  const cwd = join(directory, 'work');
  await mkdir(cwd, { recursive: true });
  await writeFile(join(cwd, 'a.txt'), 'one\nsame\n');
  const clock = createFakeClock();
  const agent = await createSingleSessionAgent(
    {
      cwd,
      agentDirectory: join(directory, 'home'),
      home: join(directory, 'user'),
      env: {},
      settings: { ...defaultSettings, ...settings },
      ports: { ...createSystemPorts({}), clock, ids: createCountingIds() },
      models: createScriptedModels(script, { now: () => clock.now() }),
      maxTurns,
    },
    'flag',
  );
  const session = agent.session as AgentSession;
  const encoder = new SessionUpdateEncoder(session, allCapabilities);
  const live: SessionUpdate[] = [];
  session.subscribe((event) => {
    const updates = encoder.encode(event).map(validated);
    if (updates.length > 0) expect(acpEvents).toContain(event.type);
    live.push(...updates);
  });
  await session.runs.prompt({ message: 'Go', onAccepted() {} });
  const { entries, leafId } = await session.history.entries();
  const replayed = [...encodeHistory(entries, leafId, { cwd })].map(validated);
  await agent.close();
  return { live, replayed, stopReason: encoder.getStopReason(), cwd };
}

/** What the client shows at the end: texts of the agent, and each call with all its fields. */
function summarize(updates: readonly SessionUpdate[]) {
  const calls = new Map<string, Record<string, unknown>>();
  let [text, thought] = ['', ''];
  for (const update of updates) {
    if (update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text') text += update.content.text;
    if (update.sessionUpdate === 'agent_thought_chunk' && update.content.type === 'text')
      thought += update.content.text;
    if (!('toolCallId' in update)) continue;
    const { sessionUpdate: _, ...fields } = update;
    calls.set(update.toolCallId, { ...calls.get(update.toolCallId), ...fields });
  }
  const plan = updates.findLast(({ sessionUpdate }) => sessionUpdate === 'plan');
  return { text, thought, plan, calls: Object.fromEntries(calls) };
}

test('a run with real tools: the client shows the same after it and after a replay', async () => {
  const todos = [{ content: 'Fix', status: 'in_progress' }];
  const { live, replayed, stopReason, cwd } = await run(
    [
      {
        thinking: ['Let me ', 'see.'],
        text: ['I ', 'look.'],
        calls: [
          { id: 'c1', name: 'read', arguments: { path: 'a.txt', limit: 1 } },
          { id: 'c2', name: 'edit', arguments: { path: 'a.txt', oldText: 'one', newText: 'two' } },
          { id: 'c3', name: 'write', arguments: { path: 'b.txt', content: 'new\n' } },
        ],
      },
      {
        calls: [
          { id: 'c4', name: 'bash', arguments: { command: 'cat a.txt; exit 3' } },
          { id: 'c5', name: 'todo_write', arguments: { todos } },
          { id: 'c6', name: 'teleport', arguments: {} },
        ],
      },
      { text: 'Done.', usage: { input: 10, output: 5 } },
    ],
    { 'todo.enabled': true, 'todo.reminders': false },
  );
  const shown = summarize(live);
  expect(shown).toMatchObject({
    text: 'I look.Done.',
    thought: 'Let me see.',
    calls: {
      c1: { title: 'Read a.txt:1-1', status: 'completed', kind: 'read', locations: [{ path: join(cwd, 'a.txt') }] },
      c2: {
        status: 'completed',
        content: [{ type: 'diff', path: join(cwd, 'a.txt'), oldText: 'one\nsame', newText: 'two\nsame' }],
      },
      c3: { status: 'completed', content: [{ type: 'diff', path: join(cwd, 'b.txt'), newText: 'new\n' }] },
      c4: { title: '`cat a.txt; exit 3`', status: 'failed', kind: 'execute' },
      c6: { status: 'failed' },
    },
  });
  expect(JSON.stringify(shown.calls.c4?.content)).toContain('two\\nsame');
  expect(summarize(replayed)).toEqual(shown);
  expect(replayed[0]).toMatchObject({ sessionUpdate: 'user_message_chunk', content: { text: 'Go' } });
  expect(live.some(({ sessionUpdate }) => sessionUpdate === 'user_message_chunk')).toBe(false);
  expect(stopReason).toBe('end_turn');
});

test('subagents: their calls and texts belong to the task call', async () => {
  const { live, replayed } = await run([
    {
      calls: [
        { id: 'c1', name: 'task', arguments: { agent: 'task', tasks: [{ id: 'One', assignment: 'Look into it' }] } },
      ],
    },
    { text: 'I read.', calls: [{ id: 'c1', name: 'read', arguments: { path: 'a.txt' } }] },
    { text: 'The subagent is done.' },
    { text: 'All done.' },
  ]);
  const { text, calls } = summarize(live);
  expect(text).toBe('All done.');
  const [nestedId] = Object.keys(calls).filter((id) => id !== 'c1');
  expect(calls[nestedId ?? '']).toMatchObject({
    title: 'Read a.txt',
    status: 'completed',
    _meta: { parley: { parentToolCallId: 'c1' } },
  });
  expect(calls.c1).toMatchObject({ title: 'Delegate to task: Look into it', status: 'completed' });
  expect(JSON.stringify(live)).toContain('running\\n\\nI read.');
  expect(summarize(replayed).calls).toEqual({ c1: calls.c1 });
});

test('a turn limit ends the run with max_turn_requests', async () => {
  const { live, stopReason } = await run([{ calls: [{ name: 'ls' }] }, { text: 'never' }], {}, 1);
  expect(stopReason).toBe('max_turn_requests');
  expect(live.at(-1)).toMatchObject({ sessionUpdate: 'notice', severity: 'warning' });
});

test('an answer that is cut inside a tool call fails the call', async () => {
  const { live, stopReason } = await run([
    { text: 'x', calls: [{ id: 'c1', name: 'bash', arguments: { command: 'ls' } }], stopReason: 'length' },
    { text: 'y', stopReason: 'length' },
  ]);
  expect(summarize(live)).toMatchObject({ text: 'xy', calls: { c1: { status: 'failed' } } });
  expect(stopReason).toBe('max_tokens');
});

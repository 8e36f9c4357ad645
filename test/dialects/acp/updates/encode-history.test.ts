// Tests of stored conversations as updates.
import type { SessionUpdate } from '@agentclientprotocol/sdk';
import { expect, test } from 'vitest';
import { encodeHistory } from '../../../../src/dialects/acp/updates/index.ts';
import type { AgentMessage, SessionEntry } from '../../../../src/protocol/index.ts';
import { CWD, createAnswer, validated } from './updates-fixture.ts';

type Body = { type: string; parentId?: string | null; id?: string; [field: string]: unknown };

/** Each entry follows the one before it, unless it names its parent. */
function createLog(bodies: readonly Body[]): SessionEntry[] {
  return bodies.map((body, index) => {
    const parentId = index === 0 ? null : (bodies[index - 1]?.id ?? `e${index - 1}`);
    return { id: `e${index}`, parentId, timestamp: '2026-01-01T00:00:00Z', ...body } as unknown as SessionEntry;
  });
}

const message = (value: AgentMessage): Body => ({ type: 'message', message: value });
const user = (content: string): Body => message({ role: 'user', content, timestamp: 1 });
const call = (id: string, name: string, args: Record<string, unknown> = {}) => ({
  ...{ type: 'toolCall' as const, id, name, arguments: args },
});
const result = (toolCallId: string, toolName: string, text: string, rest: object = {}): Body =>
  message({
    ...{ role: 'toolResult', toolCallId, toolName, content: [{ type: 'text', text }], isError: false, timestamp: 1 },
    ...rest,
  } as AgentMessage);

function replay(bodies: readonly Body[], leafId?: string | null, compaction = false): SessionUpdate[] {
  const entries = createLog(bodies);
  const leaf = leafId === undefined ? (entries.at(-1)?.id ?? null) : leafId;
  return [...encodeHistory(entries, leaf, { cwd: CWD, capabilities: { compaction } })].map(validated);
}

test('a conversation is replayed in its order, with one id per message', () => {
  const updates = replay([
    user('Fix it'),
    message(
      createAnswer([
        { type: 'thinking', thinking: 'Hm' },
        { type: 'text', text: 'I look.' },
        call('c1', 'read', { path: 'a.ts' }),
        call('c2', 'bash', { command: 'false' }),
      ]),
    ),
    result('c1', 'read', 'one'),
    result('c2', 'bash', 'Command exited with code 1', { isError: true }),
    message(createAnswer([{ type: 'text', text: 'Done.' }])),
  ]);
  expect(updates).toMatchObject([
    { sessionUpdate: 'user_message_chunk', messageId: 'e0', content: { text: 'Fix it' } },
    { sessionUpdate: 'agent_thought_chunk', messageId: 'e1', content: { text: 'Hm' } },
    { sessionUpdate: 'agent_message_chunk', messageId: 'e1', content: { text: 'I look.' } },
    {
      sessionUpdate: 'tool_call',
      toolCallId: 'c1',
      title: 'Read a.ts',
      kind: 'read',
      status: 'completed',
      rawInput: {},
    },
    {
      sessionUpdate: 'tool_call',
      toolCallId: 'c2',
      status: 'failed',
      rawOutput: { text: 'Command exited with code 1' },
    },
    { sessionUpdate: 'agent_message_chunk', messageId: 'e4', content: { text: 'Done.' } },
  ]);
  expect(updates).toHaveLength(6);
});

test('only the branch of the leaf is replayed', () => {
  const log = [user('Hi'), { ...user('left'), id: 'left' }, { ...user('right'), id: 'right', parentId: 'e0' }];
  const texts = (leaf: string | null) =>
    replay(log, leaf).map((update) => ('content' in update ? (update.content as { text: string }).text : ''));
  expect(texts('left')).toEqual(['Hi', 'left']);
  expect(texts('right')).toEqual(['Hi', 'right']);
  expect(texts(null)).toEqual([]);
  expect(texts('unknown')).toEqual([]);
});

test('what is before a compaction is replayed; the compaction itself only for clients that support it', () => {
  const log = [
    user('Before'),
    { type: 'compaction', summary: 'Short', firstKeptEntryId: 'e2', tokensBefore: 9 },
    user('After'),
  ];
  expect(replay(log).map(({ sessionUpdate }) => sessionUpdate)).toEqual(['user_message_chunk', 'user_message_chunk']);
  expect(replay(log, undefined, true)[1]).toEqual({
    sessionUpdate: 'compaction_update',
    compactionId: 'e1',
    status: 'completed',
    summary: [{ type: 'text', text: 'Short' }],
  });
});

test('edits are replayed with their changed lines, writes with their text', () => {
  const edit = { path: 'a', oldText: 'x', newText: 'y' };
  const updates = replay([
    message(createAnswer([call('c1', 'edit', edit), call('c2', 'write', { path: 'b', content: 'z' })])),
    result('c1', 'edit', 'ok', { details: { diff: ' 1 w\n-2 x\n+2 y', firstChangedLine: 2 } }),
    result('c2', 'write', 'ok'),
  ]);
  expect(updates).toMatchObject([
    { content: [{ type: 'diff', path: `${CWD}/a`, oldText: 'w\nx', newText: 'w\ny' }], locations: [{ line: 2 }] },
    { content: [{ type: 'diff', path: `${CWD}/b`, oldText: null, newText: 'z' }] },
  ]);
});

test('the plan is replayed after each call of the todo tool', () => {
  const todos = [{ id: '1', content: 'Fix', activeForm: 'Fixing', status: 'pending' }];
  const log = [
    message(createAnswer([call('c1', 'todo_write')])),
    result('c1', 'todo_write', 'ok', { details: { todos } }),
  ];
  expect(replay(log)[1]).toMatchObject({ sessionUpdate: 'plan', entries: [{ content: 'Fix', status: 'pending' }] });
});

test('a call without a result has failed, and repeated ids get new ones', () => {
  const once = message(createAnswer([call('c1', 'ls')]));
  const updates = replay([once, result('c1', 'ls', 'a'), once, result('c1', 'ls', 'b'), once]);
  expect(updates.map((update) => 'status' in update && update.status)).toEqual(['completed', 'completed', 'failed']);
  expect(new Set(updates.map((update) => 'toolCallId' in update && update.toolCallId)).size).toBe(3);
  expect(updates).toMatchObject([{ rawOutput: { text: 'a' } }, { rawOutput: { text: 'b' } }, {}]);
});

test('messages of extensions and commands of the user are shown unless they are hidden', () => {
  const updates = replay([
    { type: 'custom_message', customType: 'note', content: 'Visible', display: true },
    { type: 'custom_message', customType: 'note', content: 'Hidden', display: false },
    message({
      ...{ role: 'bashExecution', command: 'ls', output: 'a.ts', exitCode: 0 },
      ...{ cancelled: false, truncated: false, timestamp: 1 },
    }),
  ]);
  expect(updates).toMatchObject([
    { sessionUpdate: 'user_message_chunk', content: { text: 'Visible' }, _meta: { parley: { customType: 'note' } } },
    { sessionUpdate: 'tool_call', title: '`ls`', kind: 'execute', status: 'completed' },
  ]);
  expect(updates).toHaveLength(2);
});

test('damaged logs of other programs do not stop the replay', () => {
  const damaged = [
    { ...user('Hi'), parentId: 'e4' },
    message({ role: 'assistant', content: [null, { type: 'text' }, { type: 'toolCall', id: 'c' }] } as never),
    message({ role: 'unknown' } as never),
    message({
      role: 'user',
      content: [
        { type: 'image', source: { type: 'base64' } },
        { type: 'text', text: 'x' },
      ],
    } as never),
    { type: 'future', data: 1 },
  ];
  expect(replay(damaged).map(({ sessionUpdate }) => sessionUpdate)).toEqual([
    'user_message_chunk',
    'user_message_chunk',
  ]);
});

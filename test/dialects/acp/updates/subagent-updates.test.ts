// Tests of subagents: their tool calls refer to the parent call, their texts are content of the parent call.
import { expect, test } from 'vitest';
import type { AgentEvent, SubagentLifecycle } from '../../../../src/protocol/index.ts';
import { CWD, createAnswer, createEncoder, endCall, startCall } from './updates-fixture.ts';

const lifecycle = (id: string, status: SubagentLifecycle['status'], parentToolCallId = 'c1'): AgentEvent => ({
  type: 'subagent_lifecycle',
  payload: { id, index: 0, agent: 'explore', agentSource: 'bundled', status, parentToolCallId },
});
const inside = (id: string, event: AgentEvent): AgentEvent => ({ type: 'subagent_event', payload: { id, event } });
const say = (text: string): AgentEvent => ({ type: 'message_end', message: createAnswer([{ type: 'text', text }]) });
const task = startCall('c1', 'task', { agent: 'explore', tasks: [{ id: 'One', assignment: 'Look' }] });
const textOf = (update: object | undefined) =>
  ((update as { content?: { content: { text: string } }[] } | undefined)?.content ?? []).map(
    ({ content }) => content.text,
  );

test('tool calls of a subagent have the parent id, and ids that differ from those of the parent', () => {
  const { encode } = createEncoder();
  encode(task, lifecycle('One', 'started'));
  const meta = { _meta: { parley: { parentToolCallId: 'c1', subagentId: 'One' } } };
  expect(encode(inside('One', startCall('c1', 'read', { path: 'a.ts' })))).toMatchObject([
    {
      sessionUpdate: 'tool_call',
      toolCallId: 'One/c1',
      title: 'Read a.ts',
      locations: [{ path: `${CWD}/a.ts` }],
      ...meta,
    },
  ]);
  expect(encode(inside('One', endCall('c1', 'read', 'text')))).toMatchObject([
    { sessionUpdate: 'tool_call_update', toolCallId: 'One/c1', status: 'completed', ...meta },
  ]);
});

test('texts are content of the parent call and never chunks; its title and status do not change', () => {
  const { encode } = createEncoder();
  const updates = encode(
    task,
    lifecycle('One', 'started'),
    lifecycle('Two', 'started'),
    inside('One', say('Found it')),
    {
      ...task,
      type: 'tool_execution_update',
      partialResult: { content: [{ type: 'text', text: 'Running 2' }] },
    } as AgentEvent,
    { type: 'subagent_verification_command_start', id: 'Two', attempt: 1, commandName: 'test' },
    lifecycle('One', 'completed'),
  );
  expect(updates.map(textOf).slice(1)).toEqual([
    ['**One** (explore): running'],
    ['**One** (explore): running', '**Two** (explore): running'],
    ['**One** (explore): running\n\nFound it', '**Two** (explore): running'],
    ['**One** (explore): running\n\nFound it', '**Two** (explore): verifying (test)'],
    ['**One** (explore): completed\n\nFound it', '**Two** (explore): verifying (test)'],
  ]);
  for (const update of updates.slice(1)) expect(update).toMatchObject({ toolCallId: 'c1', status: 'in_progress' });
  for (const update of updates.slice(1)) expect(update).not.toHaveProperty('title');
  expect(updates.every(({ sessionUpdate }) => sessionUpdate.startsWith('tool_call'))).toBe(true);
  expect(textOf(encode(endCall('c1', 'task', '2 tasks'))[0])).toEqual(['2 tasks']);
});

test('a subagent of a subagent refers to the call inside its parent', () => {
  const { encode } = createEncoder();
  encode(task, lifecycle('One', 'started'), inside('One', startCall('c1', 'task', { agent: 'task' })));
  expect(encode(lifecycle('One.Deep', 'started'))).toMatchObject([
    { toolCallId: 'One/c1', content: [{ content: { text: '**One.Deep** (explore): running' } }] },
  ]);
  expect(encode(inside('One.Deep', startCall('x', 'ls', {})))).toMatchObject([
    { toolCallId: 'One.Deep/x', _meta: { parley: { parentToolCallId: 'One/c1', subagentId: 'One.Deep' } } },
  ]);
});

test('files of an isolated subagent have no location', () => {
  const { encode } = createEncoder();
  encode(task, lifecycle('One', 'started'), { type: 'subagent_start', id: 'One', agent: 'explore', isolated: true });
  expect(encode(inside('One', startCall('d1', 'read', { path: 'a.ts' })))[0]).not.toHaveProperty('locations');
});

test('open calls of a subagent fail when it ends', () => {
  const { encode } = createEncoder();
  encode(task, lifecycle('One', 'started'), inside('One', startCall('d1', 'bash', { command: 'sleep 9' })));
  expect(encode(lifecycle('One', 'aborted'))[0]).toMatchObject({ toolCallId: 'One/d1', status: 'failed' });
  expect(encode(inside('One', endCall('d1', 'bash', 'late')))).toEqual([]);
});

test('a todo list of a subagent does not replace the plan', () => {
  const { encode } = createEncoder();
  const todos = [{ id: '1', content: 'a', activeForm: 'a', status: 'pending' }];
  encode(task, lifecycle('One', 'started'), inside('One', startCall('d1', 'todo_write', { todos })));
  const updates = encode(inside('One', endCall('d1', 'todo_write', 'ok', { details: { todos } })));
  expect(updates.map(({ sessionUpdate }) => sessionUpdate)).toEqual(['tool_call_update']);
});

test('a terminal can be attached to a call of a subagent', () => {
  const { encode, encoder } = createEncoder();
  encode(task, lifecycle('One', 'started'), inside('One', startCall('d1', 'bash', { command: 'make' })));
  expect(encoder.getToolCallId('d1')).toBe('One/d1');
  expect(encoder.attachTerminal('d1', 't1')).toMatchObject({
    toolCallId: 'One/d1',
    content: [{ type: 'terminal', terminalId: 't1' }],
  });
});

test('the parent content stays bounded with many subagents', () => {
  const { encode } = createEncoder();
  const ids = Array.from({ length: 40 }, (_, index) => `S${index}`);
  encode(task, ...ids.map((id) => lifecycle(id, 'started')));
  const updates = ids.flatMap((id) => encode(inside(id, say('x'.repeat(50_000)))));
  expect(Math.max(...updates.map((update) => JSON.stringify(update).length))).toBeLessThan(60_000);
});

// Tests of updates about the session: plan, commands, usage, compaction, notices, name, and the stop reason.
import { describe, expect, test } from 'vitest';
import { encodeCommands } from '../../../../src/dialects/acp/updates/index.ts';
import { encodePlan } from '../../../../src/dialects/acp/updates/session-facts.ts';
import { assertNormalStop as assertMessagesStop } from '../../../../src/llm/apis/anthropic-messages/stop-reason.ts';
import { assertNormalStop as assertCompletionsStop } from '../../../../src/llm/apis/openai-completions/stop-reason.ts';
import { type AgentEvent, type AssistantMessage, createEmptyUsage } from '../../../../src/protocol/index.ts';
import { createAnswer, createEncoder, endCall, startCall, validated } from './updates-fixture.ts';

const endAnswer = (fields: Partial<AssistantMessage>): AgentEvent => ({
  type: 'message_end',
  message: createAnswer([], fields),
});
const withCost = (total: number) => ({ ...createEmptyUsage(), cost: { ...createEmptyUsage().cost, total } });
const snapshot = { status: 'exceeded', reason: 'cost', wallTimeMs: 0, inputTokens: 0, outputTokens: 0 } as const;
const budget = { ...snapshot, totalTokens: 0, costUsd: 1, toolCalls: 0, subagents: 0 };

describe('plan', () => {
  test('is the complete list after each call of the todo tool', () => {
    const { encode } = createEncoder();
    const todos = [
      { id: '1', content: 'Read', activeForm: 'Reading', status: 'completed' },
      { id: '2', content: 'Fix', activeForm: 'Fixing', status: 'in_progress' },
      { id: '3', content: 'Wait', activeForm: 'Waiting', status: 'blocked' },
      { id: '4', content: 'Drop', activeForm: 'Dropping', status: 'abandoned' },
    ];
    const updates = encode(
      startCall('c1', 'todo_write', {}),
      endCall('c1', 'todo_write', 'ok', { details: { todos } }),
    );
    expect(updates.at(-1)).toEqual({
      sessionUpdate: 'plan',
      entries: [
        { content: 'Read', priority: 'medium', status: 'completed' },
        { content: 'Fix', priority: 'medium', status: 'in_progress' },
        { content: 'Wait', priority: 'medium', status: 'pending' },
      ],
    });
    expect(validated(encodePlan([]))).toEqual({ sessionUpdate: 'plan', entries: [] });
  });

  test('does not change after a failed call', () => {
    const { encode } = createEncoder();
    const failed = endCall('c1', 'todo_write', 'Error', { isError: true, details: { todos: [] } });
    expect(encode(startCall('c1', 'todo_write', {}), failed).map(({ sessionUpdate }) => sessionUpdate)).not.toContain(
      'plan',
    );
  });
});

test('commands have a description and a hint', () => {
  const { encode } = createEncoder();
  const commands = [
    { name: '/review', description: 'Review the changes', source: 'file' as const },
    { name: 'skill:pdf', source: 'skill' as const },
  ];
  const expected = {
    sessionUpdate: 'available_commands_update',
    availableCommands: [
      expect.objectContaining({ name: 'compact' }),
      { name: 'review', description: 'Review the changes', input: { hint: 'optional text' } },
      { name: 'skill:pdf', description: 'Skill', input: { hint: 'optional text' } },
    ],
  };
  expect(encode({ type: 'available_commands_update', commands })).toEqual([expected]);
  expect(validated(encodeCommands([{ name: 'a', source: 'prompt' }]))).toMatchObject({
    availableCommands: [{ name: 'compact' }, { description: 'Prompt template' }],
  });
});

test('the new name of the session is its title', () => {
  const { encode } = createEncoder();
  expect(encode({ type: 'session_info_changed', name: 'Fix' })).toEqual([
    { sessionUpdate: 'session_info_update', title: 'Fix' },
  ]);
  encode({ type: 'message_start', message: { role: 'user', content: 'Hi', timestamp: 86_400_000 } });
  expect(encode({ type: 'session_info_changed', name: 'Fix' })).toMatchObject([
    { updatedAt: '1970-01-02T00:00:00.000Z' },
  ]);
});

describe('usage', () => {
  test('the cost is cumulative: earlier messages, new messages, summaries and subagents, also after a compaction', () => {
    const fixture = createEncoder();
    const costs = (event: AgentEvent) =>
      fixture.encode(event).flatMap((update) => (update.sessionUpdate === 'usage_update' ? [update] : []));
    fixture.historyCost = 3;
    expect(costs(endAnswer({ usage: withCost(1) }))).toEqual([
      { sessionUpdate: 'usage_update', used: 1200, size: 200_000, cost: { amount: 3, currency: 'USD' } },
    ]);
    fixture.historyCost = 0.5;
    const result = { summary: 's', firstKeptEntryId: 'x', tokensBefore: 1, details: {}, usage: withCost(0.25) };
    const compacted = { type: 'compaction_end', reason: 'manual', result, aborted: false, willRetry: false } as const;
    expect(costs(compacted)).toMatchObject([{ cost: { amount: 3.25 } }]);
    expect(costs(endAnswer({ usage: withCost(1) }))).toMatchObject([{ cost: { amount: 4.25 } }]);
  });

  test('no cost is shown when no price is known', () => {
    const { encode } = createEncoder();
    expect(encode(endAnswer({}))).toEqual([{ sessionUpdate: 'usage_update', used: 1200, size: 200_000 }]);
  });
});

describe('compaction', () => {
  const result = { summary: 'Short', firstKeptEntryId: 'x', tokensBefore: 1, details: {} };
  const end = { type: 'auto_compaction_end', aborted: false, willRetry: false } as const;

  test.each([
    [
      { ...end, result },
      { status: 'completed', summary: [{ type: 'text', text: 'Short' }] },
    ],
    [{ ...end, result: null, aborted: true }, { status: 'cancelled' }],
    [
      { ...end, result: null, errorMessage: 'No model' },
      { status: 'failed', error: 'No model' },
    ],
  ])('%#: has one id from its start to its end', (event, fields) => {
    const { encode } = createEncoder();
    const start = { type: 'auto_compaction_start', reason: 'threshold' } as const;
    const [started, ended] = encode(start, event);
    expect(started).toMatchObject({ sessionUpdate: 'compaction_update', status: 'in_progress' });
    expect(ended).toMatchObject({ ...started, ...fields });
    const [next] = encode(start);
    expect((next as { compactionId: string }).compactionId).not.toBe(
      (started as { compactionId: string }).compactionId,
    );
  });

  test('is not reported to a client that does not support it', () => {
    const { encode } = createEncoder({});
    expect(encode({ type: 'compaction_start', reason: 'manual' })).toEqual([]);
    expect(encode({ ...end, result }).map(({ sessionUpdate }) => sessionUpdate)).toEqual(['usage_update']);
  });
});

describe('notices', () => {
  const retry = {
    type: 'auto_retry_start',
    attempt: 1,
    maxAttempts: 3,
    delayMs: 1500,
    errorMessage: 'Overloaded',
  } as const;
  const long: AgentEvent = { type: 'notice', level: 'error', message: 'Disk full\nDetails', source: 'store' };

  test('have a title of one line and a description', () => {
    const { encode } = createEncoder();
    expect(encode(retry, long, { ...long, message: '' })).toEqual([
      {
        sessionUpdate: 'notice',
        severity: 'warning',
        title: 'Retrying in 2 s (attempt 1 of 3)',
        description: 'Overloaded',
      },
      { sessionUpdate: 'notice', severity: 'error', title: 'Disk full ↵ Details', description: 'Disk full\nDetails' },
      { sessionUpdate: 'notice', severity: 'error', title: 'Notice' },
    ]);
    expect(encode({ type: 'extension_error', extensionPath: '/e.ts', event: 'x', error: 'boom' })).toMatchObject([
      { severity: 'warning', title: '/e.ts failed: boom' },
    ]);
  });

  test('a client without notices gets none, except the limit that ends a run, as a text', () => {
    const { encode } = createEncoder({});
    expect(encode(retry, long, { type: 'budget_warning', scope: 'session', snapshot: budget })).toEqual([]);
    expect(encode({ type: 'budget_exceeded', scope: 'session', snapshot: budget })).toMatchObject([
      { sessionUpdate: 'agent_message_chunk', content: { text: 'The budget of the session is used up (cost)' } },
    ]);
    expect(encode({ type: 'notice', level: 'warning', message: 'Stopped', source: 'limits' })).toMatchObject([
      { sessionUpdate: 'agent_message_chunk', content: { text: 'Stopped' } },
    ]);
  });
});

describe('stop reason', () => {
  const limit: AgentEvent = { type: 'notice', level: 'warning', message: 'Stopped', source: 'limits' };
  const exceeded: AgentEvent = { type: 'budget_exceeded', scope: 'session', snapshot: budget };
  const start: AgentEvent = { type: 'agent_start' };

  test.each([
    ['end_turn', [endAnswer({ stopReason: 'stop' })]],
    ['max_tokens', [endAnswer({ stopReason: 'length' })]],
    ['end_turn', [endAnswer({ stopReason: 'length' }), endAnswer({ stopReason: 'stop' })]],
    ['max_turn_requests', [endAnswer({ stopReason: 'toolUse' }), limit]],
    ['max_turn_requests', [endAnswer({ stopReason: 'toolUse' }), exceeded]],
    ['max_turn_requests', [exceeded, endAnswer({ stopReason: 'aborted' })]],
    ['end_turn', [endAnswer({ stopReason: 'stop' }), exceeded]],
    ['end_turn', [endAnswer({ stopReason: 'toolUse' }), { ...exceeded, scope: 'task' }]],
    ['end_turn', [endAnswer({ stopReason: 'toolUse' }), limit, start, endAnswer({ stopReason: 'toolUse' })]],
    ['end_turn', [endAnswer({ stopReason: 'length' }), start]],
    ['end_turn', [endAnswer({ stopReason: 'error', errorMessage: 'Overloaded' })]],
  ] as [string, AgentEvent[]][])('%s %#', (reason, events) => {
    const { encode, encoder } = createEncoder();
    encode(start, ...events);
    expect(encoder.getStopReason()).toBe(reason);
  });

  test.each([
    () => assertMessagesStop({ stop_reason: 'refusal', stop_sequence: null } as never, createAnswer([])),
    () => assertCompletionsStop('content_filter'),
  ])('refusal when the model API reports one, with its text %#', (assertStop) => {
    const { encode, encoder } = createEncoder();
    const errorMessage = catchMessage(assertStop);
    const updates = encode(start, endAnswer({ stopReason: 'error', errorMessage }));
    expect(encoder.getStopReason()).toBe('refusal');
    expect(updates).toMatchObject([
      { sessionUpdate: 'agent_message_chunk', content: { text: errorMessage } },
      { sessionUpdate: 'usage_update' },
    ]);
  });
});

function catchMessage(run: () => void): string {
  try {
    run();
  } catch (thrown) {
    return (thrown as Error).message;
  }
  throw new Error('Nothing was thrown');
}

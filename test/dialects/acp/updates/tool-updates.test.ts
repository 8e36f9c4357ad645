// Tests of tool calls as updates: their course, content, terminals and limits.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createUpdateFrame } from '../../../../src/dialects/acp/updates/index.ts';
import type { AgentEvent } from '../../../../src/protocol/index.ts';
import { CWD, createAnswer, createEncoder, endCall, startCall } from './updates-fixture.ts';

const text = (value: string) => ({ type: 'content', content: { type: 'text', text: value } });

function* streamCall(id: string, name: string, args: Record<string, unknown>): Iterable<AgentEvent> {
  const call = { type: 'toolCall' as const, id, name, arguments: {} as Record<string, unknown> };
  const message = createAnswer([call], { stopReason: 'toolUse' });
  const shared = { contentIndex: 0, partial: message };
  yield { type: 'message_start', message: createAnswer([]) };
  yield { type: 'message_update', message, assistantMessageEvent: { type: 'toolcall_start', ...shared } };
  yield { type: 'message_update', message, assistantMessageEvent: { type: 'toolcall_delta', delta: '{', ...shared } };
  call.arguments = args;
  yield { type: 'message_update', message, assistantMessageEvent: { type: 'toolcall_end', toolCall: call, ...shared } };
  yield { type: 'message_end', message };
}

const withoutUsage = (updates: readonly { sessionUpdate: string }[]) =>
  updates.filter(({ sessionUpdate }) => sessionUpdate !== 'usage_update');

describe('the course of a call', () => {
  test('pending when the model starts it, described when it is complete, in progress, completed', () => {
    const { encode } = createEncoder();
    const args = { path: 'a.ts', offset: 2 };
    const updates = encode(
      ...streamCall('c1', 'read', args),
      startCall('c1', 'read', args),
      endCall('c1', 'read', 'const a = 1;'),
    );
    expect(withoutUsage(updates)).toEqual([
      {
        sessionUpdate: 'tool_call',
        toolCallId: 'c1',
        title: 'Read a file',
        name: 'read',
        kind: 'read',
        status: 'pending',
      },
      {
        sessionUpdate: 'tool_call_update',
        toolCallId: 'c1',
        title: 'Read a.ts:2',
        kind: 'read',
        name: 'read',
        locations: [{ path: `${CWD}/a.ts`, line: 2 }],
        rawInput: args,
      },
      { sessionUpdate: 'tool_call_update', toolCallId: 'c1', status: 'in_progress' },
      {
        sessionUpdate: 'tool_call_update',
        toolCallId: 'c1',
        status: 'completed',
        content: [text('```\nconst a = 1;\n```')],
        rawOutput: { text: 'const a = 1;' },
      },
    ]);
  });

  test('a call that was not streamed starts in progress', () => {
    const { encode } = createEncoder();
    expect(encode(startCall('c1', 'bash', { command: 'ls' }))).toEqual([
      {
        sessionUpdate: 'tool_call',
        toolCallId: 'c1',
        title: '`ls`',
        name: 'bash',
        kind: 'execute',
        rawInput: { command: 'ls' },
        status: 'in_progress',
      },
    ]);
  });

  test('a call that the final message does not contain fails', () => {
    const { encode } = createEncoder();
    const events = [...streamCall('c1', 'bash', { command: 'ls' })].slice(0, -1);
    const message = createAnswer([], { stopReason: 'error', errorMessage: 'broken' });
    expect(encode(...events, { type: 'message_end', message })).toContainEqual({
      sessionUpdate: 'tool_call_update',
      toolCallId: 'c1',
      status: 'failed',
    });
  });

  test('an id that a provider uses again gets another id', () => {
    const { encode, encoder } = createEncoder();
    const ids = [1, 2, 3].map(() => {
      const [first] = encode(startCall('c1', 'ls', {}), endCall('c1', 'ls', 'a'));
      return first && 'toolCallId' in first ? first.toolCallId : '';
    });
    expect(new Set(ids).size).toBe(3);
    expect(ids[0]).toBe('c1');
    expect(encoder.getToolCallId('c1')).toBe(ids[2]);
  });

  test('an id that the stored conversation contains gets another id', () => {
    const fixture = createEncoder();
    const call = { type: 'toolCall' as const, id: 'c1', name: 'ls', arguments: {} };
    fixture.messages = [createAnswer([call]), createAnswer([call])];
    fixture.encode({ type: 'agent_start' }, { type: 'agent_start' }, startCall('c1', 'ls', {}));
    expect(fixture.encoder.getToolCallId('c1')).toBe('c1#3');
  });

  test('every call has one tool_call before its updates and one final status, whatever the events are', () => {
    const id = fc.constantFrom('a', 'b', 'c', 'sub/a');
    const tool = fc.constantFrom('read', 'edit', 'bash', 'todo_write', 'task', 'custom');
    const event = fc.oneof(
      fc.tuple(id, tool).map(([at, name]) => [...streamCall(at, name, { path: 'x' })]),
      fc.tuple(id, tool).map(([at, name]) => [...streamCall(at, name, { path: 'x' })].slice(0, 2)),
      fc.tuple(id, tool).map(([at, name]) => [startCall(at, name, { path: 'y' })]),
      fc.tuple(id, tool).map(([at, name]) => [
        {
          ...startCall(at, name, {}),
          type: 'tool_execution_update',
          partialResult: { content: [{ type: 'text', text: 'o' }] },
        },
      ]),
      fc.tuple(id, tool, fc.boolean()).map(([at, name, isError]) => [endCall(at, name, 'out', { isError })]),
      fc.constant([{ type: 'message_end', message: createAnswer([]) }]),
    ) as fc.Arbitrary<AgentEvent[]>;
    fc.assert(
      fc.property(fc.array(event, { maxLength: 30 }), (groups) => {
        const { encode } = createEncoder();
        const updates = encode(...groups.flat(), { type: 'agent_end', messages: [], willRetry: false });
        const ended = new Map<string, boolean>();
        for (const update of updates) {
          if (update.sessionUpdate !== 'tool_call' && update.sessionUpdate !== 'tool_call_update') continue;
          const { toolCallId, status } = update;
          expect(ended.has(toolCallId)).toBe(update.sessionUpdate === 'tool_call_update');
          expect(ended.get(toolCallId) ?? false).toBe(false);
          ended.set(toolCallId, status === 'completed' || status === 'failed');
        }
        expect([...ended.values()].every(Boolean)).toBe(true);
      }),
    );
  });
});

describe('content', () => {
  test('an edit shows the planned change, then the changed lines with their context', () => {
    const { encode } = createEncoder();
    const args = { path: 'a.ts', oldText: 'two', newText: 'TWO' };
    const diff = ['   ...', '  9 one', '-10 two', '+10 TWO', ' 11 three', '   ...', '-20 x'].join('\n');
    const [started, ended] = encode(
      startCall('c1', 'edit', args),
      endCall('c1', 'edit', 'Successfully replaced text', { details: { diff, firstChangedLine: 10 } }),
    );
    expect(started).toMatchObject({ content: [{ type: 'diff', path: `${CWD}/a.ts`, oldText: 'two', newText: 'TWO' }] });
    expect(ended).toMatchObject({
      status: 'completed',
      locations: [{ path: `${CWD}/a.ts`, line: 10 }],
      content: [
        { type: 'diff', path: `${CWD}/a.ts`, oldText: 'one\ntwo\nthree', newText: 'one\nTWO\nthree' },
        { type: 'diff', path: `${CWD}/a.ts`, oldText: 'x', newText: '' },
      ],
    });
  });

  test('a write keeps its diff; a failed one shows the error', () => {
    const { encode } = createEncoder();
    const write = startCall('c1', 'write', { path: 'a', content: 'x' });
    const [, ended] = encode(write, endCall('c1', 'write', 'Successfully wrote 1 bytes'));
    expect(ended).not.toHaveProperty('content');
    const [, failed] = encode(write, endCall('c1', 'write', 'Cannot write a', { isError: true }));
    expect(failed).toMatchObject({ status: 'failed', content: [text('```\nCannot write a\n```')] });
  });

  test('images are content blocks; images by URL are links', () => {
    const { encode } = createEncoder();
    const content = [
      { type: 'image' as const, data: 'AAAA', mimeType: 'image/png' },
      { type: 'image' as const, source: { type: 'url' as const, url: 'https://example.com/a.png' } },
    ];
    const [, ended] = encode(startCall('c1', 'read', { path: 'a.png' }), {
      ...{ type: 'tool_execution_end', toolCallId: 'c1', toolName: 'read', isError: false },
      result: { content },
    });
    expect(ended).toMatchObject({
      content: [
        { type: 'content', content: { type: 'image', data: 'AAAA', mimeType: 'image/png' } },
        { type: 'content', content: { type: 'resource_link', uri: 'https://example.com/a.png' } },
      ],
    });
  });

  test('output of a running command is shown from its end; tools of others send Markdown', () => {
    const { encode } = createEncoder();
    const update = (toolName: string, output: string): AgentEvent => ({
      type: 'tool_execution_update',
      ...{ toolCallId: toolName, toolName, args: {} },
      partialResult: { content: [{ type: 'text', text: output }] },
    });
    encode(startCall('bash', 'bash', { command: 'x' }), startCall('mcp__a__b', 'mcp__a__b', {}));
    expect(encode(update('bash', 'a ``` b'))).toMatchObject([{ content: [text('````\na ``` b\n````')] }]);
    expect(encode(update('mcp__a__b', '**b**'))).toMatchObject([{ content: [text('**b**')] }]);
    expect(JSON.stringify(encode(update('bash', `${'x'.repeat(90_000)}END`)))).toMatch(/^.{0,11000}END.{0,30}$/s);
    expect(encode(update('bash', ''))).toEqual([]);
  });

  test('an attached terminal stays the content', () => {
    const { encode, encoder } = createEncoder();
    encode(startCall('c1', 'bash', { command: 'make' }));
    const terminal = [{ type: 'terminal', terminalId: 't1' }];
    expect(encoder.attachTerminal('c1', 't1')).toEqual({
      sessionUpdate: 'tool_call_update',
      toolCallId: 'c1',
      status: 'in_progress',
      content: terminal,
    });
    const partialResult = { content: [{ type: 'text' as const, text: 'out' }] };
    const update = { toolCallId: 'c1', toolName: 'bash', args: {}, partialResult };
    expect(encode({ type: 'tool_execution_update', ...update })).toEqual([]);
    expect(encode(endCall('c1', 'bash', 'out', { isError: true }))).toMatchObject([
      { status: 'failed', content: terminal, rawOutput: { text: 'out' } },
    ]);
  });

  test('no update is larger than 100 kB', () => {
    const { encode } = createEncoder();
    const long = 'x'.repeat(300_000);
    const updates = encode(
      ...streamCall('c1', 'write', { path: 'a', content: long }),
      startCall('c2', 'custom', { long, list: Array.from({ length: 50_000 }, () => ({ long })) }),
      endCall('c2', 'custom', long, { details: { long, more: [long, long] } }),
      startCall('c3', 'custom', { list: Array.from({ length: 50_000 }, (_, index) => index) }),
      startCall('c4', 'custom', Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`f${index}`, 1]))),
    );
    expect(Math.max(...updates.map((update) => createUpdateFrame('s', update).bytes))).toBeLessThan(100_000);
  });

  test('details of extensions may contain anything', () => {
    const { encode } = createEncoder();
    const cyclic: Record<string, unknown> = { when: new Date(0), big: 10n, call: () => 1, none: undefined };
    cyclic.self = cyclic;
    const [, ended] = encode(startCall('c1', 'x', {}), endCall('c1', 'x', 'ok', { details: cyclic }));
    expect(ended).toMatchObject({ rawOutput: { details: { when: '1970-01-01T00:00:00.000Z', big: '10' } } });
  });
});

// The reducer of a session: frames in, view out.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { insertMessages, replaceMessages } from '../../web/src/store/conversation.ts';
import { reduceFrame } from '../../web/src/store/reduce-frame.ts';
import { createSessionView, isRunning, type SessionView } from '../../web/src/store/session-view.ts';
import type { IncomingFrame } from '../../web/src/wire/server-frames.ts';
import { assistant, attached, createFrames, snapshot, toolResult, user } from './frames.ts';

function reduceAll(frames: readonly object[], start = createSessionView('s1')): SessionView {
  return frames.reduce<SessionView>((view, frame) => reduceFrame(view, frame as IncomingFrame), start);
}

const RANGE = { firstIndex: 0, totalMessages: 1 };
const loaded = () => reduceAll([attached(), snapshot({ seq: 10 })]);

describe('attaching', () => {
  test('a snapshot sets the messages at their indexes, and older ones are holes', () => {
    const messages = [user('three'), assistant('four')];
    const view = reduceAll([attached(), snapshot({ messages, totalMessages: 5, firstIndex: 3, seq: 7 })]);
    expect(view).toMatchObject({ isLoaded: true, seq: 7, access: 'full', clientId: 'c1' });
    expect(view.conversation.messages).toEqual([undefined, undefined, undefined, ...messages]);
  });

  test('loaded messages fill holes and do not replace newer ones', () => {
    const view = reduceAll([attached(), snapshot({ messages: [user('two')], totalMessages: 3, firstIndex: 2 })]);
    const filled = insertMessages(view.conversation, 0, [user('zero'), user('one'), user('other')]);
    expect(filled.messages).toEqual([user('zero'), user('one'), user('two')]);
  });

  test('a snapshot contains the message and the tools that are in progress', () => {
    const runningTools = [{ toolCallId: 't1', toolName: 'bash', args: {}, partialResult: { content: [] } }];
    const view = reduceAll([attached(), snapshot({ openMessage: assistant('so f'), runningTools })]);
    expect(view.conversation.openMessage).toEqual(assistant('so f'));
    expect(view.conversation.tools.get('t1')).toMatchObject({ status: 'running', output: { content: [] } });
    const next = reduceAll([delta(1, 'ar')], view);
    expect(next.conversation.openMessage?.content).toEqual([{ type: 'text', text: 'so far' }]);
  });

  test('a message that was loaded before its message_end is not repeated', () => {
    const view = reduceAll([{ type: 'message_start', message: assistant('') }], loaded());
    const messages = [user('one'), user('one'), assistant('two')];
    const replaced = { ...view, conversation: replaceMessages(view.conversation, { ...RANGE, messages }) };
    const ended = reduceAll([{ type: 'message_end', message: assistant('two') }], replaced);
    expect(ended.conversation).toMatchObject({ messages, openMessage: undefined });
    // The same text again is another message.
    const again = reduceAll([{ type: 'message_end', message: assistant('two') }], ended);
    expect(again.conversation.messages).toEqual([...messages, assistant('two')]);
  });

  test('after a message that was not loaded, none is taken for a loaded one', () => {
    const messages = [user('one')];
    const view = { ...loaded(), conversation: replaceMessages(loaded().conversation, { ...RANGE, messages }) };
    const frames = ['other', 'one'].map((text) => ({ type: 'message_end', message: user(text) }));
    expect(reduceAll(frames, view).conversation.messages).toEqual([user('one'), user('other'), user('one')]);
  });

  test('each connection is counted, also with a snapshot', () => {
    expect(loaded().attachCount).toBe(1);
    expect(reduceAll([attached(), snapshot({ seq: 20 })], loaded()).attachCount).toBe(2);
  });

  test('another session begins with an empty view', () => {
    const view = reduceAll([{ ...attached(), sessionId: 's2' }], loaded());
    expect(view).toMatchObject({ sessionId: 's2', isLoaded: false, seq: 0, state: undefined });
  });

  test('events that the view contains are ignored', () => {
    const view = loaded();
    const event = { type: 'message_end', message: user('again'), seq: 10 };
    expect(reduceAll([event], view)).toBe(view);
    expect(reduceAll([{ ...event, seq: 11 }], view).conversation.messages).toEqual([user('again')]);
  });

  test('dialogs stay in their order until the first reply shows which of them still wait', () => {
    const ask = (id: string) => ({ type: 'extension_ui_request', id, method: 'confirm', title: id, message: '' });
    const view = reduceAll([ask('a'), ask('b'), ask('c')], loaded());
    const listIds = (frames: object[]) => reduceAll([attached(), ...frames], view).dialogs.map(({ id }) => id);
    expect(listIds([])).toEqual(['a', 'b', 'c']);
    expect(listIds([ask('b'), ask('c'), ask('d')])).toEqual(['a', 'b', 'c', 'd']);
    const reply = { type: 'response', id: 'page_1', command: 'get_state', success: true };
    expect(listIds([ask('b'), ask('c'), ask('d'), reply])).toEqual(['b', 'c', 'd']);
    expect(listIds([reply])).toEqual([]);
    expect(reduceAll([reply], view).dialogs).toHaveLength(3);
    expect(reduceAll([{ ...attached(), sessionId: 's2' }], view).dialogs).toEqual([]);
  });
});

function delta(seq: number, text: string, contentIndex = 0) {
  return {
    type: 'message_update',
    seq: 10 + seq,
    assistantMessageEvent: { type: 'text_delta', contentIndex, delta: text },
  };
}

describe('streaming', () => {
  const frames = createFrames([
    { type: 'agent_start' },
    { type: 'message_start', message: assistant('') },
    { thinking: ['Let me', ' see.'] },
    { text: ['Hel', 'lo ', 'there'] },
    { call: { id: 't1', name: 'bash', arguments: { command: 'ls' } }, deltas: ['{"comm', 'and":"ls"}'] },
  ]);

  test('deltas build thinking, text and tool calls', () => {
    const view = reduceAll(frames, loaded());
    expect(view.conversation.openMessage?.content).toEqual([
      { type: 'thinking', thinking: 'Let me see.' },
      { type: 'text', text: 'Hello there' },
      { type: 'toolCall', id: 't1', name: 'bash', arguments: { command: 'ls' } },
    ]);
    expect(isRunning(view)).toBe(true);
  });

  test('a tool call shows the text of its arguments while they arrive', () => {
    const view = reduceAll(frames.slice(0, -1), loaded());
    expect(view.conversation.openMessage?.content.at(-1)).toEqual({
      ...{ type: 'toolCall', id: 't1', name: 'bash', arguments: {} },
      argumentText: '{"command":"ls"}',
    });
  });

  test('frames with the whole message give the same as deltas', () => {
    let whole = reduceAll(frames.slice(0, 2), loaded());
    for (const frame of frames.slice(2)) {
      const next = reduceAll([frame], whole).conversation.openMessage;
      const content = next?.content.map(({ argumentText: _, ...block }) => block);
      whole = reduceAll([{ ...frame, message: { ...assistant(''), content } }], whole);
    }
    expect(whole.conversation.openMessage?.content).toEqual(
      reduceAll(frames, loaded()).conversation.openMessage?.content,
    );
  });

  test('the end of the message replaces what was streamed', () => {
    const end = { type: 'message_end', message: assistant('Corrected'), seq: 100 };
    const view = reduceAll([...frames, end], loaded());
    expect(view.conversation).toMatchObject({ openMessage: undefined, messages: [assistant('Corrected')] });
  });

  test('folded deltas give the same view as single ones', () => {
    const step = fc.oneof(
      fc.record({ text: fc.array(fc.string(), { maxLength: 5 }) }),
      fc.record({ thinking: fc.array(fc.string(), { maxLength: 5 }) }),
      fc.record({
        call: fc.record({ id: fc.string(), name: fc.string(), arguments: fc.constant({ a: 1 }) }),
        deltas: fc.array(fc.string(), { maxLength: 4 }),
      }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 6 }), fc.infiniteStream(fc.boolean()), (steps, choices) => {
        const single = createFrames([
          { type: 'agent_start' },
          { type: 'message_start', message: assistant('') },
          ...steps,
          { type: 'message_end', message: assistant('end') },
          { type: 'message_start', message: assistant('') },
          ...steps,
        ]);
        const folded = foldDeltas(single, () => choices.next().value);
        expect(reduceAll(folded, loaded())).toEqual(reduceAll(single, loaded()));
      }),
    );
  });
});

type DeltaFrame = {
  seq: number;
  firstSeq?: number;
  assistantMessageEvent?: { type: string; contentIndex: number; delta?: string };
};

/** Joins neighbouring deltas of the same block as the server does for a slow client. */
function foldDeltas(frames: readonly object[], shouldFold: () => boolean): object[] {
  const folded: DeltaFrame[] = [];
  for (const frame of frames as DeltaFrame[]) {
    const last = folded.at(-1);
    const [before, after] = [last?.assistantMessageEvent, frame.assistantMessageEvent];
    const isSameBlock = before?.type === after?.type && before?.contentIndex === after?.contentIndex;
    if (last && before?.delta !== undefined && after?.delta !== undefined && isSameBlock && shouldFold()) {
      const event = { ...after, delta: before.delta + after.delta };
      folded[folded.length - 1] = { ...frame, firstSeq: last.firstSeq ?? last.seq, assistantMessageEvent: event };
    } else folded.push(frame);
  }
  return folded;
}

describe('tools', () => {
  const start = { type: 'tool_execution_start', toolCallId: 't1', toolName: 'bash', args: { command: 'ls' } };
  const update = { ...start, type: 'tool_execution_update', partialResult: { content: [{ type: 'text', text: 'a' }] } };
  const end = {
    type: 'tool_execution_end',
    toolCallId: 't1',
    toolName: 'bash',
    result: { content: [] },
    isError: true,
  };

  test('a call is running, has live output, ends, and is forgotten with its result message', () => {
    const tool = (frames: readonly object[]) => reduceAll(frames, loaded()).conversation.tools.get('t1');
    expect(tool([start])).toMatchObject({ status: 'running', output: undefined });
    expect(tool([start, update])).toMatchObject({ status: 'running', output: update.partialResult });
    expect(tool([start, update, end])).toMatchObject({ status: 'failed', args: { command: 'ls' } });
    expect(tool([start, end, { type: 'message_end', message: toolResult('t1', 'x') }])).toBeUndefined();
  });

  test('a tool that changes the todo list updates the view', () => {
    const todos = [{ id: '1', content: 'Read', activeForm: 'Reading', status: 'completed' }];
    const view = reduceAll([start, { ...end, result: { content: [], details: { todos } } }], loaded());
    expect(view.state?.todoPhases).toEqual([
      { name: 'Tasks', tasks: [{ id: '1', content: 'Read', status: 'completed' }] },
    ]);
  });
});

describe('the state of a session', () => {
  test('a run goes from agent_start to agent_settled', () => {
    const steps = [
      { type: 'agent_start', client: 'tom' },
      { type: 'agent_end', messages: [], willRetry: true },
    ];
    const running = reduceAll(steps, loaded());
    expect(isRunning(running)).toBe(true);
    expect(running.runClient).toBe('tom');
    const settled = reduceAll([{ type: 'agent_settled', aborted: false }], running);
    expect(isRunning(settled)).toBe(false);
    expect(settled.runClient).toBeUndefined();
  });

  test('a change of the state keeps the todo list', () => {
    const todoPhases = [{ name: 'P', tasks: [] }];
    const view = reduceAll([attached(), snapshot({ state: { todoPhases } })]);
    const changed = reduceAll([{ type: 'state_changed', seq: 99, state: { sessionName: 'New' } }], view);
    expect(changed.state).toMatchObject({ sessionName: 'New', todoPhases, thinkingLevel: 'medium' });
  });

  test('a replaced conversation is marked as outdated until it is loaded', () => {
    const change = { type: 'conversation_changed', seq: 99, sessionId: 's1', leafId: null, reason: 'moved' };
    expect(reduceAll([change], loaded()).isOutdated).toBe(true);
    expect(reduceAll([change, snapshot({ seq: 100 })], loaded()).isOutdated).toBe(false);
  });

  test('queues, name, level and commands follow their events', () => {
    const view = reduceAll(
      [
        { type: 'queue_update', steering: ['a'], followUp: ['b'] },
        { type: 'session_info_changed', name: 'N' },
        { type: 'thinking_level_changed', level: 'high' },
        { type: 'available_commands_update', commands: [{ name: 'x', source: 'skill' }] },
      ],
      loaded(),
    );
    expect(view.queues).toEqual({ steering: ['a'], followUp: ['b'] });
    expect(view.state).toMatchObject({ sessionName: 'N', thinkingLevel: 'high' });
    expect(view.commands).toEqual([{ name: 'x', source: 'skill' }]);
  });

  test('cost and context use are counted from the answers', () => {
    const usage = { input: 10, output: 5, cacheRead: 1, cacheWrite: 0, totalTokens: 16, cost: { total: 0.25 } };
    const message = { ...assistant('x'), usage };
    const view = reduceAll(
      [
        { type: 'message_end', message },
        { type: 'message_end', message },
      ],
      loaded(),
    );
    expect(view.totals).toEqual({ cost: 0.5, tokens: 32, contextTokens: 16 });
  });

  test('an interrupted session stays so until it runs again', () => {
    const view = reduceAll([attached(), snapshot({ state: { isInterrupted: true } })]);
    expect(view.isInterrupted).toBe(true);
    expect(reduceAll([{ type: 'agent_start' }], view).isInterrupted).toBe(false);
  });

  test.each([
    [{ type: 'notice', level: 'error', message: 'Disk full' }, 'error', 'Disk full'],
    [{ type: 'auto_retry_end', success: false, attempt: 2, finalError: 'E' }, 'error', 'E'],
    [{ type: 'extension_error', extensionPath: 'x.ts', event: 'e', error: 'E' }, 'error', 'x.ts'],
    [{ type: 'compaction_end', reason: 'manual', result: null, aborted: true, willRetry: false }, 'warning', 'aborted'],
    [{ type: 'budget_exceeded', scope: 'session', snapshot: { reason: 'cost' } }, 'error', 'cost'],
  ])('an event for the user becomes a notice: %o', (event, level, text) => {
    const [notice] = reduceAll([event], loaded()).conversation.notices;
    expect(notice).toMatchObject({ level, text: expect.stringContaining(text), position: 0 });
  });
});

describe('dialogs', () => {
  const ask = { type: 'extension_ui_request', id: 'q1', method: 'confirm', title: 'Go on?', message: 'Really' };
  const cancel = { type: 'extension_ui_request', id: 'x', method: 'cancel', targetId: 'q1' };

  test('a dialog waits, and is not shown twice', () => {
    expect(reduceAll([ask, ask], loaded()).dialogs).toEqual([ask]);
  });

  test.each([
    [
      { ...cancel, answeredBy: 'phone' },
      { outcome: 'answered', answeredBy: 'phone' },
    ],
    [{ ...cancel, timedOut: true }, { outcome: 'timedOut' }],
    [cancel, { outcome: 'withdrawn' }],
  ])('it disappears with a reason: %o', (frame, closed) => {
    const view = reduceAll([ask, frame], loaded());
    expect(view.dialogs).toEqual([]);
    expect(view.closedDialogs).toEqual([expect.objectContaining({ id: 'q1', title: 'Go on?', ...closed })]);
  });

  test('only the latest reasons are shown, so that they do not cover the conversation', () => {
    const frames = Array.from({ length: 30 }, (_, at) => [
      { ...ask, id: `q${at}` },
      { ...cancel, targetId: `q${at}` },
    ]);
    expect(reduceAll(frames.flat(), loaded()).closedDialogs.map(({ id }) => id)).toEqual(['q27', 'q28', 'q29']);
  });

  test('displays of extensions are kept by their key', () => {
    const request = (fields: object) => ({ type: 'extension_ui_request', id: 'd', ...fields });
    const view = reduceAll(
      [
        request({ method: 'setStatus', statusKey: 'k', statusText: 'busy' }),
        request({ method: 'setWidget', widgetKey: 'w', widgetLines: ['a', 'b'] }),
        request({ method: 'set_editor_text', text: 'draft' }),
        request({ method: 'open_url', url: 'https://x.y', instructions: 'Code 1' }),
      ],
      loaded(),
    );
    expect([...view.statusTexts]).toEqual([['k', 'busy']]);
    expect([...view.widgets]).toEqual([['w', ['a', 'b']]]);
    expect(view.editorText).toEqual({ text: 'draft', count: 1 });
    expect(view.links).toEqual([{ id: 'd', url: 'https://x.y', instructions: 'Code 1' }]);
    const removed = reduceAll([request({ method: 'setStatus', statusKey: 'k' })], view);
    expect(removed.statusTexts.size).toBe(0);
  });
});

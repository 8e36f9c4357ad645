// A conversation with an agent elsewhere: snapshots, lost connections, and other clients of the same session.
import { describe, expect, test } from 'vitest';
import type { ConnectionState } from '../../src/client/index.ts';
import { type ConversationFixture, REPLIES, STATE, startConversation } from './conversation-fixture.ts';

const IDLE = { ...STATE, isSettled: true, thinkingLevel: 'off', permissionMode: 'full' };
const BUSY = { ...IDLE, isStreaming: true, isSettled: false };
const ATTACHED = {
  type: 'session_attached',
  ...{ sessionId: 'abc', clientId: 'me', seq: 10, access: 'full', replay: 'snapshot', sessions: 'many' },
};

const user = (text: string, timestamp: number) => ({ role: 'user', content: text, timestamp });
const assistant = (text: string, timestamp: number, fields: object = {}) => ({
  ...{ role: 'assistant', content: [{ type: 'text', text }], stopReason: 'stop', timestamp },
  ...fields,
});
const toolResult = (toolCallId: string, text: string) => ({
  ...{ role: 'toolResult', toolCallId, toolName: 'ls', isError: false, timestamp: 5 },
  content: [{ type: 'text', text }],
});
const snapshot = (fields: object = {}) => ({
  ...{ type: 'session_snapshot', reason: 'too_old', sessionId: 'abc', seq: 10, state: IDLE },
  ...{ messages: [], totalMessages: 0, firstIndex: 0, openMessage: null, runningTools: [] },
  queues: { steering: [], followUp: [] },
  ...fields,
});
const delta = (text: string, seq: number) => ({
  type: 'message_update',
  seq,
  assistantMessageEvent: { type: 'text_delta', contentIndex: 0, delta: text },
});

interface RemoteConversation extends ConversationFixture {
  /** What the agent replies from now on, by command. */
  readonly replies: Record<string, object>;
  setConnectionState(state: ConnectionState): Promise<void>;
  receive(...frames: readonly object[]): Promise<void>;
}

async function startRemote(frames: readonly object[], moreReplies: object = {}): Promise<RemoteConversation> {
  const replies: Record<string, object> = { ...REPLIES, get_state: IDLE, ...moreReplies };
  let listener: (state: ConnectionState) => void = () => {};
  const connection = {
    onConnectionState(added: typeof listener) {
      listener = added;
      return () => {};
    },
  };
  const fixture = await startConversation(
    replies,
    {},
    {
      frames: [ATTACHED, ...frames],
      ports: {
        remote: { location: 'http://127.0.0.1:7420 as me', connection },
        credentials: undefined,
        listSessions: async () => undefined,
      },
    },
  );
  await fixture.agent.waitUntilRead();
  await fixture.clock.advance(1);
  return {
    ...fixture,
    replies,
    async setConnectionState(state) {
      listener(state);
      await fixture.agent.waitUntilRead();
      await fixture.clock.advance(1);
    },
    async receive(...more) {
      fixture.agent.send(...more);
      await fixture.agent.waitUntilRead();
      await fixture.clock.advance(50);
    },
  };
}

/** The lines above the input. */
function getOutput({ terminal }: ConversationFixture): string {
  return terminal.text.join('\n').split('\n›\n')[0] ?? '';
}

const count = (text: string, part: string) => text.split(part).length - 1;

describe('the first paint', () => {
  test('shows where the terminal is attached, the newest messages and what is running', async () => {
    const messages = Array.from({ length: 100 }, (_, at) => user(`message ${at + 900}`, at));
    const remote = await startRemote([
      snapshot({
        ...{ state: BUSY, messages, totalMessages: 1000, firstIndex: 900 },
        openMessage: assistant('First line.\n\nSecond li', 2000),
        runningTools: [{ toolCallId: 't1', toolName: 'bash', args: { command: 'sleep 1' } }],
        queues: { steering: ['queued text'], followUp: [] },
      }),
      delta('ne.', 11),
    ]);
    await remote.clock.advance(50);
    const text = remote.terminal.text.join('\n');
    expect(text).toContain('Attached to http://127.0.0.1:7420 as me');
    expect(text).toContain('… 960 earlier messages are not shown');
    expect(text).not.toContain('message 959');
    expect(text).toContain('› message 960');
    expect(text).toContain('› message 999');
    expect(text).toContain('Second line.');
    expect(count(text, 'First line.')).toBe(1);
    expect(text).toContain('bash');
    expect(text).toContain('↳ next: queued text');
    expect(text).toContain('Working');
    expect(remote.listCalls()).not.toContain('set_event_filter');
    expect(remote.listCalls()).not.toContain('get_messages');
  });

  test('an answer of which the start was missed is printed when it is complete', async () => {
    const remote = await startRemote([snapshot()]);
    await remote.receive({ type: 'message_end', seq: 11, message: assistant('The whole answer.', 3) });
    expect(getOutput(remote)).toContain('The whole answer.');
  });
});

describe('a lost connection', () => {
  const LOST: ConnectionState = { status: 'reconnecting', reason: 'the server ends', attempt: 1, delayMs: 2000 };

  test('is shown, nothing is sent meanwhile, and the text stays in the input', async () => {
    const remote = await startRemote([snapshot()]);
    await remote.setConnectionState(LOST);
    await remote.setConnectionState({ ...LOST, attempt: 2, delayMs: 4000 });
    await remote.type('hello\r');
    const text = remote.terminal.text.join('\n');
    expect(count(text, 'The connection was lost: the server ends.')).toBe(1);
    expect(text).toContain('Not connected · trying again in 4 s (attempt 2)');
    expect(text).toContain('Not connected: nothing was sent.');
    expect(text).toContain('\n› hello\n');
    expect(remote.listCalls()).not.toContain('prompt');
    await remote.setConnectionState({ status: 'connected' });
    await remote.type('\r');
    expect(remote.terminal.text.join('\n')).not.toContain('trying again');
    expect(getOutput(remote)).toContain('Connected again.');
    expect(remote.agent.written.at(-3)).toMatchObject({ type: 'prompt', message: 'hello' });
  });

  test.each([
    ['Shift+Tab', '\u001b[Z', 'cycle_thinking_level'],
    ['Alt+Up', '\u001b[1;3A', 'clear_queue'],
    ['Ctrl+C', '\u0003', 'abort'],
    ['Esc', '\u001b[27u', 'abort'],
  ])('%s has no effect meanwhile', async (_, keys, command) => {
    const remote = await startRemote([snapshot({ state: BUSY })], { get_state: BUSY });
    await remote.setConnectionState(LOST);
    const callsBefore = remote.listCalls();
    await remote.type(keys);
    expect(remote.terminal.text.join('\n')).toContain('Not connected: nothing was sent.');
    expect(remote.listCalls()).toEqual(callsBefore);
    await remote.setConnectionState({ status: 'connected' });
    // A second Ctrl+C within this time quits.
    await remote.clock.advance(2000);
    await remote.type(keys);
    expect(remote.listCalls()).toContain(command);
  });

  test('a choice in a menu has no effect meanwhile', async () => {
    const models = [
      { provider: 'some', id: 'one' },
      { provider: 'some', id: 'two' },
    ];
    const remote = await startRemote([snapshot()], { get_available_models: { models } });
    await remote.type('/model\r');
    await expect.poll(() => remote.terminal.text.join('\n')).toContain('some/one');
    await remote.setConnectionState(LOST);
    await remote.type('\r');
    expect(remote.terminal.text.join('\n')).toContain('Not connected: nothing was sent.');
    expect(remote.listCalls()).not.toContain('set_model');
  });

  test('is shown below an open dialog that is as high as the screen', async () => {
    const remote = await startRemote([snapshot({ state: BUSY })], { get_state: BUSY });
    const question = { type: 'extension_ui_request', id: 'q1', method: 'select', title: 'Allow bash?' };
    const args = { command: Array.from({ length: 40 }, (_, at) => `echo ${at}`).join('\n') };
    const toolCall = { toolCallId: 't1', toolName: 'bash', args, cwd: '/', rules: [] };
    const queued = ['one', 'two', 'three', 'four'];
    await remote.receive(
      { type: 'agent_start', seq: 11 },
      { type: 'queue_update', seq: 12, steering: [], followUp: queued },
    );
    await remote.receive({ ...question, options: ['allow', 'deny'], toolCall });
    await remote.setConnectionState(LOST);
    const screen = remote.terminal.text.slice(-remote.terminal.rows);
    expect(screen).toContain('Not connected · trying again in 2 s (attempt 1)');
    expect(screen).toContain('Allow bash?');
  });

  test('a run that the end of the server interrupted is reported once, and continued with /continue', async () => {
    const messages = [user('question', 1)];
    const remote = await startRemote([snapshot({ messages, totalMessages: 1 })]);
    expect(getOutput(remote)).not.toContain('/continue');
    await remote.setConnectionState(LOST);
    const interrupted = { ...IDLE, isInterrupted: true };
    Object.assign(remote.replies, { get_state: interrupted, continue_run: { disposition: 'started' } });
    await remote.setConnectionState({ status: 'connected' });
    for (const seq of [1, 2]) await remote.receive(snapshot({ state: interrupted, messages, totalMessages: 1, seq }));
    expect(count(getOutput(remote).replaceAll('\n', ' '), 'Enter /continue to continue it.')).toBe(1);
    await remote.type('/continue\r');
    expect(remote.listCalls()).toContain('continue_run');
    await remote.receive(snapshot({ messages, totalMessages: 1, seq: 3 }));
    await remote.receive(snapshot({ state: interrupted, messages, totalMessages: 1, seq: 4 }));
    expect(count(getOutput(remote).replaceAll('\n', ' '), 'Enter /continue to continue it.')).toBe(2);
  });

  test('a second interrupted run is reported, too', async () => {
    const messages = [user('question', 1)];
    const interrupted = snapshot({ messages, totalMessages: 1, state: { ...IDLE, isInterrupted: true } });
    const remote = await startRemote([interrupted], { get_state: interrupted.state });
    await remote.receive({ type: 'agent_start', seq: 11 });
    await remote.receive({ ...interrupted, seq: 12 });
    expect(count(getOutput(remote).replaceAll('\n', ' '), 'Enter /continue to continue it.')).toBe(2);
  });

  test('a reason that is a sentence has one full stop', async () => {
    const remote = await startRemote([snapshot()]);
    await remote.setConnectionState({ ...LOST, reason: 'The process ends.' });
    expect(remote.terminal.text.join(' ')).toContain('The connection was lost: The process ends. Connecting again…');
  });

  test('/quit works without a connection', async () => {
    const remote = await startRemote([snapshot()]);
    await remote.setConnectionState(LOST);
    await remote.type('/quit\r');
    expect(await remote.ended).toMatchObject({ kind: 'quit' });
  });

  test('a snapshot prints only what is new, and continues the answer that was being received', async () => {
    const before = [user('question', 1), assistant('old answer', 2)];
    const remote = await startRemote([snapshot({ messages: before, totalMessages: 2 })]);
    await remote.receive(
      { type: 'agent_start', seq: 11 },
      { type: 'message_end', seq: 12, message: user('next', 3) },
      { type: 'message_start', seq: 13, message: assistant('', 4, { content: [] }) },
      delta('One.\n\nTw', 14),
    );
    const messages = [...before, user('next', 3), assistant('One.\n\nTwo.', 4), toolResult('t1', 'file.txt')];
    await remote.receive(
      snapshot({ seq: 30, state: BUSY, messages, totalMessages: 5, openMessage: assistant('Three.', 6) }),
    );
    await remote.receive(
      delta(' Four.', 31),
      { type: 'message_end', seq: 32, message: assistant('Three. Four.', 6) },
      { type: 'agent_settled', seq: 33, aborted: false },
    );
    const output = getOutput(remote);
    for (const part of ['question', 'old answer', '› next', 'One.', 'Two.', 'file.txt', 'Three. Four.'])
      expect([part, count(output, part)]).toEqual([part, 1]);
    expect(remote.terminal.text.join('\n')).not.toContain('Working');
  });

  test('an open answer that goes on in the snapshot is not repeated', async () => {
    const remote = await startRemote([snapshot({ state: BUSY })]);
    await remote.receive(
      { type: 'message_start', seq: 11, message: assistant('', 4, { content: [] }) },
      delta('a b', 12),
    );
    await remote.receive(snapshot({ seq: 20, state: BUSY, openMessage: assistant('a b c', 4) }));
    await remote.receive(delta(' d', 21), { type: 'message_end', seq: 22, message: assistant('a b c d', 4) });
    expect(count(getOutput(remote), 'a b')).toBe(1);
    expect(getOutput(remote)).toContain('a b c d');
  });

  test('a tool result that was printed before its message is not printed again', async () => {
    const call = { toolCallId: 't1', toolName: 'ls', args: {} };
    const remote = await startRemote([snapshot({ state: BUSY })]);
    await remote.receive(
      { type: 'message_end', seq: 11, message: user('list', 1) },
      { type: 'tool_execution_start', seq: 12, ...call },
      {
        type: 'tool_execution_end',
        seq: 13,
        ...call,
        isError: false,
        result: { content: [{ type: 'text', text: 'file.txt' }] },
      },
    );
    await remote.receive(
      snapshot({ seq: 20, messages: [user('list', 1), toolResult('t1', 'file.txt')], totalMessages: 2 }),
    );
    expect(count(getOutput(remote), 'file.txt')).toBe(1);
  });

  test('it says when messages are missing', async () => {
    const remote = await startRemote([snapshot({ messages: [user('first', 1)], totalMessages: 1 })]);
    await remote.receive(snapshot({ seq: 90, messages: [user('much later', 50)], totalMessages: 80, firstIndex: 79 }));
    const output = getOutput(remote);
    expect(output).toContain('Some messages were missed while there was no connection.');
    expect(output).toContain('… 79 earlier messages are not shown');
    expect(output).toContain('› much later');
  });
});

describe('another session', () => {
  const OTHER = { ...BUSY, sessionId: 'other', sessionName: 'Other' };

  test('/resume shows the answer that is being received there, and continues it', async () => {
    const remote = await startRemote([snapshot({ messages: [user('here', 1)], totalMessages: 1 })]);
    expect(getOutput(remote)).not.toContain('──');
    remote.replies.get_state = OTHER;
    remote.replies.switch_session = { cancelled: false };
    const messages = [user('there', 2)];
    remote.agent.send(
      { ...ATTACHED, sessionId: 'other' },
      snapshot({
        sessionId: 'other',
        seq: 5,
        state: OTHER,
        messages,
        totalMessages: 1,
        openMessage: assistant('One', 3),
      }),
    );
    await remote.type('/resume other\r');
    await remote.receive(delta(' two.', 6));
    expect(remote.agent.written.find(({ type }) => type === 'switch_session')).toMatchObject({ after: 0 });
    expect(remote.terminal.text.join('\n')).toMatch(/── Resumed session: Other ──\n+› there\n+One two\./);
    await remote.receive({ type: 'message_end', seq: 7, message: assistant('One two.', 3) });
    expect(count(getOutput(remote), 'One two.')).toBe(1);
    expect(count(getOutput(remote), '── Resumed')).toBe(1);
    expect(getOutput(remote)).not.toContain('missed');
    expect(remote.listCalls()).not.toContain('get_messages');
  });

  test('/new during an answer ends its lines, and what follows belongs to the new session', async () => {
    const remote = await startRemote([snapshot({ state: BUSY })], { new_session: { cancelled: false } });
    await remote.receive(
      { type: 'message_start', seq: 11, message: assistant('', 4, { content: [] }) },
      delta('half an ans', 12),
      { type: 'tool_execution_start', seq: 13, toolCallId: 't1', toolName: 'bash', args: { command: 'sleep 1' } },
    );
    remote.replies.get_state = { ...IDLE, sessionId: 'new' };
    await remote.type('/new\r');
    await remote.receive({ type: 'message_end', seq: 20, message: assistant('fresh', 9) });
    expect(remote.terminal.text.join('\n')).toMatch(/half an ans\n+── New session ──\n+fresh\n+›/);
    expect(remote.terminal.text.join('\n')).not.toMatch(/sleep 1|Working/);
  });
});

describe('other clients', () => {
  test('their messages have their name; own messages have none', async () => {
    const remote = await startRemote([snapshot()]);
    await remote.receive(
      { type: 'message_end', seq: 11, client: 'bob\u001b[2J', message: user('from bob', 1) },
      { type: 'message_end', seq: 12, client: 'me', message: user('from me', 2) },
    );
    expect(getOutput(remote)).toMatch(/\nbob␛\[2J › from bob\n/);
    expect(getOutput(remote)).toMatch(/\n› from me$/m);
  });

  test('their changes of the state are reported and shown in the footer; own changes are not reported', async () => {
    const state = { ...IDLE, model: { ...STATE.model, id: 'other' }, sessionName: 'Work' };
    const remote = await startRemote([snapshot()]);
    remote.replies.get_state = state;
    await remote.receive({ type: 'state_changed', seq: 11, client: 'bob', state });
    expect(getOutput(remote).replaceAll('\n', ' ')).toContain(
      'bob set the model to some/other, set the session name to Work.',
    );
    expect(remote.terminal.text.at(-1)).toContain('some/other');
    await remote.receive({ type: 'state_changed', seq: 12, client: 'me', state: { ...state, sessionName: 'Mine' } });
    expect(getOutput(remote)).not.toContain('me set');
  });

  test('a conversation that another client has moved is loaded again', async () => {
    const remote = await startRemote([snapshot()], {
      get_state: { ...IDLE, messageCount: 1 },
      get_messages: { messages: [user('the only message', 1)] },
    });
    const moved = { type: 'conversation_changed', sessionId: 'abc', leafId: 'x', reason: 'moved' };
    await remote.receive({ ...moved, seq: 11, client: 'me' });
    expect(remote.listCalls()).not.toContain('get_messages');
    await remote.receive({ ...moved, seq: 12, client: 'bob' });
    await expect.poll(() => getOutput(remote)).toMatch(/── bob has moved the conversation ──\n+› the only message/);
  });

  test('a dialog that another client answers is closed; Ctrl+D leaves a dialog to the others', async () => {
    const question = { type: 'extension_ui_request', method: 'confirm', title: 'Sure?', message: 'Really' };
    const remote = await startRemote([snapshot()]);
    await remote.receive({ ...question, id: 'q1' });
    expect(remote.terminal.text.join('\n')).toContain('Really');
    await remote.receive({ ...question, id: 'c1', method: 'cancel', targetId: 'q1', answeredBy: 'bob' });
    expect(getOutput(remote)).toContain('Answered by bob: Sure?');
    expect(remote.terminal.text.join('\n')).not.toContain('Really');
    await remote.receive({ ...question, id: 'q2' });
    await remote.type('\u0004');
    expect(await remote.ended).toMatchObject({ kind: 'quit' });
    expect(remote.listCalls()).not.toContain('extension_ui_response');
  });

  test('the output of their shell commands is not mixed with that of an own command', async () => {
    const remote = await startRemote([snapshot()]);
    await remote.receive({ type: 'bash_execution_update', seq: 11, client: 'bob', delta: 'output of bob' });
    await remote.type('!true\r');
    expect(remote.terminal.text.join('\n')).not.toContain('output of bob');
  });
});

describe('commands', () => {
  test('sessions that are not listed must be named; keys of this machine are not used', async () => {
    const remote = await startRemote([snapshot()], { get_login_providers: { providers: [] } });
    await remote.type('/resume\r');
    expect(getOutput(remote)).toContain('This agent does not list its sessions. Name one: /resume ID');
    await remote.type('/logout\r');
    await expect
      .poll(() => getOutput(remote).replaceAll('\n', ' '))
      .toContain('The keys are stored where the agent runs.');
    await remote.type('/login openai\r');
    await expect.poll(() => getOutput(remote)).toContain('Unknown provider: openai');
    expect(remote.savedKeys).toEqual([]);
  });
});

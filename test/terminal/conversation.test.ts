// A whole conversation on an emulated terminal: hostile output of the agent, and keys.
import { array, assert, asyncProperty, constantFrom, oneof, string } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { REPLIES, STATE, STATS, startConversation } from './conversation-fixture.ts';

const hostileText = array(
  oneof(
    string({ unit: 'binary', maxLength: 12 }),
    constantFrom(
      '\u001b[2J',
      '\u001b]0;t\u0007',
      '\u009b2J',
      '\r',
      '\b',
      '**',
      '`',
      '\n- ',
      '\n```\n',
      '|a|b|\n|-|-|\n',
      '\u202e',
      '\ud83d',
    ),
  ),
  { maxLength: 12 },
).map((pieces) => pieces.join(''));

describe('a hostile agent', () => {
  test('cannot send control characters or escape sequences to the terminal', async () => {
    const { agent, terminal, clock } = await startConversation();
    expect(() => terminal.write('\u001b[5n')).toThrow('Unexpected terminal output');
    await assert(
      asyncProperty(hostileText, async (text) => {
        const message = {
          role: 'assistant',
          content: [{ type: 'text', text }],
          stopReason: 'error',
          errorMessage: text,
        };
        const update = (event: object) => ({
          type: 'message_update',
          assistantMessageEvent: { contentIndex: 0, ...event },
        });
        const result = { content: [{ type: 'text', text }], details: { diff: text } };
        const call = { toolCallId: text, toolName: text, args: { path: text, other: [text] } };
        agent.send(
          { type: 'agent_start' },
          { type: 'message_end', message: { role: 'user', content: text } },
          { type: 'message_start', message: { ...message, content: [] } },
          ...[update({ type: 'thinking_delta', delta: text }), update({ type: 'text_delta', delta: text })],
          update({ type: 'toolcall_start', toolName: text, id: text }),
          { type: 'message_end', message },
          { type: 'tool_execution_start', ...call },
          { type: 'tool_execution_update', ...call, partialResult: result },
        );
        await agent.waitUntilRead();
        await clock.advance(40);
        agent.send(
          { type: 'tool_execution_end', ...call, result, isError: text.length % 2 === 0 },
          { type: 'queue_update', steering: [text], followUp: [text] },
          { type: 'notice', level: 'warning', message: text },
          { type: 'subagent_start', id: text, agent: text, isolated: false },
          { type: 'extension_error', extensionPath: text, event: text, error: text },
          { type: 'auto_retry_start', attempt: 1, maxAttempts: 2, delayMs: 1000, errorMessage: text },
          ...['notify', 'setTitle', 'setStatus', 'setWidget', 'set_editor_text'].map((method) => ({
            ...{ type: 'extension_ui_request', id: text, method, message: text, title: text, text },
            ...{ statusKey: 'one', statusText: text, widgetKey: 'one', widgetLines: [text] },
          })),
          {
            type: 'extension_ui_request',
            id: `${text}1`,
            method: 'select',
            title: text,
            options: [text, text],
            timeout: 50,
          },
        );
        await agent.waitUntilRead();
        // The emulator throws for unexpected output.
        await clock.advance(100);
        agent.send({ type: 'agent_end', messages: [], willRetry: false }, { type: 'agent_settled', aborted: false });
        await agent.waitUntilRead();
        await clock.advance(200);
      }),
      // Each run draws about fifty frames.
      { numRuns: 40 },
    );
  });
});

describe('keys', () => {
  test('messages are sent while the agent is idle or running; queued messages can be restored', async () => {
    const { agent, type, terminal } = await startConversation();
    await type('hello\r');
    expect(agent.written.at(-1)).toMatchObject({ type: 'get_session_stats' });
    expect(agent.written).toContainEqual(
      expect.objectContaining({ type: 'prompt', message: 'hello', streamingBehavior: 'steer' }),
    );
    await type('/then more\r');
    expect(agent.written).toContainEqual(
      expect.objectContaining({ type: 'prompt', message: 'more', streamingBehavior: 'followUp' }),
    );
    await type('\u001b[1;3A');
    expect(terminal.text).toContain('› queued');
  });

  test('Escape stops the run and returns queued messages to the input, as they were written', async () => {
    const queued = 'look at @a.txt\n\n<file name="a.txt">\nlong text\n</file>';
    const clearQueue = { steering: [queued], followUp: ['afterwards'] };
    const { agent, listCalls, type, clock, terminal } = await startConversation({
      ...REPLIES,
      clear_queue: clearQueue,
    });
    agent.send({ type: 'agent_start' });
    await agent.waitUntilRead();
    await type('look at @a.txt\r');
    agent.send({ type: 'queue_update', steering: [queued], followUp: ['afterwards'] });
    await agent.waitUntilRead();
    expect(terminal.text).toContain('↳ next: look at @a.txt …');
    expect(terminal.text).toContain('↳ follow-up: afterwards');
    await type('a draft');
    await type('\u001b');
    await clock.advance(50);
    expect(listCalls().slice(-2)).toEqual(['clear_queue', 'abort']);
    await agent.waitUntilRead();
    await clock.advance(1);
    const at = terminal.text.indexOf('› look at @a.txt');
    expect(terminal.text.slice(at, at + 3)).toEqual(['› look at @a.txt', '  afterwards', '  a draft']);
    expect(listCalls().filter((name) => name === 'prompt')).toHaveLength(1);
  });

  test('a menu opens while a command or a file is typed; Escape closes it and does not stop the run', async () => {
    const { agent, listCalls, type, clock, terminal } = await startConversation();
    agent.send({ type: 'agent_start' });
    await type('/thi');
    await clock.advance(10);
    expect(terminal.text.join('\n')).toContain('› /thinking  Set the thinking level');
    await type('\u001b');
    await clock.advance(50);
    expect(terminal.text.join('\n')).not.toContain('Set the thinking level');
    expect(listCalls()).not.toContain('abort');
    await type('\u0015see @note');
    await expect.poll(() => terminal.text).toContain('› my notes/');
    await type('\u001b[B\t');
    expect(terminal.text).toContain('› see @"my notes/read me.md"');
  });

  test('the footer shows the directory and the branch', async () => {
    const contextUsage = { tokens: 10, contextWindow: 100, percent: 10 };
    const { terminal, clock } = await startConversation({ ...REPLIES, get_session_stats: { ...STATS, contextUsage } });
    await clock.advance(10);
    expect(terminal.text).toContain('some/model · context 10% · ~/project (main) · /help');
  });

  test('a resumed session whose last run was interrupted says so', async () => {
    const messages = [{ role: 'user', content: 'question', timestamp: 1 }];
    const state = { ...STATE, messageCount: 1, isInterrupted: true };
    const { terminal } = await startConversation({ ...REPLIES, get_state: state, get_messages: { messages } });
    await expect.poll(() => terminal.text.join(' ')).toMatch(/› question +The last run was interrupted by the end of/);
    expect(terminal.text.join(' ')).toContain('Enter /continue to continue it.');
  });

  test('an unknown slash command is not sent', async () => {
    const { listCalls, type, terminal } = await startConversation();
    await type('/nothing\r');
    expect(listCalls()).not.toContain('prompt');
    expect(terminal.text.join('\n')).toContain('Unknown command: /nothing');
    await type('/usr/bin is a folder\r');
    expect(listCalls()).toContain('prompt');
  });

  test('Escape aborts only a running agent; Ctrl+C twice quits', async () => {
    const { agent, listCalls, type, clock, terminal, ended } = await startConversation();
    await type('\u001b');
    await clock.advance(50);
    expect(listCalls()).not.toContain('abort');
    agent.send({ type: 'agent_start' });
    await agent.waitUntilRead();
    await type('\u0003');
    expect(listCalls()).toContain('abort');
    expect(terminal.text.join('\n')).toContain('Press Ctrl+C again to quit');
    await clock.advance(3000);
    agent.send({ type: 'agent_settled', aborted: true });
    await agent.waitUntilRead();
    await type('\u0003');
    await clock.advance(3000);
    await type('\u0003');
    await type('\u0003');
    expect(await ended).toMatchObject({ kind: 'quit' });
  });

  test('Ctrl+C clears the draft and Ctrl+Y restores it', async () => {
    const fixture = await startConversation();
    await fixture.type('draft text');
    expect(fixture.terminal.text).toContain('› draft text');
    await fixture.type('\u0003');
    expect(fixture.terminal.text.join('\n')).not.toContain('draft text');
    await fixture.type('\u0019');
    expect(fixture.terminal.text).toContain('› draft text');
  });

  test('the conversation ends when the agent exits', async () => {
    const { agent, ended } = await startConversation();
    agent.exit({ code: 3, stderr: 'no more' });
    expect(await ended).toEqual({ kind: 'agent-exited', exitInfo: { code: 3, stderr: 'no more' } });
  });
});

describe('commands', () => {
  const MODELS = [
    { provider: 'some', id: 'large', name: 'Large', contextWindow: 1_000_000, reasoning: true },
    { provider: 'some', id: 'small', name: 'Small', contextWindow: 8_000, reasoning: false },
    { provider: 'other', id: 'large', name: 'Other', contextWindow: 200_000, reasoning: true },
  ];
  const usage = (input: number, total: number) => ({
    ...{ input, output: 10, cacheRead: 1500, cacheWrite: 0 },
    cost: { total },
  });
  const answer = (model: string, input: number, total: number) => ({
    ...{ role: 'assistant', content: [], provider: 'some', model, usage: usage(input, total), stopReason: 'stop' },
  });

  test('/model shows a list that is filtered while typing, and selects with Enter', async () => {
    const fixture = await startConversation({ ...REPLIES, get_available_models: { models: MODELS } });
    const { type, terminal, agent, clock } = fixture;
    await type('/model\r');
    await expect.poll(() => terminal.text).toContain('› some/large   Large  1M context    thinking');
    expect(terminal.text).toContain('  1 of 3');
    await type('large oth');
    await clock.advance(10);
    expect(terminal.text).toContain('› other/large  Other  200k context  thinking');
    expect(terminal.text.join('\n')).not.toContain('some/large');
    await type('\r');
    expect(agent.written).toContainEqual(
      expect.objectContaining({ type: 'set_model', provider: 'other', modelId: 'large' }),
    );
  });

  test('/cost shows the tokens, and each model if there are several', async () => {
    const tokens = { input: 12345, output: 20, cacheRead: 3000, cacheWrite: 0, total: 15365 };
    const messages = [answer('large', 12000, 0.5), answer('small', 345, 0.01)];
    const replies = { ...REPLIES, get_session_stats: { ...STATS, tokens, cost: 0.51 }, get_messages: { messages } };
    const { type, terminal } = await startConversation(replies);
    await type('/cost\r');
    await expect.poll(() => terminal.text.join('\n')).toContain('Cost: $0.5100');
    const text = terminal.text.join('\n');
    expect(text).toContain('input        12,345');
    expect(text).toContain('cache read    3,000');
    expect(text).toMatch(/some\/large: \$0\.5000 · in 12,000 · out 10 · cache 1,500$/m);
    expect(text).toContain('some/small: $0.0100 · in 345');
  });

  test('/context shows a bar and the parts of the context window', async () => {
    const breakdown = {
      ...{ contextWindow: 10_000, tokens: 5_000, systemPrompt: { tokens: 500 }, messages: { count: 4, tokens: 2_500 } },
      contextFiles: [{ path: 'AGENTS.md', tokens: 1000 }],
      tools: [
        { name: 'bash', tokens: 300 },
        { name: 'read', tokens: 700 },
      ],
    };
    const { type, terminal } = await startConversation({ ...REPLIES, get_context_breakdown: breakdown });
    await type('/context\r');
    await expect.poll(() => terminal.text.join('\n')).toContain('about 5,000 of 10,000 tokens (50%)');
    const text = terminal.text.join('\n');
    expect(text).toContain(`[${'█'.repeat(2)}${'▓'.repeat(4)}${'▒'.repeat(4)}${'■'.repeat(10)}${'·'.repeat(20)}]`);
    expect(text).toMatch(/messages \(4\)\s+2,500 {3}25\.0%/);
    expect(text).toMatch(/free\s+5,000 {3}50\.0%/);
    expect(text).toContain('Context files: AGENTS.md 1,000');
    expect(text).toContain('Largest tools: read 700, bash 300');
  });

  test('/login stores a key that is never shown or recorded', async () => {
    const signIns = {
      providers: [{ id: 'github-copilot', name: 'GitHub Copilot', available: true, authenticated: false }],
    };
    const fixture = await startConversation({ ...REPLIES, get_login_providers: signIns });
    const { type, terminal, savedKeys, clock } = fixture;
    await type('/login\r');
    await expect.poll(() => terminal.text.join('\n')).toContain('github-copilot');
    expect(terminal.text.join('\n')).toMatch(/openai {10}OpenAI {10}API key {2}has credentials/);
    await type('anthr');
    await type('\r');
    await expect.poll(() => terminal.text).toContain('API key of Anthropic');
    await type('sk-part');
    await type('\u001b[200~-pasted\n\u001b[201~');
    await clock.advance(10);
    expect(terminal.text).toContain('› 14 characters, not shown');
    await type('\r');
    await expect.poll(() => savedKeys).toEqual(['anthropic sk-part-pasted']);
    await expect.poll(() => terminal.text.join('\n')).toContain('The key of Anthropic is stored in auth.json');
    await type('/login openai sk-wrong\r');
    await expect.poll(() => terminal.text.join('\n')).toContain('/login takes only the name of a provider');
    await type('\u001b[A');
    expect(terminal.text).toContain('› /login');
    expect(terminal.text.join('\n')).not.toMatch(/sk-/);
    expect(fixture.agent.written.map((frame) => JSON.stringify(frame)).join()).not.toContain('sk-');
  });

  test('/login starts a sign-in and shows its address; /logout removes stored credentials', async () => {
    const signIns = {
      providers: [{ id: 'github-copilot', name: 'GitHub Copilot', available: true, authenticated: false }],
    };
    const fixture = await startConversation({ ...REPLIES, get_login_providers: signIns });
    const { agent, type, terminal, savedKeys } = fixture;
    agent.send({
      type: 'extension_ui_request',
      id: 'u',
      method: 'open_url',
      url: 'https://x.test/d',
      instructions: 'Enter the code AB-12',
    });
    await type('/login github-copilot\r');
    await expect.poll(() => terminal.text.join('\n')).toContain('Signed in to GitHub Copilot.');
    expect(agent.written).toContainEqual(expect.objectContaining({ type: 'login', providerId: 'github-copilot' }));
    expect(terminal.text.join('\n')).toMatch(/Open https:\/\/x\.test\/d\s+Enter the code AB-12/);
    await type('/logout anthropic\r');
    await expect.poll(() => terminal.text.join('\n')).toContain('auth.json has no credentials of anthropic');
    await type('/logout openai\r');
    await expect.poll(() => savedKeys).toEqual(['removed openai']);
    await expect.poll(() => terminal.text.join('\n')).toMatch(/It still\s+has a key from another source/);
  });

  test('/login asks for the method if the provider has a sign-in and keys', async () => {
    const signIns = { providers: [{ id: 'openai', name: 'OpenAI', available: true, authenticated: false }] };
    const { agent, type, terminal, clock } = await startConversation({ ...REPLIES, get_login_providers: signIns });
    await type('/login openai\r');
    await expect.poll(() => terminal.text.join('\n')).toMatch(/OpenAI {2}sign-in.*OpenAI {2}API key/s);
    expect(terminal.text.join('\n')).not.toContain('anthropic');
    await type('key\r');
    await expect.poll(() => terminal.text).toContain('API key of OpenAI');
    await type('\u001b');
    await clock.advance(100);
    await type('/login openai\r');
    await expect.poll(() => terminal.text.join('\n')).toContain('Log in to which provider?');
    await type('sign\r');
    await expect.poll(() => terminal.text.join('\n')).toContain('Signed in to OpenAI.');
    expect(agent.written).toContainEqual(expect.objectContaining({ type: 'login', providerId: 'openai' }));
  });

  test('/login accepts no key where the terminal shows what is typed', async () => {
    const replies = { ...REPLIES, get_login_providers: { providers: [] } };
    const { type, terminal, savedKeys } = await startConversation(replies, { TERM: 'dumb' });
    await type('/login anthropic\n');
    await expect.poll(() => terminal.text.join('\n')).toContain('his terminal shows what you type');
    expect(savedKeys).toEqual([]);
  });
});

test('a user who quits during the first run leaves a session with messages', async () => {
  const { agent, type, ended } = await startConversation();
  agent.send({ type: 'agent_start' }, { type: 'message_end', message: { role: 'user', content: 'hello' } });
  await agent.waitUntilRead();
  await type('/quit\r');
  expect(await ended).toMatchObject({ kind: 'quit', state: { messageCount: 1 } });
});

// The whole conversation on a terminal of our own that knows no sequence but ours: what a hostile agent says, what keys do.
import { array, assert, asyncProperty, constantFrom, oneof, string } from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import type { Tty, TtyEars } from '../../src/contracts/tty.ts';
import { converse } from '../../src/terminal/index.ts';
import { createFakeClock } from '../../src/testing/index.ts';
import { createPuppet, type PuppetTransport } from '../client/puppet-transport.ts';
import { Grid } from './grid.ts';

const STATE = {
  model: { provider: 'some', id: 'model', api: 'x', name: 'Model' },
  ...{
    thinkingLevel: 'off',
    isStreaming: false,
    isCompacting: false,
    sessionId: 'abc',
    trusted: false,
    messageCount: 0,
  },
};
const STATS = { cost: 0, tokens: { total: 0 }, totalMessages: 0, toolCalls: 0 };

const REPLIES: Readonly<Record<string, object>> = {
  get_state: STATE,
  get_session_stats: STATS,
  get_messages: { messages: [] },
  get_commands: { commands: [] },
  clear_queue: { steering: ['queued'], followUp: [] },
};

interface Stage {
  readonly agent: PuppetTransport;
  readonly grid: Grid;
  readonly clock: ReturnType<typeof createFakeClock>;
  type(keys: string): Promise<void>;
  /** What the agent was asked, by name. */
  asked(): unknown[];
  readonly ended: Promise<unknown>;
}

async function stage(replies: Readonly<Record<string, object>> = REPLIES): Promise<Stage> {
  const agent = createPuppet(({ id, type }, puppet) => {
    if (type === 'extension_ui_response') return;
    puppet.say({ type: 'response', id, command: type, success: true, data: replies[String(type)] ?? {} });
  });
  const grid = new Grid(60, 20);
  const clock = createFakeClock();
  let ears: TtyEars | undefined;
  const tty: Tty = {
    columns: 60,
    rows: 20,
    write: (text) => grid.write(text),
    take: (given) => {
      ears = given;
    },
    release() {},
    suspend() {},
    lend: (to) => to(),
  };
  const files = { read: async () => new Uint8Array(), replace: async () => {}, makeDirectory: async () => {} };
  const stop = new AbortController();
  const ended = converse({
    ...{ client: createClient(agent), tty, clock, env: {}, version: '1', resume: false, stopped: stop.signal },
    history: { files, folder: '/project/history', path: undefined },
    edit: async (text) => `${text}, edited`,
    names: async () => [],
    sessions: async () => [],
    onStderr() {},
  });
  onTestFinished(() => stop.abort());
  await agent.heard();
  await clock.advance(1);
  return {
    ...{ agent, grid, clock, ended },
    asked: () => agent.written.map(({ type }) => type),
    async type(keys) {
      ears?.typed(new TextEncoder().encode(keys));
      await agent.heard();
      await clock.advance(1);
    },
  };
}

const evil = array(
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
  test('says what it likes, and the terminal gets only letters and our own sequences', async () => {
    const { agent, grid, clock } = await stage();
    expect(() => grid.write('\u001b[5n')).toThrow('Nobody sends this');
    await assert(
      asyncProperty(evil, async (text) => {
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
        agent.say(
          { type: 'agent_start' },
          { type: 'message_end', message: { role: 'user', content: text } },
          { type: 'message_start', message: { ...message, content: [] } },
          ...[update({ type: 'thinking_delta', delta: text }), update({ type: 'text_delta', delta: text })],
          update({ type: 'toolcall_start', toolName: text, id: text }),
          { type: 'message_end', message },
          { type: 'tool_execution_start', ...call },
          { type: 'tool_execution_update', ...call, partialResult: result },
        );
        await agent.heard();
        await clock.advance(40);
        agent.say(
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
        await agent.heard();
        // The grid throws at anything that nobody sends to a terminal.
        await clock.advance(100);
        agent.say({ type: 'agent_end', messages: [], willRetry: false }, { type: 'agent_settled', aborted: false });
        await agent.heard();
        await clock.advance(200);
      }),
      // Each is a whole run with some fifty pictures of it.
      { numRuns: 40 },
    );
  });
});

describe('keys', () => {
  test('what is said is sent, also while it works; what waits is taken back', async () => {
    const { agent, type, grid } = await stage();
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
    expect(grid.text).toContain('› queued');
  });

  test('a word that nobody knows is not sent', async () => {
    const { asked, type, grid } = await stage();
    await type('/nothing\r');
    expect(asked()).not.toContain('prompt');
    expect(grid.text.join('\n')).toContain('There is no /nothing');
    await type('/usr/bin is a folder\r');
    expect(asked()).toContain('prompt');
  });

  test('Escape stops only what works; Ctrl+C twice leaves', async () => {
    const { agent, asked, type, clock, grid, ended } = await stage();
    await type('\u001b');
    await clock.advance(50);
    expect(asked()).not.toContain('abort');
    agent.say({ type: 'agent_start' });
    await agent.heard();
    await type('\u0003');
    expect(asked()).toContain('abort');
    expect(grid.text.join('\n')).toContain('Ctrl+C once more leaves');
    await clock.advance(3000);
    agent.say({ type: 'agent_settled', aborted: true });
    await agent.heard();
    await type('\u0003');
    await clock.advance(3000);
    await type('\u0003');
    await type('\u0003');
    expect(await ended).toMatchObject({ how: 'left' });
  });

  test('what was refused stands in the draft again', async () => {
    const agent = await stage();
    await agent.type('kept words');
    expect(agent.grid.text).toContain('› kept words');
    await agent.type('\u0003');
    expect(agent.grid.text.join('\n')).not.toContain('kept words');
    await agent.type('\u0019');
    expect(agent.grid.text).toContain('› kept words');
  });

  test('when the agent is gone, the conversation ends and says how', async () => {
    const { agent, ended } = await stage();
    agent.die({ code: 3, stderr: 'no more' });
    expect(await ended).toEqual({ how: 'lost', farewell: { code: 3, stderr: 'no more' } });
  });
});

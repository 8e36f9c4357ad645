// A log that can be taken over records which tool calls have been started. Without the record no tool runs.
import { object } from 'valibot';
import { describe, expect, test } from 'vitest';
import { type Tool, tool } from '../../../src/contracts/index.ts';
import type { SessionEntry } from '../../../src/protocol/index.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';
import { openSession, type SessionFixtureOptions } from './session-fixture.ts';
import { createLostFault, createSharedStore } from './shared-store.ts';

type Run = Tool['run'];

const done: Run = async () => ({ content: [{ type: 'text', text: 'done' }] });
const createTool = (name: string, effect: Tool['effect'], run: Run = done) =>
  tool({ name, doc: '', effect, params: object({}), run }) as unknown as Tool;

const CALLS = {
  calls: [
    { id: 'r1', name: 'look' },
    { id: 'w1', name: 'change' },
    { id: 'w2', name: 'change' },
  ],
};

function open(options: Partial<SessionFixtureOptions> = {}) {
  const store = createSharedStore();
  const script = [CALLS, { text: 'finished' }];
  return { store, opening: openSession({ directory: createTemporaryDirectory(), script, store, ...options }) };
}

const describeEntry = (entry: SessionEntry) => {
  if (entry.type === 'message')
    return `${entry.message.role}${'toolCallId' in entry.message ? ` ${entry.message.toolCallId}` : ''}`;
  return entry.type === 'custom' ? `${entry.customType} ${JSON.stringify(entry.data)}` : entry.type;
};
const isRelevant = (text: string) => /^(user|assistant|toolResult|parley)/.test(text);

describe('a log that can be taken over', () => {
  test('the start of each tool that can change something is stored before it runs', async () => {
    const seen: string[][] = [];
    const { store, opening } = open({
      tools: [
        createTool('look', 'read'),
        createTool('change', 'write', async (params, context) => {
          seen.push(store.entries.map(describeEntry).filter(isRelevant).slice(-2));
          return done(params, context);
        }),
      ],
    });
    const { prompt } = await opening;
    await prompt('go');
    expect(store.entries.map(describeEntry).filter(isRelevant)).toEqual([
      'user',
      'assistant',
      'toolResult r1',
      'parley.tool_start {"toolCallId":"w1"}',
      'toolResult w1',
      'parley.tool_start {"toolCallId":"w2"}',
      'toolResult w2',
      'assistant',
    ]);
    expect(seen).toEqual([
      ['toolResult r1', 'parley.tool_start {"toolCallId":"w1"}'],
      ['toolResult w1', 'parley.tool_start {"toolCallId":"w2"}'],
    ]);
  });

  test('a call that a hook refuses is not recorded as started', async () => {
    const toolCall = async ({ toolCallId }: { toolCallId: string }) =>
      toolCallId === 'w1' ? ({ block: true, reason: 'no' } as const) : undefined;
    const { store, opening } = open({
      tools: [createTool('look', 'read'), createTool('change', 'execute')],
      hooks: [{ toolCall }],
    });
    await (await opening).prompt('go');
    expect(store.entries.map(describeEntry).filter((text) => text.startsWith('parley'))).toEqual([
      'parley.tool_start {"toolCallId":"w2"}',
    ]);
  });

  test('a tool whose start cannot be stored does not run, and the run ends', async () => {
    const ran: string[] = [];
    const change = createTool('change', 'write', async (params, context) => {
      ran.push(context.toolCallId);
      return done(params, context);
    });
    const { store, opening } = open({ tools: [createTool('look', 'read'), change] });
    const { prompt, events, models, notices, session } = await opening;
    store.onAppend = (entries) => {
      if (entries.some((entry) => entry.type === 'custom' && entry.customType === 'parley.tool_start'))
        throw new Error('no connection');
    };
    await prompt('go');
    expect([ran, models.requests.length]).toEqual([[], 1]);
    const results = events.flatMap((event) => (event.type === 'tool_execution_end' ? [event] : []));
    const text = 'The tool was not run, because its start could not be stored: no connection';
    expect(results).toMatchObject([
      { toolCallId: 'r1', isError: false },
      { toolCallId: 'w1', isError: true, result: { content: [{ text }] } },
      { toolCallId: 'w2', isError: true, result: { content: [{ text }] } },
    ]);
    expect(notices()).toEqual(['error: no connection', expect.stringContaining('info: ')]);
    expect(events.at(-1)).toMatchObject({ type: 'session_settled' });
    // The session goes on.
    store.onAppend = () => {};
    await prompt('go on');
    expect(session.history.lastAssistantText()).toBe('finished');
  });

  test('a run that has lost its log ends at once: no tool, no request, no entry', async () => {
    const ran: string[] = [];
    const change = createTool('change', 'write', async (params, context) => {
      ran.push(context.toolCallId);
      if (context.toolCallId === 'w1') store.takeOver();
      return done(params, context);
    });
    const { store, opening } = open({ tools: [createTool('look', 'read'), change] });
    const { session, events, models, notices } = await opening;
    const outcomes: unknown[] = [];
    await session.runs.prompt({ message: 'go', onAccepted() {}, onOutcome: (outcome) => void outcomes.push(outcome) });
    expect([ran, models.requests.length]).toEqual([['w1'], 1]);
    expect(store.entries.map(describeEntry).filter(isRelevant).at(-1)).toBe('parley.tool_start {"toolCallId":"w1"}');
    const { message } = createLostFault();
    expect(notices()).toEqual([`error: ${message}`]);
    expect(outcomes).toMatchObject([{ status: 'error', error: { message } }]);
    expect(events.slice(-3)).toMatchObject([
      { type: 'agent_end', willRetry: false },
      { type: 'agent_settled' },
      { type: 'session_settled' },
    ]);
    await expect(session.runs.prompt({ message: 'more', onAccepted() {} })).rejects.toThrow(message);
    expect(notices()).toHaveLength(1);
  });

  test('a tool is aborted when another write finds that the log is lost', async () => {
    let isAborted = false;
    let markRunning = () => {};
    const running = new Promise<void>((resolve) => (markRunning = resolve));
    const change = createTool('change', 'write', async (params, context) => {
      markRunning();
      await new Promise<void>((resolve) => context.signal.addEventListener('abort', () => resolve()));
      isAborted = true;
      return done(params, context);
    });
    const { store, opening } = open({ tools: [createTool('look', 'read'), change] });
    const { session, prompt, models } = await opening;
    const run = prompt('go');
    await running;
    store.takeOver();
    await expect(session.runs.steer({ message: 'faster' })).rejects.toThrow('taken over');
    await run;
    expect([isAborted, models.requests.length]).toEqual([true, 1]);
  });
});

test('a log of one process has no such entries', async () => {
  const fixture = await openSession({
    directory: createTemporaryDirectory(),
    script: [CALLS, { text: 'finished' }],
    tools: [createTool('look', 'read'), createTool('change', 'write')],
  });
  await fixture.prompt('go');
  const { entries } = await fixture.session.history.entries();
  expect(entries.map(describeEntry).filter(isRelevant)).toEqual([
    ...['user', 'assistant', 'toolResult r1', 'toolResult w1', 'toolResult w2', 'assistant'],
  ]);
  expect(entries.filter((entry) => 'startsRecordedIn' in entry)).toEqual([]);
});

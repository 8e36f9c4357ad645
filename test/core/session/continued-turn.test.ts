// A process that takes a run over finishes the tool calls of the last answer: those that were not started, and those that only read.
import { object } from 'valibot';
import { expect, test } from 'vitest';
import { type Hooks, type Tool, type ToolResult, tool } from '../../../src/contracts/index.ts';
import { findOpenTurn } from '../../../src/core/session/find-open-turn.ts';
import type { AgentEvent, SessionEntry } from '../../../src/protocol/index.ts';
import { createFakeClock } from '../../../src/testing/index.ts';
import { findHistoryErrors } from '../../support/history-check.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';
import { assistant, call, createPath, result, user } from '../entries.ts';
import { openSession, type SessionFixtureOptions } from './session-fixture.ts';
import { createSharedStore } from './shared-store.ts';

const HEADER = { type: 'session', version: 3, id: 's1', timestamp: '2026-01-02T03:04:05.000Z', cwd: '/' } as const;
const INTERRUPTED = 'Interrupted: the program ended before this tool call was finished.';
const STARTED = `${INTERRUPTED} It was started at 2026-01-02T03:04:05.000Z and may have had effects.`;

const start = (toolCallId: string) =>
  ({ type: 'custom', customType: 'parley.tool_start', data: { toolCallId } }) as const;
const recorded = (...blocks: ReturnType<typeof call>[]) => ({
  type: 'message' as const,
  message: assistant(blocks, { stopReason: 'toolUse' }),
  startsRecordedIn: 's1',
});
const look = (id: string) => call(id, 'look');
const change = (id: string) => call(id, 'change');

interface Continued {
  /** The calls that were run. */
  readonly ran: string[];
  readonly events: string[];
  readonly results: string[];
  readonly requests: number;
}

async function continueRun(
  path: SessionEntry[],
  options: Partial<SessionFixtureOptions> & { toolResult?: Partial<ToolResult> } = {},
): Promise<Continued> {
  const ran: string[] = [];
  const createTool = (name: string, effect: Tool['effect']) =>
    tool({
      ...{ name, doc: '', effect, params: object({}) },
      async run(_, { toolCallId }) {
        ran.push(toolCallId);
        return { content: [{ type: 'text', text: `done ${toolCallId}` }], ...options.toolResult };
      },
    }) as unknown as Tool;
  const fixture = await openSession({
    directory: createTemporaryDirectory(),
    script: [{ text: 'finished' }, { text: 'finished again' }],
    store: createSharedStore(HEADER, [path]),
    session: 'shared',
    tools: [createTool('look', 'read'), createTool('change', 'write')],
    ...options,
  });
  const { session, models, events } = fixture;
  expect(session.runs.isInterrupted).toBe(true);
  await session.runs.continueInterrupted({ onAccepted() {} });
  expect(session.runs.isInterrupted).toBe(false);
  expect(models.requests.flatMap(({ messages }) => findHistoryErrors(messages))).toEqual([]);
  const results = session.history.messages().flatMap((message) => {
    if (message.role !== 'toolResult') return [];
    return message.content.flatMap((block) => (block.type === 'text' ? `${message.toolCallId}: ${block.text}` : []));
  });
  return {
    ran, // The notice is about the model of the log, which does not exist.
    events: events.filter(({ type }) => type !== 'notice').map(describeEvent),
    results,
    requests: models.requests.length,
  };
}

function describeEvent(event: AgentEvent): string {
  if ('toolCallId' in event) return `${event.type} ${event.toolCallId}`;
  return 'message' in event && typeof event.message === 'object' ? `${event.type} ${event.message.role}` : event.type;
}

test('a call that was started is interrupted, later calls run, and a call that only reads runs again', async () => {
  const continued = await continueRun(
    createPath(
      user('go'),
      recorded(change('a'), change('b'), look('c'), change('d')),
      start('a'),
      result('a', 'done a', 'change'),
      start('b'),
    ),
  );
  expect(continued.ran).toEqual(['c', 'd']);
  expect(continued.results).toEqual(['a: done a', `b: ${STARTED}`, 'c: done c', 'd: done d']);
  const executed = (id: string) => [
    `tool_execution_start ${id}`,
    `tool_execution_end ${id}`,
    'message_start toolResult',
    'message_end toolResult',
  ];
  expect(continued.events).toEqual([
    'agent_start',
    'turn_start',
    ...executed('b'),
    ...executed('c'),
    ...executed('d'),
    'turn_end assistant',
    ...['turn_start', 'message_start assistant', 'message_end assistant', 'turn_end assistant'],
    ...['agent_end', 'agent_settled', 'session_settled'],
  ]);
});

test('a read that was in progress is run again', async () => {
  const continued = await continueRun(createPath(user('go'), recorded(look('a'), change('b'))));
  expect([continued.ran, continued.results]).toEqual([
    ['a', 'b'],
    ['a: done a', 'b: done b'],
  ]);
});

test('the approval of a call that was not started is asked again', async () => {
  const asked: string[] = [];
  const toolCall: Hooks['toolCall'] = async ({ toolCallId }) => {
    asked.push(toolCallId);
    return toolCallId === 'b' ? { block: true, reason: 'refused' } : undefined;
  };
  const continued = await continueRun(createPath(user('go'), recorded(change('a'), change('b'))), {
    hooks: [{ toolCall }],
  });
  expect([asked, continued.ran]).toEqual([['a', 'b'], ['a']]);
  expect(continued.results).toEqual(['a: done a', 'b: refused']);
});

test('without a record of starts, only calls that read are run', async () => {
  const path = createPath(user('go'), assistant([change('a'), look('b')], { stopReason: 'toolUse' }));
  const continued = await continueRun(path);
  expect(continued.ran).toEqual(['b']);
  expect(continued.results).toEqual([`a: ${INTERRUPTED} It may have had effects.`, 'b: done b']);
});

test('the record of another session does not count: the answer was copied from it', () => {
  const path = createPath(user('go'), recorded(change('a')));
  expect(findOpenTurn(path, 's1')?.progress).toEqual([{}]);
  expect(findOpenTurn(path, 's2')?.progress).toEqual([{ interruption: expect.stringContaining('It may have had') }]);
});

test('calls with the same id are distinguished by their order', () => {
  const twice = recorded(change('a'), change('a'), change('a'));
  const path = createPath(user('go'), twice, start('a'), result('a'), start('a'));
  expect(findOpenTurn(path, 's1')?.progress).toEqual([
    { result: expect.objectContaining({ toolCallId: 'a' }) },
    { interruption: expect.stringContaining('It was started at') },
    {},
  ]);
});

test('an answer after which the conversation went on is not finished', () => {
  expect(findOpenTurn(createPath(user('go'), recorded(change('a')), user('something else')), 's1')).toBeUndefined();
  expect(findOpenTurn(createPath(user('go'), recorded(change('a')), start('a'), result('a')), 's1')).toBeUndefined();
});

test('a call of an answer that reached its length limit is not run', async () => {
  const cut = { ...recorded(change('a')), message: assistant([change('a')], { stopReason: 'length' }) };
  const continued = await continueRun(createPath(user('go'), cut));
  expect([continued.ran, continued.results]).toEqual([[], [expect.stringContaining('length limit')]]);
});

test('tools that end the run end the continued run, too', async () => {
  const continued = await continueRun(createPath(user('go'), recorded(change('a'))), {
    toolResult: { terminate: true },
  });
  expect([continued.ran, continued.requests]).toEqual([['a'], 0]);
});

const queued = (kind: 'steer' | 'followUp') => ({
  type: 'custom' as const,
  customType: 'parley.queue',
  data: { op: 'add', id: 'q1', kind, message: user('hurry') },
});

test('a queued steering message follows the tool calls', async () => {
  const continued = await continueRun(createPath(user('go'), recorded(change('a'), change('b')), queued('steer')));
  expect(continued.ran).toEqual(['a', 'b']);
  expect(continued.events.indexOf('message_start user')).toBeGreaterThan(
    continued.events.indexOf('turn_end assistant'),
  );
});

test('with the interrupt mode "immediate", a queued steering message skips the calls that are left', async () => {
  const path = createPath(user('go'), recorded(look('a'), change('b')), result('a', 'done', 'look'), queued('steer'));
  const continued = await continueRun(path, { overrides: { interruptMode: 'immediate' } });
  expect([continued.ran, continued.results[1]]).toEqual([[], 'b: Skipped due to queued user message.']);
});

test('messages of hooks that prepare a run are not delivered for the second time', async () => {
  const message = { role: 'custom', customType: 'hook', content: 'remember', display: false, timestamp: 1 } as const;
  const hooks: Hooks[] = [{ beforeRun: async () => ({ messages: [message] }) }];
  const stored = { type: 'custom_message' as const, customType: 'hook', content: 'remember', display: false };
  const count = async (path: SessionEntry[]) =>
    (await continueRun(path, { hooks })).events.filter((event) => event === 'message_start custom').length;
  expect(await count(createPath(user('go')))).toBe(1);
  expect(await count(createPath(user('go'), stored))).toBe(0);
  expect(await count(createPath(user('go'), stored, recorded(change('a'))))).toBe(0);
});

test('a run that is continued without a client is announced', async () => {
  const fixture = await openSession({
    directory: createTemporaryDirectory(),
    script: [{ text: 'finished' }],
    store: createSharedStore(HEADER, [createPath(user('go'))]),
    session: 'shared',
    clock: createFakeClock(Date.parse('2026-01-02T03:04:17.300Z')),
  });
  await fixture.session.runs.continueInterrupted({ source: 'takeover' });
  const message = 'The process of this run has ended. Another process continues it, 12 s after its last entry.';
  expect(fixture.events.slice(0, 2)).toEqual([
    { type: 'notice', level: 'info', message, source: 'takeover' },
    { type: 'agent_start' },
  ]);
});

// Cuts the log of a run after each block that was stored, as the death of its process does, and continues it in another process:
// no tool with effects runs twice, no message is lost or delivered twice, and the run ends with the same answer.
import { object } from 'valibot';
import { expect, test } from 'vitest';
import { type CreatePatternMatcher, type Hooks, type Tool, tool } from '../../../src/contracts/index.ts';
import { type AgentEvent, extractText, type ModelMessage, type SessionEntry } from '../../../src/protocol/index.ts';
import { createFakeClock, type ScriptedAnswer, type ScriptStep } from '../../../src/testing/index.ts';
import { findHistoryErrors } from '../../support/history-check.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';
import { openSession, type SessionFixture } from './session-fixture.ts';
import { createSharedStore, type SharedStore } from './shared-store.ts';

/** The model decides by what it sees, and by the number of failed answers before, so that it gives the same answers in every process. */
type Answer = (messages: readonly ModelMessage[], failures: number) => ScriptedAnswer;

interface Plan {
  readonly answer: Answer;
  /** Called when a tool runs or a request is sent, with its name. */
  onStep?(name: string, fixture: SessionFixture): void;
  /** Called when the session is open in another process. */
  onOpen?(fixture: SessionFixture): Promise<unknown>;
  /** How many reminders of the todo list the log has in the end. */
  readonly reminders?: number;
  /** The last answer if not all messages were queued. */
  readonly lastOfPart?: string;
  readonly overrides?: Parameters<typeof openSession>[0]['overrides'];
}

interface Process {
  readonly fixture: SessionFixture;
  /** Ids of calls with effects that were run. */
  readonly ran: string[];
  readonly asked: string[];
}

/** Timers end at once: no test waits for a retry. */
function createFastClock() {
  const clock = createFakeClock();
  return { ...clock, sleep: async (ms: number) => clock.advance(ms) };
}

async function open(store: SharedStore, plan: Plan, isResumed: boolean): Promise<Process> {
  const ran: string[] = [];
  const asked: string[] = [];
  const process: { fixture?: SessionFixture } = {};
  const step = (name: string) => process.fixture && plan.onStep?.(name, process.fixture);
  const createTool = (name: string, effect: Tool['effect']) =>
    tool({
      ...{ name, doc: '', effect, params: object({}) },
      async run(_, { toolCallId }) {
        if (effect !== 'read') ran.push(toolCallId);
        step(`tool ${toolCallId}`);
        return { content: [{ type: 'text', text: `done ${toolCallId}` }] };
      },
    }) as unknown as Tool;
  const toolCall: Hooks['toolCall'] = async ({ toolCallId }) => {
    asked.push(toolCallId);
    await Promise.resolve();
    return toolCallId.startsWith('denied') ? { block: true, reason: 'refused' } : undefined;
  };
  const answer: ScriptStep = ({ systemPrompt, messages }) => {
    if (systemPrompt.startsWith('You write summaries')) return { text: 'the summary' };
    step(`request ${extractText(messages.at(-1)?.content ?? '')}`);
    return plan.answer(messages, countFailures(store.entries));
  };
  const fixture = await openSession({
    directory: createTemporaryDirectory(),
    script: Array.from({ length: 60 }, () => answer),
    store,
    clock: createFastClock(),
    tools: [createTool('look', 'read'), createTool('change', 'write')],
    hooks: [{ toolCall }],
    ...(isResumed ? { session: 'shared' } : {}),
    overrides: { retry: { enabled: true, maxRetries: 3, baseDelayMs: 1000, maxDelayMs: 5000 }, ...plan.overrides },
  });
  process.fixture = fixture;
  return { fixture, ran, asked };
}

function countFailures(entries: readonly SessionEntry[]): number {
  const answers = entries.flatMap((entry) =>
    entry.type === 'message' && entry.message.role === 'assistant' ? [entry.message] : [],
  );
  return answers.length - 1 - answers.findLastIndex(({ stopReason }) => stopReason !== 'error');
}

/** The texts of the user, and the last answer. */
function describeConversation(entries: readonly SessionEntry[]) {
  const messages = entries.flatMap((entry) => (entry.type === 'message' ? [entry.message] : []));
  const prompts = messages.flatMap((message) => (message.role === 'user' ? extractText(message.content) : []));
  const last = messages.findLast((message) => message.role === 'assistant');
  return { prompts, last: last && extractText(last.content) };
}

function listInterrupted(entries: readonly SessionEntry[]): string[] {
  return entries.flatMap((entry) =>
    entry.type === 'message' && entry.message.role === 'toolResult'
      ? extractText(entry.message.content).startsWith('Interrupted') && entry.message.toolCallId
        ? [entry.message.toolCallId]
        : []
      : [],
  );
}

const ORDER_OF_RUN =
  /^(agent_start (agent_end |(turn_start (message_start message_end |tool_execution_start tool_execution_end )*turn_end )+agent_end ))+$/;

function describeOrder(events: readonly AgentEvent[]): string {
  const types = events.map(({ type }) => type).filter((type) => /^(agent_(start|end)|turn_|message_|tool_)/.test(type));
  return types.map((type) => `${type} `).join('');
}

/** Returns the number of continued runs. */
async function checkEveryCut(plan: Plan, { prompt = 'go' } = {}): Promise<number> {
  const store = createSharedStore();
  const first = await open(store, plan, false);
  /** The number of calls that had run when each block was stored. */
  const ranBefore: number[] = [];
  store.onAppend = () => void ranBefore.push(first.ran.length);
  await first.fixture.prompt(prompt);
  const expected = describeConversation(store.entries);
  const count = store.blocks.length;
  let continuedRuns = 0;
  for (let at = 1; at <= count; at++) {
    const shared = store.cut(at);
    // Calls may have run after this block, until the next one was about to be stored.
    const ranEarlier = first.ran.slice(0, ranBefore[at] ?? first.ran.length);
    const second = await open(shared, { ...plan, onStep: undefined } as Plan, true);
    const { runs } = second.fixture.session;
    const isOpen = runs.isInterrupted;
    await plan.onOpen?.(second.fixture);
    if (isOpen) {
      continuedRuns += 1;
      await runs.continueInterrupted({ source: 'takeover' });
    }
    const context = { at, last: store.blocks[at - 1]?.map((entry) => JSON.stringify(entry).slice(0, 300)) };
    expect({ ...context, isInterrupted: runs.isInterrupted }).toEqual({ ...context, isInterrupted: false });
    const { prompts, last } = describeConversation(shared.entries);
    // Messages that were queued later are not in this log.
    expect({ ...context, prompts, last }).toEqual({
      ...context,
      prompts: expected.prompts.filter(
        (text) => text === prompt || JSON.stringify(store.blocks.slice(0, at)).includes(text),
      ),
      last: prompts.length < expected.prompts.length ? plan.lastOfPart : expected.last,
    });
    const reminders = shared.entries.filter(
      (entry) => entry.type === 'custom_message' && entry.customType === 'todo-reminder',
    );
    expect({ ...context, reminders: reminders.length }).toEqual({ ...context, reminders: plan.reminders ?? 0 });
    const interrupted = listInterrupted(shared.entries);
    const twice = second.ran.filter((id) => ranEarlier.includes(id));
    expect({ ...context, twice }).toEqual({ ...context, twice: [] });
    const never = first.ran.filter((id) => ![...ranEarlier, ...second.ran, ...interrupted].includes(id));
    expect({ ...context, never }).toEqual({ ...context, never: [] });
    const { requests } = second.fixture.models;
    expect({ ...context, errors: requests.flatMap(({ messages }) => findHistoryErrors(messages)) }).toEqual({
      ...context,
      errors: [],
    });
    if (isOpen) expect(describeOrder(second.fixture.events)).toMatch(ORDER_OF_RUN);
    await second.fixture.session.close();
  }
  await first.fixture.session.close();
  return continuedRuns;
}

const call = (id: string) => ({ id, name: id.includes('look') ? 'look' : 'change' });
const has = (messages: readonly ModelMessage[], id: string) =>
  messages.some((message) => message.role === 'toolResult' && message.toolCallId === id);
const hasText = (messages: readonly ModelMessage[], text: string) => JSON.stringify(messages).includes(text);

test('tools with and without effects, and refused ones', async () => {
  const answer: Answer = (messages) => {
    if (!has(messages, 'look1'))
      return { calls: ['look1', 'change1', 'denied1', 'change2', 'look2', 'change3'].map(call) };
    return has(messages, 'change4') ? { text: 'the end' } : { text: 'more', calls: [call('change4')] };
  };
  expect(await checkEveryCut({ answer })).toBeGreaterThan(9);
});

test('retries keep their count', async () => {
  const failure = { kind: 'overloaded', status: 529 } as const;
  const answer: Answer = (messages, failures) => {
    if (!has(messages, 'change1')) return failures < 2 ? { error: '529', failure } : { calls: [call('change1')] };
    return failures < 1 ? { error: '529', failure } : { text: 'the end' };
  };
  expect(await checkEveryCut({ answer })).toBeGreaterThan(5);
});

test('queued steering and follow-up messages', async () => {
  const answer: Answer = (messages) => {
    if (!has(messages, 'change1')) return { calls: [call('change1'), call('change2')] };
    if (!hasText(messages, 'second')) return { text: 'not yet' };
    return { text: 'the end' };
  };
  const onStep: Plan['onStep'] = (name, { session }) => {
    if (name === 'tool change1') void session.runs.steer({ message: 'hurry' });
    if (name === 'request hurry') void session.runs.followUp({ message: 'second' });
  };
  expect(await checkEveryCut({ answer, onStep, lastOfPart: 'not yet' })).toBeGreaterThan(8);
});

test('compaction after an overflow', async () => {
  const answer: Answer = (messages) => {
    if (!has(messages, 'change1') && !hasText(messages, 'the summary'))
      return { text: 'x'.repeat(4000), calls: [call('change1')] };
    if (!hasText(messages, 'the summary')) return { error: 'too long', failure: { kind: 'overflow', status: 400 } };
    return { text: 'the end' };
  };
  const overrides = { compaction: { enabled: true, reserveTokens: 1000, keepRecentTokens: 5 } };
  expect(await checkEveryCut({ answer, overrides })).toBeGreaterThan(4);
});

test('reminders of the todo list', async () => {
  const todos = { reminders: true, maxReminders: 2 };
  const answer: Answer = (messages) => {
    if (!has(messages, 'change1')) return { calls: [call('change1')] };
    return { text: 'the end' };
  };
  const onStep: Plan['onStep'] = (name, { session }) => {
    const item = { id: 't1', content: 'write it', activeForm: 'Writing it', status: 'pending' } as const;
    if (name === 'tool change1') void session.todos.replace([item]);
  };
  // The list itself is in a file of the session.
  const onOpen = (fixture: SessionFixture) =>
    fixture.session.todos.replace([{ id: 't1', content: 'write it', activeForm: 'Writing it', status: 'pending' }]);
  expect(await checkEveryCut({ answer, onStep, onOpen, overrides: { todos }, reminders: 2 })).toBeGreaterThan(5);
});

test('the budget counts each call once', async () => {
  const answer: Answer = (messages) =>
    has(messages, 'change2')
      ? { text: 'the end', usage: { output: 5 } }
      : { calls: [call('change1'), call('change2')], usage: { output: 7 } };
  const overrides = { budget: { maxToolCalls: 50, warnAtRatio: 1 } };
  const store = createSharedStore();
  const { fixture } = await open(store, { answer, overrides }, false);
  await fixture.prompt('go');
  const readSpent = (entries: readonly SessionEntry[]) =>
    entries.findLast((entry) => entry.type === 'custom' && entry.customType === 'parley.budget') as {
      data: Record<string, number>;
    };
  const { toolCalls, outputTokens } = readSpent(store.entries).data;
  expect([toolCalls, outputTokens]).toEqual([2, 12]);
  for (let at = 1; at <= store.blocks.length; at++) {
    const shared = store.cut(at);
    const second = await open(shared, { answer, overrides }, true);
    const { runs } = second.fixture.session;
    if (runs.isInterrupted) await runs.continueInterrupted({ source: 'takeover' });
    expect({ at, ...readSpent(shared.entries).data }).toMatchObject({ at, toolCalls, outputTokens });
  }
});

test('the reminder of a rule that interrupted an answer', async () => {
  const rule = { name: 'no-x', path: '/no-x.md', content: 'Do not say x.', ttsrTrigger: 'x', _source: {} } as never;
  const createPatternMatcher: CreatePatternMatcher = (_, { onMatch }) => ({
    reset() {},
    feed: (text) => void (text.includes('xx') && onMatch(['no-x'])),
    waitUntilSettled: async () => {},
    close() {},
  });
  const answer: Answer = (messages) =>
    hasText(messages, 'Do not say x') ? { text: 'the end' } : { text: ['a', 'xx', 'b'] };
  for (const contextMode of ['keep', 'discard'] as const) {
    const rules = {
      loadRules: async () => [rule],
      createPatternMatcher,
      contextMode,
      repeatMode: 'once',
      repeatGap: 1,
    } as const;
    expect(await checkEveryCut({ answer, overrides: { rules } })).toBeGreaterThan(2);
  }
});

test('a message that is queued after the last answer of a run', async () => {
  const answer: Answer = (messages) => ({ text: hasText(messages, 'second') ? 'the end' : 'first end' });
  const store = createSharedStore();
  const { fixture } = await open(store, { answer }, false);
  let queueing: Promise<void> | undefined;
  fixture.session.subscribe((event) => {
    if (event.type === 'agent_end') queueing ??= fixture.session.runs.followUp({ message: 'second' });
  });
  await fixture.prompt('go');
  await queueing;
  const at = store.blocks.findIndex((block) => JSON.stringify(block).includes('"op":"add"')) + 1;
  const shared = store.cut(at);
  const second = await open(shared, { answer }, true);
  expect(second.fixture.session.runs.isInterrupted).toBe(true);
  await second.fixture.session.runs.continueInterrupted({ source: 'takeover' });
  expect(describeConversation(shared.entries)).toEqual({ prompts: ['go', 'second'], last: 'the end' });
  // Without a message nothing is left to do.
  const third = await open(store.cut(at), { answer }, true);
  await third.fixture.session.queues.clear();
  await expect(third.fixture.session.runs.continueInterrupted({})).rejects.toThrow('Nothing to continue');
  expect(third.fixture.session.runs.isInterrupted).toBe(false);
});

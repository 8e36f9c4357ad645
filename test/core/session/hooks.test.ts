// Where core asks before it acts: every hook on a whole session, with real files and a scripted model.
import { number, object } from 'valibot';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createAgentSession, type Hooks, textOf, tool } from '../../../src/app/sdk.ts';
import { createFakeClock, createScriptedModels, type ScriptStep } from '../../../src/testing/index.ts';
import { temporaryDirectory } from '../../support/temporary.ts';

const double = tool({
  name: 'double',
  doc: 'Doubles.',
  effect: 'read',
  params: object({ n: number() }),
  run: async ({ n }) => ({ content: [{ type: 'text', text: String(n * 2) }], details: { n } }),
});

async function open(hooks: Hooks, script: ScriptStep[] = [{ text: 'Yes.' }], settings = {}) {
  const models = createScriptedModels(script);
  const handle = await createAgentSession({
    cwd: temporaryDirectory(),
    agentDirectory: temporaryDirectory(),
    models,
    tools: [double],
    hooks: [hooks],
    settings,
    ports: { clock: createFakeClock() },
  });
  onTestFinished(() => handle.close());
  const said = () => models.requests.at(-1)?.messages.map((message) => textOf(message.content)) ?? [];
  return { ...handle, models, said };
}

const callDouble: ScriptStep[] = [{ calls: [{ name: 'double', arguments: { n: 2 } }] }, { text: 'Done.' }];

describe('input', () => {
  test('words are changed before they are kept, for prompt, steer and followUp', async () => {
    const { prompt, session, said } = await open({ input: async ({ text, via }) => ({ text: `${via}: ${text}` }) });
    await session.runs.steer({ message: 'b' });
    await prompt('a');
    expect(said()).toEqual(['prompt: a', 'steer: b']);
  });

  test('handled: acknowledged first, then the work; nothing reaches the model', async () => {
    const order: string[] = [];
    const work = async () => void order.push('work');
    const { session, models } = await open({ input: async () => ({ handled: true, work }) });
    await session.runs.prompt({ message: '/x', accepted: () => order.push('accepted') });
    expect(order).toEqual(['accepted', 'work']);
    expect(models.requests).toEqual([]);
    expect(session.history.messages()).toEqual([]);
  });

  test('abort turns away what is still being looked at', async () => {
    const { session } = await open({ input: () => new Promise(() => {}) });
    const refused = session.runs.prompt({ message: 'x', accepted: () => {} });
    const outcome = expect(refused).rejects.toThrow('aborted before it reached the model');
    await session.runs.abort();
    await outcome;
    expect(session.runs.isRunning).toBe(false);
  });
});

test('before a run: messages behind the prompt, a system prompt for this run only', async () => {
  const message = { role: 'custom', customType: 'x', content: 'Note', display: true, timestamp: 1 } as const;
  let first = true;
  const beforeRun: Hooks['beforeRun'] = async ({ systemPrompt, prompt }) => {
    if (!first) return undefined;
    first = false;
    return { messages: [message], systemPrompt: `${systemPrompt.length > 0} ${prompt}` };
  };
  const { prompt, models, said, session } = await open({ beforeRun }, [{ text: '1' }, { text: '2' }]);
  await prompt('a');
  expect(said()).toEqual(['a', 'Note']);
  expect(models.requests[0]?.systemPrompt).toBe('true a');
  await prompt('b');
  expect(models.requests[1]?.systemPrompt).toContain('You are Parley');
  const { entries } = await session.history.entries();
  expect(entries.filter((entry) => entry.type === 'custom_message')).toHaveLength(1);
});

test('before a run: a hook that fails does not end it', async () => {
  const { prompt, said } = await open({ beforeRun: () => Promise.reject(new Error('broken')) });
  await prompt('a');
  expect(said()).toEqual(['a']);
});

test('context: what the model is given is not what is kept', async () => {
  const { prompt, said, session } = await open({ context: async (messages) => messages.slice(-1) }, [
    { text: '1' },
    { text: '2' },
  ]);
  await prompt('a');
  await prompt('b');
  expect(said()).toEqual(['b']);
  expect(session.history.messages()).toHaveLength(4);
});

describe('tool calls', () => {
  const result = async (hooks: Hooks) => {
    const { prompt } = await open(hooks, callDouble);
    const made = await prompt('a');
    return made.find((message) => message.role === 'toolResult');
  };

  test('blocked, with the reason for the model', async () => {
    expect(await result({ toolCall: async () => ({ block: true, reason: 'Not today' }) })).toMatchObject({
      content: [{ text: 'Not today' }],
      isError: true,
    });
  });

  test('a hook that throws blocks', async () => {
    const toolCall = () => Promise.reject(new Error('gate is broken'));
    expect(await result({ toolCall })).toMatchObject({ content: [{ text: 'gate is broken' }], isError: true });
  });

  test('with other arguments, which are checked again', async () => {
    expect(await result({ toolCall: async () => ({ input: { n: 5 } }) })).toMatchObject({ content: [{ text: '10' }] });
    expect(await result({ toolCall: async () => ({ input: { n: 'x' } }) })).toMatchObject({
      content: [{ text: 'Invalid arguments for tool double: n must be a number (got "x")' }],
      isError: true,
    });
  });

  test('changing the copy in place changes nothing', async () => {
    const toolCall: Hooks['toolCall'] = async ({ input }) => {
      Object.assign(input, { n: 9 });
      return undefined;
    };
    expect(await result({ toolCall })).toMatchObject({ content: [{ text: '4' }] });
  });

  test('the result is revised', async () => {
    const toolResult: Hooks['toolResult'] = async ({ details, isError, input }) => ({
      content: [{ type: 'text', text: JSON.stringify({ details, isError, input }) }],
      isError: true,
    });
    expect(await result({ toolResult })).toMatchObject({
      content: [{ text: '{"details":{"n":2},"isError":false,"input":{"n":2}}' }],
      details: { n: 2 },
      isError: true,
    });
  });
});

describe('leaving a conversation', () => {
  test('new_session and switch_session: cancelled, and nothing has changed', async () => {
    const asked: unknown[] = [];
    const { session, prompt } = await open({
      beforeSwitch: async (to) => {
        asked.push(to);
        return { cancel: true };
      },
    });
    await prompt('a');
    const { id, file } = session;
    expect(await session.history.startNew({})).toEqual({ cancelled: true });
    expect(await session.history.switchTo(file ?? '')).toEqual({ cancelled: true });
    expect(asked).toEqual([{ reason: 'new' }, { reason: 'resume', targetSessionFile: file }]);
    expect(session.id).toBe(id);
  });

  test('branch: cancelled with the text', async () => {
    const { session, prompt } = await open({ beforeBranch: async () => ({ cancel: true }) });
    await prompt('a');
    const { id } = session;
    const [point] = await session.history.branchPoints();
    expect(await session.history.branch(point?.entryId ?? '')).toEqual({ text: 'a', cancelled: true });
    expect(session.id).toBe(id);
  });

  test('others are told of the conversation that is in place now', async () => {
    const told: unknown[] = [];
    const { session, prompt, close } = await open({
      async observe(happening) {
        told.push(happening);
      },
    });
    await prompt('a');
    const first = session.file;
    await session.history.startNew({});
    await session.history.switchTo(first ?? '');
    await close();
    expect(told).toMatchObject([
      { type: 'session_start', reason: 'new', previousSessionFile: first },
      { type: 'model_select', source: 'restore' },
      { type: 'session_start', reason: 'resume' },
      { type: 'session_shutdown' },
    ]);
  });
});

describe('compaction', () => {
  const settings = { 'compaction.keepRecentTokens': 1 };
  const script = [{ text: 'one' }, { text: 'two' }, { text: 'A summary' }];

  test('cancelled', async () => {
    const { session, prompt } = await open({ beforeCompact: async () => ({ cancel: true }) }, script, settings);
    await prompt('a');
    await prompt('b');
    await expect(session.compaction.compact()).rejects.toThrow('Compaction cancelled');
  });

  test('supplied: the model is not asked, and others are told', async () => {
    const told: unknown[] = [];
    const { session, prompt, models } = await open(
      {
        beforeCompact: async ({ firstKeptEntryId, tokensBefore, messagesToSummarize }) => ({
          compaction: { summary: `${messagesToSummarize.length} gone`, firstKeptEntryId, tokensBefore, details: {} },
        }),
        async observe(happening) {
          told.push(happening);
        },
      },
      script,
      settings,
    );
    await prompt('a');
    await prompt('b');
    expect(await session.compaction.compact()).toMatchObject({ summary: '2 gone' });
    expect(models.requests).toHaveLength(2);
    expect(told).toMatchObject([
      { type: 'session_compact', fromExtension: true, compactionEntry: { summary: '2 gone' } },
    ]);
  });

  test('supplied with an entry that is not there: refused', async () => {
    const compaction = { summary: 's', firstKeptEntryId: 'nowhere', tokensBefore: 1, details: undefined };
    const { session, prompt } = await open({ beforeCompact: async () => ({ compaction }) }, script, settings);
    await prompt('a');
    await prompt('b');
    await expect(session.compaction.compact()).rejects.toThrow('nowhere');
  });
});

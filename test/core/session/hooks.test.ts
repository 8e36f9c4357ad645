// Every hook in a complete session, with real files and a scripted model.
import { number, object } from 'valibot';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createAgentSession, extractText, type Hooks, tool } from '../../../src/app/sdk.ts';
import { createFakeClock, createScriptedModels, type ScriptStep } from '../../../src/testing/index.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';

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
    cwd: createTemporaryDirectory(),
    agentDirectory: createTemporaryDirectory(),
    models,
    tools: [double],
    hooks: [hooks],
    settings,
    ports: { clock: createFakeClock() },
  });
  onTestFinished(() => handle.close());
  const lastRequestTexts = () => models.requests.at(-1)?.messages.map((message) => extractText(message.content)) ?? [];
  return { ...handle, models, lastRequestTexts };
}

const callDouble: ScriptStep[] = [{ calls: [{ name: 'double', arguments: { n: 2 } }] }, { text: 'Done.' }];

describe('input', () => {
  test('the text is changed before it is stored, for prompt and steer', async () => {
    const { prompt, session, lastRequestTexts } = await open({
      input: async ({ text, via }) => ({ text: `${via}: ${text}` }),
    });
    await session.runs.steer({ message: 'b' });
    await prompt('a');
    expect(lastRequestTexts()).toEqual(['prompt: a', 'steer: b']);
  });

  test('handled input is acknowledged first, then runAfterAccept runs; the model is not asked', async () => {
    const order: string[] = [];
    const work = async () => void order.push('work');
    const { session, models } = await open({ input: async () => ({ handled: true, runAfterAccept: work }) });
    await session.runs.prompt({ message: '/x', onAccepted: () => order.push('accepted') });
    expect(order).toEqual(['accepted', 'work']);
    expect(models.requests).toEqual([]);
    expect(session.history.messages()).toEqual([]);
  });

  test('abort rejects input that is waiting for its hook', async () => {
    const { session } = await open({ input: () => new Promise(() => {}) });
    const aborted = session.runs.prompt({ message: 'x', onAccepted: () => {} });
    const outcome = expect(aborted).rejects.toThrow('aborted before it reached the model');
    await session.runs.abort();
    await outcome;
    expect(session.runs.isRunning).toBe(false);
  });
});

test('beforeRun adds messages after the prompt and a system prompt for this run only', async () => {
  const message = { role: 'custom', customType: 'x', content: 'Note', display: true, timestamp: 1 } as const;
  let isFirst = true;
  const beforeRun: Hooks['beforeRun'] = async ({ systemPrompt, prompt }) => {
    if (!isFirst) return undefined;
    isFirst = false;
    return { messages: [message], systemPrompt: `${systemPrompt.length > 0} ${prompt}` };
  };
  const { prompt, models, lastRequestTexts, session } = await open({ beforeRun }, [{ text: '1' }, { text: '2' }]);
  await prompt('a');
  expect(lastRequestTexts()).toEqual(['a', 'Note']);
  expect(models.requests[0]?.systemPrompt).toBe('true a');
  await prompt('b');
  expect(models.requests[1]?.systemPrompt).toContain('You are Parley');
  const { entries } = await session.history.entries();
  expect(entries.filter((entry) => entry.type === 'custom_message')).toHaveLength(1);
});

test('a failing beforeRun hook does not end the run', async () => {
  const { prompt, lastRequestTexts } = await open({ beforeRun: () => Promise.reject(new Error('broken')) });
  await prompt('a');
  expect(lastRequestTexts()).toEqual(['a']);
});

test('the context hook changes the request but not the stored messages', async () => {
  const { prompt, lastRequestTexts, session } = await open({ context: async (messages) => messages.slice(-1) }, [
    { text: '1' },
    { text: '2' },
  ]);
  await prompt('a');
  await prompt('b');
  expect(lastRequestTexts()).toEqual(['b']);
  expect(session.history.messages()).toHaveLength(4);
});

describe('tool calls', () => {
  const runWithHooks = async (hooks: Hooks) => {
    const { prompt } = await open(hooks, callDouble);
    const messages = await prompt('a');
    return messages.find((message) => message.role === 'toolResult');
  };

  test('a blocked call returns the reason to the model', async () => {
    expect(await runWithHooks({ toolCall: async () => ({ block: true, reason: 'Not today' }) })).toMatchObject({
      content: [{ text: 'Not today' }],
      isError: true,
    });
  });

  test('a hook that throws blocks the call', async () => {
    const toolCall = () => Promise.reject(new Error('hook failed'));
    expect(await runWithHooks({ toolCall })).toMatchObject({ content: [{ text: 'hook failed' }], isError: true });
  });

  test('changed arguments are validated again', async () => {
    expect(await runWithHooks({ toolCall: async () => ({ input: { n: 5 } }) })).toMatchObject({
      content: [{ text: '10' }],
    });
    expect(await runWithHooks({ toolCall: async () => ({ input: { n: 'x' } }) })).toMatchObject({
      content: [{ text: 'Invalid arguments for tool double: n must be a number (got "x")' }],
      isError: true,
    });
  });

  test('changing the input object in place has no effect', async () => {
    const toolCall: Hooks['toolCall'] = async ({ input }) => {
      Object.assign(input, { n: 9 });
      return undefined;
    };
    expect(await runWithHooks({ toolCall })).toMatchObject({ content: [{ text: '4' }] });
  });

  test('the toolResult hook changes the result', async () => {
    const toolResult: Hooks['toolResult'] = async ({ details, isError, input }) => ({
      content: [{ type: 'text', text: JSON.stringify({ details, isError, input }) }],
      isError: true,
    });
    expect(await runWithHooks({ toolResult })).toMatchObject({
      content: [{ text: '{"details":{"n":2},"isError":false,"input":{"n":2}}' }],
      details: { n: 2 },
      isError: true,
    });
  });
});

describe('switching the conversation', () => {
  test('beforeSwitch can cancel new_session and switch_session', async () => {
    const switches: unknown[] = [];
    const { session, prompt } = await open({
      beforeSwitch: async (target) => {
        switches.push(target);
        return { cancel: true };
      },
    });
    await prompt('a');
    const { id, file } = session;
    expect(await session.history.startNew({})).toEqual({ cancelled: true });
    expect(await session.history.switchTo(file ?? '')).toEqual({ cancelled: true });
    expect(switches).toEqual([{ reason: 'new' }, { reason: 'resume', targetSessionFile: file }]);
    expect(session.id).toBe(id);
  });

  test('a branch that is cancelled still returns the text', async () => {
    const { session, prompt } = await open({ beforeBranch: async () => ({ cancel: true }) });
    await prompt('a');
    const { id } = session;
    const [point] = await session.history.branchPoints();
    expect(await session.history.branch(point?.entryId ?? '')).toEqual({ text: 'a', cancelled: true });
    expect(session.id).toBe(id);
  });

  test('lifecycle events report the new conversation', async () => {
    const events: unknown[] = [];
    const { session, prompt, close } = await open({
      async onLifecycleEvent(event) {
        events.push(event);
      },
    });
    await prompt('a');
    const first = session.file;
    await session.history.startNew({});
    await session.history.switchTo(first ?? '');
    await close();
    expect(events).toMatchObject([
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

  test('beforeCompact can cancel', async () => {
    const { session, prompt } = await open({ beforeCompact: async () => ({ cancel: true }) }, script, settings);
    await prompt('a');
    await prompt('b');
    await expect(session.compaction.compact()).rejects.toThrow('Compaction cancelled');
  });

  test('beforeCompact can supply the summary: the model is not asked, and a lifecycle event is emitted', async () => {
    const events: unknown[] = [];
    const { session, prompt, models } = await open(
      {
        beforeCompact: async ({ firstKeptEntryId, tokensBefore, messagesToSummarize }) => ({
          compaction: {
            summary: `${messagesToSummarize.length} messages`,
            firstKeptEntryId,
            tokensBefore,
            details: {},
          },
        }),
        async onLifecycleEvent(event) {
          events.push(event);
        },
      },
      script,
      settings,
    );
    await prompt('a');
    await prompt('b');
    expect(await session.compaction.compact()).toMatchObject({ summary: '2 messages' });
    expect(models.requests).toHaveLength(2);
    expect(events).toMatchObject([
      { type: 'session_compact', fromExtension: true, compactionEntry: { summary: '2 messages' } },
    ]);
  });

  test('a supplied compaction with an unknown firstKeptEntryId is refused', async () => {
    const compaction = { summary: 's', firstKeptEntryId: 'nowhere', tokensBefore: 1, details: undefined };
    const { session, prompt } = await open({ beforeCompact: async () => ({ compaction }) }, script, settings);
    await prompt('a');
    await prompt('b');
    await expect(session.compaction.compact()).rejects.toThrow('nowhere');
  });
});

// The end of a run: prompts and queued messages between the last agent_end and agent_settled.
import { expect, onTestFinished, test } from 'vitest';
import { createAgentSession, extractText } from '../../../src/app/sdk.ts';
import { createFakeClock, createScriptedModels, type ScriptStep } from '../../../src/testing/index.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';

async function open(script: ScriptStep[], settings = {}) {
  const models = createScriptedModels(script);
  const handle = await createAgentSession({
    cwd: createTemporaryDirectory(),
    agentDirectory: createTemporaryDirectory(),
    models,
    settings,
    ports: { clock: createFakeClock() },
  });
  onTestFinished(() => handle.close());
  const lastRequestTexts = () => models.requests.at(-1)?.messages.map((message) => extractText(message.content)) ?? [];
  return { ...handle, models, lastRequestTexts };
}

test.each([
  ['a successful answer', { text: 'One.' }],
  ['an error', { error: '400 bad request' }],
])('a listener of agent_end can wait for a prompt that it sends itself, after %s', async (_, first) => {
  const { prompt, session, lastRequestTexts } = await open([first, { text: 'Two.' }]);
  let isFirst = true;
  const second = new Promise<void>((resolve, reject) => {
    session.subscribe(async ({ type }) => {
      if (type !== 'agent_end' || !isFirst) return;
      isFirst = false;
      await session.runs.prompt({ message: 'second', onAccepted: () => {} }).then(resolve, reject);
    });
  });
  await prompt('first');
  await second;
  expect(lastRequestTexts().at(-1)).toBe('second');
});

test('a run waits for the listeners of agent_end before it checks the queues for the last time', async () => {
  const { prompt, session, models, lastRequestTexts } = await open([{ text: 'One.' }, { text: 'Two.' }]);
  let isFirst = true;
  session.subscribe(async ({ type }) => {
    if (type !== 'agent_end' || !isFirst) return;
    isFirst = false;
    await new Promise((resolve) => setImmediate(resolve));
    await session.runs.followUp({ message: 'second' });
  });
  await prompt('first');
  expect(models.requests).toHaveLength(2);
  expect(lastRequestTexts().at(-1)).toBe('second');
});

test('a prompt during a manual compaction waits until it has ended', async () => {
  const script = [{ text: 'One.' }, { text: 'Two.' }, { text: 'In short.', hold: 'summary' }, { text: 'Three.' }];
  const { prompt, session, models, lastRequestTexts } = await open(script, { 'compaction.keepRecentTokens': 1 });
  await prompt('first');
  await prompt('second');
  const compacted = session.compaction.compact();
  await models.waitForHold('summary');
  let accepted = false;
  const done = session.runs.prompt({ message: 'third', onAccepted: () => (accepted = true) });
  await new Promise((resolve) => setImmediate(resolve));
  expect({ accepted, requests: models.requests.length }).toEqual({ accepted: false, requests: 3 });
  models.add({ text: 'Four.' });
  models.release('summary');
  await compacted;
  await done;
  expect(lastRequestTexts().at(0)).toContain('summary');
  expect(lastRequestTexts().at(-1)).toBe('third');
});

// The end of a run: what a prompt meets between the last agent_end and agent_settled.
import { expect, onTestFinished, test } from 'vitest';
import { createAgentSession, textOf } from '../../../src/app/sdk.ts';
import { createFakeClock, createScriptedModels, type ScriptStep } from '../../../src/testing/index.ts';
import { temporaryDirectory } from '../../support/temporary.ts';

async function open(script: ScriptStep[], settings = {}) {
  const models = createScriptedModels(script);
  const handle = await createAgentSession({
    cwd: temporaryDirectory(),
    agentDirectory: temporaryDirectory(),
    models,
    settings,
    ports: { clock: createFakeClock() },
  });
  onTestFinished(() => handle.close());
  const asked = () => models.requests.at(-1)?.messages.map((message) => textOf(message.content)) ?? [];
  return { ...handle, models, asked };
}

test.each([
  ['a good answer', { text: 'One.' }],
  ['an error', { error: '400 bad request' }],
])('a listener of agent_end may wait for the prompt that it sends, after %s', async (_, first) => {
  const { prompt, session, asked } = await open([first, { text: 'Two.' }]);
  let isFirst = true;
  const second = new Promise<void>((resolve, reject) => {
    session.subscribe(async ({ type }) => {
      if (type !== 'agent_end' || !isFirst) return;
      isFirst = false;
      await session.runs.prompt({ message: 'second', accepted: () => {} }).then(resolve, reject);
    });
  });
  await prompt('first');
  await second;
  expect(asked().at(-1)).toBe('second');
});

test('a run is not over for the queues before the listeners of its agent_end are done', async () => {
  const { prompt, session, models, asked } = await open([{ text: 'One.' }, { text: 'Two.' }]);
  let isFirst = true;
  session.subscribe(async ({ type }) => {
    if (type !== 'agent_end' || !isFirst) return;
    isFirst = false;
    await new Promise((resolve) => setImmediate(resolve));
    await session.runs.followUp({ message: 'second' });
  });
  await prompt('first');
  expect(models.requests).toHaveLength(2);
  expect(asked().at(-1)).toBe('second');
});

test('a prompt during a compaction that was asked for waits for its end', async () => {
  const script = [{ text: 'One.' }, { text: 'Two.' }, { text: 'In short.', hold: 'summary' }, { text: 'Three.' }];
  const { prompt, session, models, asked } = await open(script, { 'compaction.keepRecentTokens': 1 });
  await prompt('first');
  await prompt('second');
  const compacted = session.compaction.compact();
  await models.reached('summary');
  let accepted = false;
  const done = session.runs.prompt({ message: 'third', accepted: () => (accepted = true) });
  await new Promise((resolve) => setImmediate(resolve));
  expect({ accepted, requests: models.requests.length }).toEqual({ accepted: false, requests: 3 });
  models.add({ text: 'Four.' });
  models.release('summary');
  await compacted;
  await done;
  expect(asked().at(0)).toContain('summary');
  expect(asked().at(-1)).toBe('third');
});

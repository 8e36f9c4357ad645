// A model that the embedding program answers for itself: pieces become blocks, failures become values.
import { expect, onTestFinished, test } from 'vitest';
import { createAgentSession, type OwnModel, ownModel } from '../../src/app/sdk.ts';
import { temporaryDirectory } from '../support/temporary.ts';

async function open(answer: OwnModel['answer']) {
  const agent = await createAgentSession({
    models: ownModel({ id: 'mine', answer }),
    cwd: temporaryDirectory(),
    agentDirectory: temporaryDirectory(),
    persist: false,
  });
  onTestFinished(() => agent.close());
  return agent;
}

test('pieces of a kind become one block, and calls are made whole', async () => {
  let asked = 0;
  const agent = await open(function* () {
    if (asked++ > 0) return yield 'Done.';
    yield* ['a', 'b', { thinking: 'c' }, { thinking: 'd' }, 'e'];
    yield { call: 'ls' };
    yield { call: 'bash', arguments: { command: 'echo hi' } };
    return undefined;
  });
  const [, answer, ls, bash, last] = await agent.prompt('go');
  expect(answer).toMatchObject({
    provider: 'own',
    model: 'mine',
    stopReason: 'toolUse',
    content: [
      { type: 'text', text: 'ab' },
      { type: 'thinking', thinking: 'cd' },
      { type: 'text', text: 'e' },
      { type: 'toolCall', name: 'ls', arguments: {} },
      { type: 'toolCall', name: 'bash', arguments: { command: 'echo hi' } },
    ],
  });
  expect(ls).toMatchObject({ role: 'toolResult', toolName: 'ls', isError: false });
  expect(bash).toMatchObject({ role: 'toolResult', content: [{ text: 'hi\n' }] });
  expect(last).toMatchObject({ stopReason: 'stop', content: [{ text: 'Done.' }] });
});

test('what is thrown is the answer’s error, with what came before', async () => {
  const agent = await open(function* () {
    yield 'Well, ';
    throw new Error('no idea');
  });
  expect((await agent.prompt('go')).at(-1)).toMatchObject({
    stopReason: 'error',
    errorMessage: 'no idea',
    content: [{ text: 'Well, ' }],
  });
});

test('an abort is heard between pieces, and told to the model', async () => {
  let told = false;
  const agent = await open(async function* ({ signal }) {
    yield 'one';
    void agent.session.runs.abort();
    told = signal.aborted;
    yield 'two';
  });
  expect((await agent.prompt('go')).at(-1)).toMatchObject({ stopReason: 'aborted', content: [{ text: 'one' }] });
  expect(told).toBe(true);
});

// createCustomModel: answer parts become message blocks, exceptions become errors of the answer.
import { expect, onTestFinished, test } from 'vitest';
import { type CustomModelOptions, createAgentSession, createCustomModel } from '../../src/app/sdk.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';

async function openAgent(answer: CustomModelOptions['answer']) {
  const agent = await createAgentSession({
    models: createCustomModel({ id: 'mine', answer }),
    cwd: createTemporaryDirectory(),
    agentDirectory: createTemporaryDirectory(),
    persist: false,
  });
  onTestFinished(() => agent.close());
  return agent;
}

test('consecutive parts of one kind are joined into a block, and tool calls are run', async () => {
  let requestCount = 0;
  const agent = await openAgent(function* () {
    if (requestCount++ > 0) return yield 'Done.';
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

test('an exception becomes the error of the answer, which keeps the earlier text', async () => {
  const agent = await openAgent(function* () {
    yield 'Well, ';
    throw new Error('no idea');
  });
  expect((await agent.prompt('go')).at(-1)).toMatchObject({
    stopReason: 'error',
    errorMessage: 'no idea',
    content: [{ text: 'Well, ' }],
  });
});

test('an abort takes effect between parts, and the signal of the request is aborted', async () => {
  let isAborted = false;
  const agent = await openAgent(async function* ({ signal }) {
    yield 'one';
    void agent.session.runs.abort();
    isAborted = signal.aborted;
    yield 'two';
  });
  expect((await agent.prompt('go')).at(-1)).toMatchObject({ stopReason: 'aborted', content: [{ text: 'one' }] });
  expect(isAborted).toBe(true);
});

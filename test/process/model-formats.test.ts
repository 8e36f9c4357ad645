// Unusual answers of providers: the stored answer, and the next request.
import { expect, test } from 'vitest';
import { createDeferred } from '../../src/base/index.ts';
import { type Program, startRpc } from '../support/program.ts';
import {
  createChatAnswer,
  createDirectoriesFor,
  RAW_ENV,
  type RespondFunction,
  startEventStream,
  startRawProvider,
} from '../support/raw-provider.ts';

/** Sends a prompt and waits for the end of its run. */
async function sendPrompt(program: Program, message: string) {
  program.send({ type: 'prompt', message });
  const end = await program.nextFrame({ type: 'agent_end' });
  await program.nextFrame({ type: 'agent_settled' });
  return end;
}

function responses(...events: readonly object[]): RespondFunction {
  return (response) => {
    startEventStream(response);
    const frames = events.map((event) => `data: ${JSON.stringify(event)}\n\n`);
    response.end(frames.join(''));
  };
}

const REASONING = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'sealed' };
const SEARCH = { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'x' } };
const message = (text: string) => ({
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text, annotations: [] }],
});
const added = (output_index: number, item: object) => ({ type: 'response.output_item.added', output_index, item });
const done = (output_index: number, item: object) => ({ type: 'response.output_item.done', output_index, item });
const completed = { type: 'response.completed', response: { status: 'completed', output: [] } };

test('Responses API: the finished item replaces the deltas, and reasoning is sent back with hosted tool items', async () => {
  const provider = await startRawProvider(
    responses(
      added(0, REASONING),
      done(0, REASONING),
      added(1, SEARCH),
      done(1, SEARCH),
      added(2, { ...message(''), content: [] }),
      { type: 'response.output_text.delta', output_index: 2, delta: 'Draft' },
      done(2, message('Final')),
      completed,
    ),
  );
  const directories = createDirectoriesFor(`${provider.url}/v1`, 'openai-responses', {}, { reasoning: true });
  const program = startRpc(['--provider', 'raw', '--no-session'], { directories, env: RAW_ENV });
  program.send({ type: 'prompt', message: 'one' });
  const end = await program.nextFrame(
    ({ assistantMessageEvent: event }) => (event as { type?: string })?.type === 'text_end',
  );
  expect(end).toMatchObject({ assistantMessageEvent: { content: 'Final' }, message: { role: 'assistant' } });
  expect((end.message as { content: object[] }).content.at(-1)).toMatchObject({ type: 'text', text: 'Final' });
  await program.nextFrame({ type: 'agent_settled' });
  await sendPrompt(program, 'two');
  expect(provider.requests[1]?.input).toMatchObject([
    { role: 'user' },
    REASONING,
    SEARCH,
    { type: 'message', id: 'msg_1', content: [{ text: 'Final' }] },
    { role: 'user' },
  ]);
});

test('an unknown Chat Completions host gets alternating roles, also after an abort', async () => {
  const requested = createDeferred();
  const provider = await startRawProvider(() => requested.resolve(), createChatAnswer({ content: 'Hello.' }));
  const program = startRpc(['--provider', 'raw', '--no-session'], {
    directories: createDirectoriesFor(`${provider.url}/v1`, 'openai-completions'),
    env: RAW_ENV,
  });
  program.send({ type: 'prompt', message: 'one' });
  await requested.promise;
  expect(await program.call({ type: 'abort' })).toMatchObject({ success: true });
  await sendPrompt(program, 'two');
  const messages = provider.requests.at(-1)?.messages as { role: string; content: string }[];
  expect(messages.map(({ role }) => role)).toEqual(['system', 'user']);
  expect(messages[1]?.content).toBe('one\n\ntwo');
});

// A client of a server can branch from every message that `get_branch_messages` lists, also from those of other branches.
import { expect, test } from 'vitest';
import { startServe } from '../support/server/serve-process.ts';

test('a client branches from a message that is not part of the current conversation', async () => {
  const server = await startServe();
  const { sessionId } = ((await (await server.request('POST', 'v1/sessions', {})).json()) as Created).data;
  const prompt = (message: string) => server.call(sessionId, 'prompt', { message }, '?wait=settled');
  const listPoints = async () => {
    const { data } = await server.call(sessionId, 'get_branch_messages');
    return (data as { messages: { entryId: string; text: string }[] }).messages;
  };
  await prompt('first');
  await prompt('second');
  const [, second] = await listPoints();
  await server.call(sessionId, 'move_to', { entryId: second!.entryId });
  await prompt('third');
  expect((await listPoints()).map(({ text }) => text)).toEqual(['first', 'second', 'third']);

  const branched = await server.call(sessionId, 'branch', { entryId: second!.entryId });
  expect(branched).toMatchObject({ success: true, data: { text: 'second', cancelled: false } });
  const { sessionId: copyId } = branched.data as { sessionId: string };
  expect(copyId).not.toBe(sessionId);
  const { data } = await server.call(copyId, 'get_messages');
  const { messages } = data as { messages: { role: string; content: unknown }[] };
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
  expect(JSON.stringify(messages[0])).toContain('first');
});

interface Created {
  readonly data: { readonly sessionId: string };
}

// The list of sessions over HTTP says what each session is doing.
import { expect, test } from 'vitest';
import { createDeferred } from '../../src/base/index.ts';
import { startScriptedProvider } from '../support/scripted-provider.ts';
import { startServer } from '../support/server.ts';

test('a session is idle, running, waiting for an answer of the right kind, and idle again', async () => {
  const hold = createDeferred();
  const calls = [{ name: 'bash', arguments: '{"command":"echo x > a.txt"}' }];
  const provider = await startScriptedProvider([{ text: 'First.', after: hold.promise }, { calls }, { text: 'Done.' }]);
  const server = await startServer([...provider.flags, '--set', 'approval=on-write'], {
    directories: provider.directories,
  });
  const id = await server.createSession();
  const activity = async () => {
    const { json } = await server.request('/v1/sessions');
    const { sessions } = (json as { data: { sessions: { id: string; activity: string }[] } }).data;
    return sessions.find((session) => session.id === id)?.activity;
  };
  await server.call(id, 'prompt', { message: 'One' });
  await expect.poll(activity, { timeout: 60_000 }).toBe('running');
  hold.resolve();
  await expect.poll(activity, { timeout: 60_000 }).toBe('idle');
  await server.call(id, 'prompt', { message: 'Two' });
  await expect.poll(activity, { timeout: 60_000 }).toBe('waiting');
  const { json } = await server.request(`/v1/sessions/${id}/dialogs`);
  const [dialog] = (json as { data: { dialogs: { id: string }[] } }).data.dialogs;
  for (const body of [{ confirmed: true }, { value: '__proto__' }]) {
    const wrong = await server.request(`/v1/sessions/${id}/dialogs/${dialog?.id}`, { method: 'POST', body });
    expect(wrong).toMatchObject({ status: 400, json: { error: { code: 'invalid_params' } } });
  }
  expect(await activity()).toBe('waiting');
  const answer = { method: 'POST', body: { value: 'deny' } };
  expect((await server.request(`/v1/sessions/${id}/dialogs/${dialog?.id}`, answer)).status).toBe(200);
  await expect.poll(activity, { timeout: 60_000 }).toBe('idle');
  await server.request(`/v1/sessions/${id}/close`, { method: 'POST' });
  expect(await activity()).toBe('idle');
});

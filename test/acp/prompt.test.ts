// `session/prompt`: content blocks, stop reasons, queued prompts and steering.
import { expect, test } from 'vitest';
import { refusalOf } from './acp-host.ts';
import { call, createHeldReply, startScriptedHost } from './scripted-host.ts';

/** The content of the last user message of a request. */
function lastUserContent(request: Record<string, unknown> | undefined): string {
  const messages = request?.messages as { role: string; content: unknown }[];
  return JSON.stringify(messages.findLast(({ role }) => role === 'user')?.content);
}

test('text and thinking are streamed, and the prompt is answered when the run has settled', async () => {
  const { host, sessionId, provider } = await startScriptedHost({
    replies: [{ thinking: 'A greeting.', text: 'Hello there.' }],
  });
  expect(await host.prompt(sessionId, 'Hi')).toMatchObject({ stopReason: 'end_turn' });
  expect(host.text()).toBe('Hello there.');
  expect(host.text('agent_thought_chunk')).toBe('A greeting.');
  expect(lastUserContent(provider.requests[0])).toContain('Hi');
  // Chunks of one message have the same id, and different messages have different ids.
  const ids = host.updates('agent_message_chunk').map(({ messageId }) => messageId);
  expect(new Set(ids).size).toBe(1);
});

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

test('images are sent to the model', async () => {
  const { host, sessionId, provider } = await startScriptedHost({ model: { input: ['text', 'image'] } });
  await host.prompt(sessionId, [
    { type: 'text', text: 'What is this?' },
    { type: 'image', data: PNG, mimeType: 'image/png' },
  ]);
  const content = lastUserContent(provider.requests[0]);
  expect(content).toContain('What is this?');
  expect(content).toContain(`data:image/png;base64,${PNG}`);
});

test('a resource link names the file, an embedded resource brings its text', async () => {
  const { host, sessionId, provider } = await startScriptedHost();
  await host.prompt(sessionId, [
    { type: 'text', text: 'Compare ' },
    { type: 'resource_link', name: 'main.ts', uri: 'file:///project/src/main.ts' },
    { type: 'text', text: ' with ' },
    {
      type: 'resource',
      resource: { uri: 'file:///project/notes.md', text: '# Unsaved notes', mimeType: 'text/markdown' },
    },
  ]);
  const content = lastUserContent(provider.requests[0]);
  expect(content).toContain('/project/src/main.ts');
  expect(content).toContain('/project/notes.md');
  expect(content).toContain('# Unsaved notes');
  expect(content.indexOf('Compare')).toBeLessThan(content.indexOf('main.ts'));
});

test.each([
  ['prompt', { prompt: 'text' }],
  ['prompt', {}],
  ['type', { prompt: [{ type: 'smell', text: 'x' }] }],
  ['text', { prompt: [{ type: 'text' }] }],
  ['audio', { prompt: [{ type: 'audio', data: 'AAAA', mimeType: 'audio/wav' }] }],
])('a prompt with a wrong %s is refused, and nothing is sent to the model', async (field, params) => {
  const { host, sessionId, provider } = await startScriptedHost({ sendsInvalid: true });
  const refusal = await refusalOf(host.agent.request('session/prompt', { sessionId, ...params } as never));
  expect(refusal.code).toBe(-32602);
  expect(JSON.stringify(refusal)).toContain(field);
  expect(provider.requests).toEqual([]);
});

test('stop reason max_tokens', async () => {
  const { host, sessionId } = await startScriptedHost({ replies: [{ text: 'It was a', finish: 'length' }] });
  expect(await host.prompt(sessionId, 'Tell a story')).toMatchObject({ stopReason: 'max_tokens' });
});

test('stop reason max_turn_requests', async () => {
  const { host, sessionId } = await startScriptedHost({
    args: ['--max-turns', '1'],
    replies: [call('ls', { path: '.' })],
  });
  expect(await host.prompt(sessionId, 'List')).toMatchObject({ stopReason: 'max_turn_requests' });
});

test('stop reason refusal', async () => {
  const { host, sessionId } = await startScriptedHost({ replies: [{ text: '', finish: 'content_filter' }] });
  expect(await host.prompt(sessionId, 'Do harm')).toMatchObject({ stopReason: 'refusal' });
});

test('a failed request to the provider is an error of the prompt, and the session stays usable', async () => {
  const { host, sessionId } = await startScriptedHost({
    args: ['--set', 'retry.enabled=false'],
    replies: [{ status: 400 }],
  });
  const refusal = await refusalOf(host.prompt(sessionId, 'Hi'));
  expect(refusal.code).toBe(-32603);
  expect(JSON.stringify(refusal)).toContain('refused with 400');
  expect(await host.prompt(sessionId, 'Hi')).toMatchObject({ stopReason: 'end_turn' });
});

test('cancel before the request to the model, and before the first token', async () => {
  const held = createHeldReply({ text: 'Too late' });
  const { host, sessionId, provider } = await startScriptedHost();
  const immediate = host.prompt(sessionId, 'Hi');
  await host.agent.notify('session/cancel', { sessionId });
  expect(await immediate).toMatchObject({ stopReason: 'cancelled' });
  provider.add(held.reply);
  const count = provider.requests.length;
  const waiting = host.prompt(sessionId, 'Hi');
  await expect.poll(() => provider.requests.length).toBe(count + 1);
  await host.agent.notify('session/cancel', { sessionId });
  expect(await waiting).toMatchObject({ stopReason: 'cancelled' });
  held.release();
  expect(await host.prompt(sessionId, 'Again')).toMatchObject({ stopReason: 'end_turn' });
  expect(host.text()).toBe('Done.');
});

test('cancel inside a tool ends the command, and a repeated cancel is harmless', async () => {
  const { host, sessionId } = await startScriptedHost({ replies: [call('bash', { command: 'echo up; sleep 1000' })] });
  await host.agent.request('session/set_mode', { sessionId, modeId: 'full' });
  const prompt = host.prompt(sessionId, 'Wait');
  await host.waitForUpdate('the output', (update) => JSON.stringify(update).includes('up\\n'));
  for (let count = 0; count < 3; count += 1) await host.agent.notify('session/cancel', { sessionId });
  expect(await prompt).toMatchObject({ stopReason: 'cancelled' });
  expect(host.updates('tool_call_update').at(-1)).toMatchObject({ status: 'failed' });
  // No session is running now.
  await host.agent.notify('session/cancel', { sessionId });
  await host.agent.notify('session/cancel', { sessionId: 'unknown' });
  expect(await host.prompt(sessionId, 'Go on')).toMatchObject({ stopReason: 'end_turn' });
});

test('cancel inside a dialog withdraws the request', async () => {
  let withdrawn = false;
  const { host, sessionId } = await startScriptedHost({
    replies: [call('write', { path: 'a.txt', content: 'A' })],
    handlers: {
      'session/request_permission': (_, signal) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            withdrawn = true;
            resolve({ outcome: { outcome: 'cancelled' } });
          });
        }),
    },
  });
  await host.agent.request('session/set_mode', { sessionId, modeId: 'ask' });
  const prompt = host.prompt(sessionId, 'Write');
  await host.waitFor('the permission request', ({ method }) => method === 'session/request_permission');
  await host.agent.notify('session/cancel', { sessionId });
  expect(await prompt).toMatchObject({ stopReason: 'cancelled' });
  await host.waitFor('the withdrawal', ({ method }) => method === '$/cancel_request');
  await expect.poll(() => withdrawn).toBe(true);
});

test('a second prompt is queued and answered in order', async () => {
  const held = createHeldReply({ text: 'First.' });
  const { host, sessionId, provider } = await startScriptedHost({ replies: [held.reply, { text: 'Second.' }] });
  const order: string[] = [];
  const send = async (text: string) => {
    const response = await host.prompt(sessionId, text);
    order.push(text);
    return response;
  };
  const prompts = [send('one'), send('two')];
  await expect.poll(() => provider.requests.length).toBe(1);
  held.release();
  expect(await Promise.all(prompts)).toMatchObject([{ stopReason: 'end_turn' }, { stopReason: 'end_turn' }]);
  expect(order).toEqual(['one', 'two']);
  expect(lastUserContent(provider.requests[1])).toContain('two');
  expect(host.text()).toBe('First.Second.');
});

test('cancel with a queued prompt cancels both', async () => {
  const held = createHeldReply({ text: 'First.' });
  const { host, sessionId, provider } = await startScriptedHost({ replies: [held.reply] });
  const prompts = [host.prompt(sessionId, 'one'), host.prompt(sessionId, 'two')];
  await expect.poll(() => provider.requests.length).toBe(1);
  await host.agent.notify('session/cancel', { sessionId });
  expect(await Promise.all(prompts)).toMatchObject([{ stopReason: 'cancelled' }, { stopReason: 'cancelled' }]);
  held.release();
  expect(provider.requests).toHaveLength(1);
});

const steer = (text: string, sessionId: string, more = {}) => ({
  sessionId,
  prompt: [{ type: 'text', text }],
  ...more,
});

test('_session/steering adds a message to the running prompt', async () => {
  const held = createHeldReply(call('ls', { path: '.' }));
  const { host, sessionId, provider } = await startScriptedHost({ replies: [held.reply, { text: 'Steered.' }] });
  const prompt = host.prompt(sessionId, 'Work');
  await expect.poll(() => provider.requests.length).toBe(1);
  expect(await host.agent.request('_session/steering', steer('Only the tests', sessionId))).toMatchObject({
    outcome: 'injected',
  });
  held.release();
  expect(await prompt).toMatchObject({ stopReason: 'end_turn' });
  expect(JSON.stringify(provider.requests[1])).toContain('Only the tests');
  expect(provider.requests).toHaveLength(2);
});

test('_session/steering of an idle session starts a run, or asks for a prompt when the client wants that', async () => {
  const { host, sessionId, provider } = await startScriptedHost();
  const refused = steer('Go', sessionId, { idleBehavior: 'promptRequired' });
  expect(await host.agent.request('_session/steering', refused)).toEqual({
    outcome: 'promptRequired',
    reason: 'noRunningTurn',
  });
  expect(provider.requests).toEqual([]);
  expect(await host.agent.request('_session/steering', steer('Go', sessionId))).toEqual({ outcome: 'startedNewTurn' });
  await expect.poll(() => provider.requests.length).toBe(1);
});

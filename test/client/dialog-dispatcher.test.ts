// Tests of UI requests: every question gets an answer.
import { describe, expect, test } from 'vitest';
import { type Client, createClient, type DisplayRequest } from '../../src/client/index.ts';
import { createFakeAgent } from './fake-agent-transport.ts';
import { startMemoryAgent } from './memory-agent.ts';

const confirm = { type: 'extension_ui_request', id: 'q1', method: 'confirm', title: 'Sure?', message: 'Delete it' };

test('a handler answers the questions of a real agent', async () => {
  const { client, ui } = await startMemoryAgent();
  client.onDialog(async (question) => {
    if (question.method === 'select') return { value: question.options[1] ?? '' };
    if (question.method === 'confirm') return { confirmed: question.message === 'Delete it' };
    if (question.method === 'input') return { value: `${question.placeholder}!` };
    return undefined;
  });
  expect(await ui.ask({ method: 'select', title: 'Which?', options: ['a', 'b'] })).toEqual({ value: 'b' });
  expect(await ui.ask({ method: 'confirm', title: 'Sure?', message: 'Delete it' })).toEqual({ confirmed: true });
  expect(await ui.ask({ method: 'input', title: 'Name', placeholder: 'x' })).toEqual({ value: 'x!' });
  expect(await ui.ask({ method: 'editor', title: 'Text' })).toBeUndefined();
});

test('an answer can have a message for the model', async () => {
  const { client, ui } = await startMemoryAgent();
  client.onDialog(() => ({ value: 'deny', message: 'use pnpm' }));
  expect(await ui.ask({ method: 'select', title: 'Which?', options: ['allow', 'deny'] })).toEqual({
    value: 'deny',
    message: 'use pnpm',
  });
});

test('without a handler a question is dismissed', async () => {
  const { client, ui, wire } = await startMemoryAgent();
  await client.call('get_state');
  expect(await ui.ask({ method: 'confirm', title: 'Sure?', message: 'x' })).toBeUndefined();
  expect(wire.at(-1)).toMatch(/^> \{"type":"extension_ui_response","id":"[^"]+","cancelled":true\}$/);
  await client.call('get_state');
});

describe('questions that arrive before a handler is added', () => {
  test('wait for a handler that is added before the first call', async () => {
    const fakeAgent = createFakeAgent();
    const client = createClient(fakeAgent);
    fakeAgent.send(confirm, { type: 'ready' });
    await client.ready();
    await fakeAgent.waitUntilRead();
    expect(fakeAgent.written).toEqual([]);
    client.onDialog(() => ({ confirmed: true }));
    await fakeAgent.waitUntilRead();
    expect(fakeAgent.written).toEqual([{ type: 'extension_ui_response', id: 'q1', confirmed: true }]);
  });

  test('are dropped when the agent cancels them', async () => {
    const fakeAgent = createFakeAgent();
    const client = createClient(fakeAgent);
    const cancel = { type: 'extension_ui_request', id: 'c', method: 'cancel', targetId: 'q1' };
    fakeAgent.send(confirm, { ...confirm, id: 'q2' }, cancel);
    await fakeAgent.waitUntilRead();
    client.onDialog(() => ({ confirmed: true }));
    await fakeAgent.waitUntilRead();
    expect(fakeAgent.written).toEqual([{ type: 'extension_ui_response', id: 'q2', confirmed: true }]);
  });

  test.each([
    ['a call', (client: Client) => void client.call('get_state').catch(() => {})],
    ['a frame', (client: Client) => client.send({ type: 'hello' })],
    ['a prompt', (client: Client) => void client.promptAndWait('hi').catch(() => {})],
  ])('are dismissed after %s, and later ones are not buffered', async (_, sendFirst) => {
    const fakeAgent = createFakeAgent();
    const client = createClient(fakeAgent);
    fakeAgent.send(confirm);
    await fakeAgent.waitUntilRead();
    expect(fakeAgent.written).toEqual([]);
    sendFirst(client);
    fakeAgent.send({ ...confirm, id: 'q2' });
    await fakeAgent.waitUntilRead();
    client.onDialog(() => ({ confirmed: true }));
    await fakeAgent.waitUntilRead();
    expect(fakeAgent.written.filter(({ type }) => type === 'extension_ui_response')).toEqual([
      { type: 'extension_ui_response', id: 'q1', cancelled: true },
      { type: 'extension_ui_response', id: 'q2', cancelled: true },
    ]);
  });
});

describe('handlers', () => {
  test('the most recent handler answers until it is removed', async () => {
    const fakeAgent = createFakeAgent();
    const client = createClient(fakeAgent);
    client.onDialog(() => ({ confirmed: false }));
    const stop = client.onDialog(() => ({ confirmed: true }));
    fakeAgent.send(confirm);
    await fakeAgent.waitUntilRead();
    stop();
    stop();
    fakeAgent.send({ ...confirm, id: 'q2' });
    await fakeAgent.waitUntilRead();
    expect(fakeAgent.written).toEqual([
      { type: 'extension_ui_response', id: 'q1', confirmed: true },
      { type: 'extension_ui_response', id: 'q2', confirmed: false },
    ]);
  });

  test('a handler that throws dismisses the question, and its error goes to onError', async () => {
    const errors: unknown[] = [];
    const fakeAgent = createFakeAgent();
    const client = createClient(fakeAgent, { onError: (thrown) => errors.push(thrown) });
    client.onDialog(async () => {
      throw new Error('no screen');
    });
    fakeAgent.send(confirm);
    await fakeAgent.waitUntilRead();
    expect(fakeAgent.written).toEqual([{ type: 'extension_ui_response', id: 'q1', cancelled: true }]);
    expect(errors).toEqual([new Error('no screen')]);
  });
});

test('display requests get no answer', async () => {
  const { client, ui, wire } = await startMemoryAgent();
  const shown: DisplayRequest[] = [];
  client.onDisplay((display) => shown.push(display));
  client.onDialog(() => ({ value: 'never' }));
  ui.show({ method: 'notify', message: 'Look', notifyType: 'warning' });
  ui.show({ method: 'setTitle', title: 'T' });
  ui.show({ method: 'cancel', targetId: 'q' });
  await client.call('get_state');
  expect(shown).toMatchObject([{ method: 'notify', message: 'Look' }, { method: 'setTitle' }, { targetId: 'q' }]);
  expect(wire.filter((line) => line.includes('extension_ui_response'))).toEqual([]);
});

test('an unknown UI request is dismissed and goes to onUnhandled', async () => {
  const fakeAgent = createFakeAgent();
  const client = createClient(fakeAgent);
  const others: unknown[] = [];
  client.onUnhandled((frame) => others.push(frame));
  client.onDialog(() => ({ value: 'never' }));
  fakeAgent.send({ ...confirm, method: 'toString' });
  await fakeAgent.waitUntilRead();
  expect(fakeAgent.written).toEqual([{ type: 'extension_ui_response', id: 'q1', cancelled: true }]);
  expect(others).toMatchObject([{ method: 'toString' }]);
});

// The agent's questions: every one is answered, by whoever can.
import { describe, expect, test } from 'vitest';
import { type Client, createClient, type Display } from '../../src/client/index.ts';
import { startMemoryAgent } from './memory-agent.ts';
import { createPuppet } from './puppet-transport.ts';

const confirm = { type: 'extension_ui_request', id: 'q1', method: 'confirm', title: 'Sure?', message: 'Delete it' };

test('a handler answers the questions of a real agent', async () => {
  const { client, ui } = await startMemoryAgent();
  client.onAsk(async (question) => {
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

test('without a handler the agent is not left waiting', async () => {
  const { client, ui, wire } = await startMemoryAgent();
  await client.call('get_state');
  expect(await ui.ask({ method: 'confirm', title: 'Sure?', message: 'x' })).toBeUndefined();
  expect(wire.at(-1)).toMatch(/^> \{"type":"extension_ui_response","id":"[^"]+","cancelled":true\}$/);
  await client.call('get_state');
});

describe('questions that come before a handler', () => {
  test('wait for the one that is set before the first call', async () => {
    const puppet = createPuppet();
    const client = createClient(puppet);
    puppet.say(confirm, { type: 'ready' });
    await client.ready();
    await puppet.heard();
    expect(puppet.written).toEqual([]);
    client.onAsk(() => ({ confirmed: true }));
    await puppet.heard();
    expect(puppet.written).toEqual([{ type: 'extension_ui_response', id: 'q1', confirmed: true }]);
  });

  test('that are taken back meanwhile are nobody’s any more', async () => {
    const puppet = createPuppet();
    const client = createClient(puppet);
    const cancel = { type: 'extension_ui_request', id: 'c', method: 'cancel', targetId: 'q1' };
    puppet.say(confirm, { ...confirm, id: 'q2' }, cancel);
    await puppet.heard();
    client.onAsk(() => ({ confirmed: true }));
    await puppet.heard();
    expect(puppet.written).toEqual([{ type: 'extension_ui_response', id: 'q2', confirmed: true }]);
  });

  test.each([
    ['a call', (client: Client) => void client.call('get_state').catch(() => {})],
    ['a frame', (client: Client) => client.send({ type: 'hello' })],
    ['a prompt', (client: Client) => void client.promptAndWait('hi').catch(() => {})],
  ])('are dismissed with %s, and none is kept any more', async (_, speak) => {
    const puppet = createPuppet();
    const client = createClient(puppet);
    puppet.say(confirm);
    await puppet.heard();
    expect(puppet.written).toEqual([]);
    speak(client);
    puppet.say({ ...confirm, id: 'q2' });
    await puppet.heard();
    client.onAsk(() => ({ confirmed: true }));
    await puppet.heard();
    expect(puppet.written.filter(({ type }) => type === 'extension_ui_response')).toEqual([
      { type: 'extension_ui_response', id: 'q1', cancelled: true },
      { type: 'extension_ui_response', id: 'q2', cancelled: true },
    ]);
  });
});

describe('handlers', () => {
  test('the newest answers, until it is taken away', async () => {
    const puppet = createPuppet();
    const client = createClient(puppet);
    client.onAsk(() => ({ confirmed: false }));
    const stop = client.onAsk(() => ({ confirmed: true }));
    puppet.say(confirm);
    await puppet.heard();
    stop();
    stop();
    puppet.say({ ...confirm, id: 'q2' });
    await puppet.heard();
    expect(puppet.written).toEqual([
      { type: 'extension_ui_response', id: 'q1', confirmed: true },
      { type: 'extension_ui_response', id: 'q2', confirmed: false },
    ]);
  });

  test('one that fails dismisses the question, and its error is told', async () => {
    const errors: unknown[] = [];
    const puppet = createPuppet();
    const client = createClient(puppet, { onError: (thrown) => errors.push(thrown) });
    client.onAsk(async () => {
      throw new Error('no screen');
    });
    puppet.say(confirm);
    await puppet.heard();
    expect(puppet.written).toEqual([{ type: 'extension_ui_response', id: 'q1', cancelled: true }]);
    expect(errors).toEqual([new Error('no screen')]);
  });
});

test('what is only shown gets no answer', async () => {
  const { client, ui, wire } = await startMemoryAgent();
  const shown: Display[] = [];
  client.onShow((display) => shown.push(display));
  client.onAsk(() => ({ value: 'never' }));
  ui.show({ method: 'notify', message: 'Look', notifyType: 'warning' });
  ui.show({ method: 'setTitle', title: 'T' });
  ui.show({ method: 'cancel', targetId: 'q' });
  await client.call('get_state');
  expect(shown).toMatchObject([{ method: 'notify', message: 'Look' }, { method: 'setTitle' }, { targetId: 'q' }]);
  expect(wire.filter((line) => line.includes('extension_ui_response'))).toEqual([]);
});

test('a question of an unknown kind is dismissed and goes to the catch-all', async () => {
  const puppet = createPuppet();
  const client = createClient(puppet);
  const others: unknown[] = [];
  client.onOther((frame) => others.push(frame));
  client.onAsk(() => ({ value: 'never' }));
  puppet.say({ ...confirm, method: 'toString' });
  await puppet.heard();
  expect(puppet.written).toEqual([{ type: 'extension_ui_response', id: 'q1', cancelled: true }]);
  expect(others).toMatchObject([{ method: 'toString' }]);
});

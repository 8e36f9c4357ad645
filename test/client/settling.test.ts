// Calls that are over when the agent has come to rest.
import { describe, expect, test } from 'vitest';
import { createClient, RpcError } from '../../src/client/index.ts';
import { textOf } from '../../src/protocol/index.ts';
import { createScriptedTools } from '../../src/testing/index.ts';
import { startMemoryAgent } from './memory-agent.ts';
import { createPuppet, type PuppetTransport } from './puppet-transport.ts';

const accepted = { type: 'response', command: 'prompt', success: true };
const said = (text: string) => ({ role: 'user', content: text, timestamp: 0 });
const end = (text: string, willRetry = false) => ({ type: 'agent_end', messages: [said(text)], willRetry });
const settled = { type: 'agent_settled', aborted: false };

describe('promptAndWait', () => {
  test('gives everything the run made', async () => {
    const { tools } = createScriptedTools([{ name: 'note', text: 'noted' }]);
    const script = [{ calls: [{ name: 'note' }] }, { text: 'Done.' }];
    const { client } = await startMemoryAgent({ script, tools });
    const messages = await client.promptAndWait('Note it');
    expect(messages.map((message) => message.role)).toEqual(['user', 'assistant', 'toolResult', 'assistant']);
    const last = messages.at(-1);
    expect(last?.role === 'assistant' && textOf(last.content)).toBe('Done.');
    expect((await client.call('get_state')).isStreaming).toBe(false);
  });

  test('waits for what follows by itself, and gives all of it', async () => {
    const puppet = createPuppet();
    const client = createClient(puppet);
    const waiting = client.promptAndWait('go');
    puppet.say(end('of another run'), settled, { ...accepted, id: 'req_1' });
    puppet.say(end('failed', true), end('worked'), settled, end('too late'));
    expect(await waiting).toEqual([said('failed'), said('worked')]);
  });

  test('a queued prompt is done when the run that takes it is', async () => {
    const { client, models } = await startMemoryAgent({ script: [{ text: 'one', hold: 'go' }, { text: 'two' }] });
    const first = client.promptAndWait('first');
    await models.reached('go');
    await expect(client.promptAndWait('refused')).rejects.toBeInstanceOf(RpcError);
    const second = client.promptAndWait('second', { streamingBehavior: 'followUp' });
    // Answered after the prompt before it, so that is queued by now.
    expect(await client.call('get_state')).toMatchObject({ queuedMessageCount: 1 });
    models.release('go');
    expect((await first).map((message) => message.role)).toEqual(['user', 'assistant', 'user', 'assistant']);
    expect(await second).toEqual(await first);
  });

  test('fails when the prompt fails after its acceptance', async () => {
    const puppet = createPuppet();
    const client = createClient(puppet);
    const waiting = client.promptAndWait('go');
    puppet.say({ ...accepted, id: 'req_1' }, { ...accepted, id: 'req_1', success: false, error: 'No space left' });
    await expect(waiting).rejects.toMatchObject({ name: 'RpcError', command: 'prompt', message: 'No space left' });
  });

  test('fails when the agent dies, before and after the acceptance', async () => {
    for (const frames of [[], [{ ...accepted, id: 'req_1' }]]) {
      const puppet = createPuppet();
      const client = createClient(puppet);
      const waiting = client.promptAndWait('go');
      puppet.say(...frames);
      puppet.die({ signal: 'SIGSEGV' });
      await expect(waiting).rejects.toThrow('The agent was killed by SIGSEGV before the prompt was done.');
    }
  });

  test('a signal aborts the run and does not wait for it', async () => {
    const { client, models } = await startMemoryAgent({ script: [{ text: 'long', hold: 'for ever' }] });
    const stop = new AbortController();
    const waiting = client.promptAndWait('go', { signal: stop.signal });
    await models.reached('for ever');
    const reason = new Error('changed my mind');
    stop.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    await client.waitForIdle();
    const { messages } = await client.call('get_messages');
    expect(messages.at(-1)).toMatchObject({ role: 'assistant', stopReason: 'aborted' });
  });

  test('with a signal that has come already nothing is sent', async () => {
    const puppet = createPuppet();
    const waiting = createClient(puppet).promptAndWait('go', { signal: AbortSignal.abort(new Error('no')) });
    await expect(waiting).rejects.toThrow('no');
    expect(puppet.written).toEqual([]);
  });

  test('reads on for one who waits inside the loop over events', async () => {
    const large = { type: 'notice', level: 'info', message: 'x'.repeat(2_000_000) };
    const puppet = createPuppet(({ id }, { say }) => say({ ...accepted, id }, large, large, end('ok'), settled));
    puppet.say(large, large);
    const client = createClient(puppet);
    for await (const _ of client.events()) {
      expect(await client.promptAndWait('go')).toEqual([said('ok')]);
      break;
    }
  });
});

describe('waitForIdle', () => {
  const state =
    (isStreaming: boolean, more = {}) =>
    (frame: Record<string, unknown>, { say }: PuppetTransport) =>
      say({ type: 'response', id: frame.id, command: 'get_state', success: true, data: { isStreaming, ...more } });

  test('resolves at once when nothing runs', async () => {
    const { client } = await startMemoryAgent();
    await expect(client.waitForIdle()).resolves.toBeUndefined();
  });

  test('waits for the end of what runs', async () => {
    const { client, models } = await startMemoryAgent({ script: [{ text: 'one', hold: 'go' }] });
    await client.call('prompt', { message: 'first' });
    let idle = false;
    const waiting = client.waitForIdle().then(() => {
      idle = true;
    });
    await client.call('get_state');
    expect(idle).toBe(false);
    models.release('go');
    await waiting;
    expect(await client.call('get_last_assistant_text')).toEqual({ text: 'one' });
  });

  test.each([
    ['during a run', state(true)],
    ['during the compaction after a run', state(false, { isCompacting: true, isSettled: false })],
  ])('an end that was told before the answer does not count: %s', async (_, answer) => {
    const puppet = createPuppet(answer);
    const client = createClient(puppet);
    puppet.say(settled);
    let idle = false;
    const waiting = client.waitForIdle().then(() => {
      idle = true;
    });
    await puppet.heard();
    expect(idle).toBe(false);
    puppet.say(settled);
    await waiting;
  });
});

// Tests of the calls that wait until the agent is idle.
import { describe, expect, test } from 'vitest';
import { createClient, RpcError } from '../../src/client/index.ts';
import { extractText } from '../../src/protocol/index.ts';
import { createScriptedTools } from '../../src/testing/index.ts';
import { createFakeAgent, type FakeAgentTransport } from './fake-agent-transport.ts';
import { startMemoryAgent } from './memory-agent.ts';

const accepted = { type: 'response', command: 'prompt', success: true };
const createUserMessage = (text: string) => ({ role: 'user', content: text, timestamp: 0 });
const createAgentEnd = (text: string, willRetry = false) => ({
  type: 'agent_end',
  messages: [createUserMessage(text)],
  willRetry,
});
const settled = { type: 'agent_settled', aborted: false };

describe('promptAndWait', () => {
  test('returns all messages of the run', async () => {
    const { tools } = createScriptedTools([{ name: 'note', text: 'noted' }]);
    const script = [{ calls: [{ name: 'note' }] }, { text: 'Done.' }];
    const { client } = await startMemoryAgent({ script, tools });
    const messages = await client.promptAndWait('Note it');
    expect(messages.map((message) => message.role)).toEqual(['user', 'assistant', 'toolResult', 'assistant']);
    const last = messages.at(-1);
    expect(last?.role === 'assistant' && extractText(last.content)).toBe('Done.');
    expect((await client.call('get_state')).isStreaming).toBe(false);
  });

  test('waits for automatic retries and returns their messages too', async () => {
    const fakeAgent = createFakeAgent();
    const client = createClient(fakeAgent);
    const waiting = client.promptAndWait('go');
    fakeAgent.send(createAgentEnd('of another run'), settled, { ...accepted, id: 'req_1' });
    fakeAgent.send(createAgentEnd('failed', true), createAgentEnd('worked'), settled, createAgentEnd('too late'));
    expect(await waiting).toEqual([createUserMessage('failed'), createUserMessage('worked')]);
  });

  test('a queued prompt completes with the run that takes it', async () => {
    const { client, models } = await startMemoryAgent({ script: [{ text: 'one', hold: 'go' }, { text: 'two' }] });
    const first = client.promptAndWait('first');
    await models.waitForHold('go');
    await expect(client.promptAndWait('refused')).rejects.toBeInstanceOf(RpcError);
    const second = client.promptAndWait('second', { streamingBehavior: 'followUp' });
    // get_state is replied to after the prompt, so the prompt is queued by now.
    expect(await client.call('get_state')).toMatchObject({ queuedMessageCount: 1 });
    models.release('go');
    expect((await first).map((message) => message.role)).toEqual(['user', 'assistant', 'user', 'assistant']);
    expect(await second).toEqual(await first);
  });

  test('fails when the prompt fails after its acceptance', async () => {
    const fakeAgent = createFakeAgent();
    const client = createClient(fakeAgent);
    const waiting = client.promptAndWait('go');
    fakeAgent.send({ ...accepted, id: 'req_1' }, { ...accepted, id: 'req_1', success: false, error: 'No space left' });
    await expect(waiting).rejects.toMatchObject({ name: 'RpcError', command: 'prompt', message: 'No space left' });
  });

  test('fails when the agent dies, before and after the acceptance', async () => {
    for (const frames of [[], [{ ...accepted, id: 'req_1' }]]) {
      const fakeAgent = createFakeAgent();
      const client = createClient(fakeAgent);
      const waiting = client.promptAndWait('go');
      fakeAgent.send(...frames);
      fakeAgent.exit({ signal: 'SIGSEGV' });
      await expect(waiting).rejects.toThrow('The agent was killed by SIGSEGV before the prompt was completed.');
    }
  });

  test('an abort signal aborts the run without waiting for its end', async () => {
    const { client, models } = await startMemoryAgent({ script: [{ text: 'long', hold: 'for ever' }] });
    const stop = new AbortController();
    const waiting = client.promptAndWait('go', { signal: stop.signal });
    await models.waitForHold('for ever');
    const reason = new Error('changed my mind');
    stop.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    await client.waitForIdle();
    const { messages } = await client.call('get_messages');
    expect(messages.at(-1)).toMatchObject({ role: 'assistant', stopReason: 'aborted' });
  });

  test('nothing is sent when the signal is already aborted', async () => {
    const fakeAgent = createFakeAgent();
    const waiting = createClient(fakeAgent).promptAndWait('go', { signal: AbortSignal.abort(new Error('no')) });
    await expect(waiting).rejects.toThrow('no');
    expect(fakeAgent.written).toEqual([]);
  });

  test('reading continues when the caller waits inside a loop over events', async () => {
    const large = { type: 'notice', level: 'info', message: 'x'.repeat(2_000_000) };
    const fakeAgent = createFakeAgent(({ id }, { send }) =>
      send({ ...accepted, id }, large, large, createAgentEnd('ok'), settled),
    );
    fakeAgent.send(large, large);
    const client = createClient(fakeAgent);
    for await (const _ of client.events()) {
      expect(await client.promptAndWait('go')).toEqual([createUserMessage('ok')]);
      break;
    }
  });
});

describe('waitForIdle', () => {
  const state =
    (isStreaming: boolean, more = {}) =>
    (frame: Record<string, unknown>, { send }: FakeAgentTransport) =>
      send({ type: 'response', id: frame.id, command: 'get_state', success: true, data: { isStreaming, ...more } });

  test('resolves immediately when no run is active', async () => {
    const { client } = await startMemoryAgent();
    await expect(client.waitForIdle()).resolves.toBeUndefined();
  });

  test('waits for the end of the current run', async () => {
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
  ])('an agent_settled event before the reply is ignored: %s', async (_, answer) => {
    const fakeAgent = createFakeAgent(answer);
    const client = createClient(fakeAgent);
    fakeAgent.send(settled);
    let idle = false;
    const waiting = client.waitForIdle().then(() => {
      idle = true;
    });
    await fakeAgent.waitUntilRead();
    expect(idle).toBe(false);
    fakeAgent.send(settled);
    await waiting;
  });
});

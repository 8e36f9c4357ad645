// Tests of calls: types, matching of replies, and failures.
import { describe, expect, expectTypeOf, test } from 'vitest';
import { Fault } from '../../src/base/index.ts';
import { AgentExitedError, type Client, type CommandName, createClient, RpcError } from '../../src/client/index.ts';
import { commands } from '../../src/commands/index.ts';
import type { AgentMessage, BashResult, SessionState } from '../../src/protocol/index.ts';
import { createFakeAgent } from './fake-agent-transport.ts';
import { startMemoryAgent } from './memory-agent.ts';

async function getFailure(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => expect.fail('it did not fail'),
    (thrown: unknown) => thrown,
  );
}

describe('types follow from the declarations', () => {
  // Never executed: the compiler checks it.
  const typed = (client: Client) => ({
    state: client.call('get_state'),
    messages: client.call('get_messages', {}),
    mode: client.call('set_steering_mode', { mode: 'all' }),
    bash: client.call('bash', { command: 'true', excludeFromContext: true }),
    image: client.call('prompt', {
      message: 'What is this?',
      images: [{ type: 'image', source: { type: 'base64', mediaType: 'image/png', data: '' } }],
    }),
    text: client.commands.getLastAssistantText(),
    fresh: client.commands.newSession(),
    wrong: [
      // @ts-expect-error There is no such command.
      client.call('get_stat'),
      // @ts-expect-error The parameters are required.
      client.call('set_steering_mode'),
      // @ts-expect-error Not one of the modes.
      client.call('set_steering_mode', { mode: 'some' }),
      // @ts-expect-error It takes nothing.
      client.call('get_state', { verbose: true }),
      // @ts-expect-error No such parameter.
      client.call('prompt', { message: 'hi', loud: true }),
      // @ts-expect-error There is no such method.
      client.commands.get_state(),
      // @ts-expect-error The parameters are required here too.
      client.commands.setSessionName(),
    ],
  });

  test('params, results and methods', () => {
    type Typed = ReturnType<typeof typed>;
    expectTypeOf<Typed['state']>().resolves.toEqualTypeOf<SessionState>();
    expectTypeOf<Typed['messages']>().resolves.toEqualTypeOf<{ messages: AgentMessage[] }>();
    expectTypeOf<Typed['mode']>().resolves.toEqualTypeOf<void>();
    expectTypeOf<Typed['bash']>().resolves.toEqualTypeOf<BashResult>();
    expectTypeOf<Typed['image']>().resolves.toEqualTypeOf<{ disposition: 'started' | 'queued' | 'handled' }>();
    expectTypeOf<Typed['text']>().resolves.toEqualTypeOf<{ text: string | null }>();
    expectTypeOf<Typed['fresh']>().resolves.toEqualTypeOf<{ cancelled: boolean }>();
    expectTypeOf<CommandName>().toEqualTypeOf<(typeof commands)[number]['name']>();
  });
});

test('a call resolves with the result of the command', async () => {
  const { client, wire } = await startMemoryAgent();
  expect(await client.call('set_steering_mode', { mode: 'all' })).toBeUndefined();
  expect(await client.call('get_state')).toMatchObject({ steeringMode: 'all', isStreaming: false });
  expect(wire.filter((line) => line.startsWith('>'))).toEqual([
    '> {"mode":"all","id":"req_1","type":"set_steering_mode"}',
    '> {"id":"req_2","type":"get_state"}',
  ]);
});

test('every command has a method', async () => {
  const fakeAgent = createFakeAgent(({ id, type }, { send }) =>
    send({ type: 'response', id, command: type, success: true }),
  );
  const { commands: methods } = createClient(fakeAgent);
  for (const { name } of commands) {
    const method = name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
    await (methods as unknown as Record<string, (params?: object) => Promise<void>>)[method]?.({ marked: name });
  }
  expect(fakeAgent.written.map(({ type, marked }) => [type, marked])).toEqual(commands.map(({ name }) => [name, name]));
  expect(methods.getState).toBe(methods.getState);
  expect(await methods).toBe(methods);
});

describe('matching of replies', () => {
  test('a hundred concurrent calls get their own replies in any order', async () => {
    const fakeAgent = createFakeAgent();
    const client = createClient(fakeAgent);
    const calls = Array.from({ length: 100 }, () => client.call('get_last_assistant_text'));
    const ids = fakeAgent.written.map((frame) => frame.id);
    expect(ids).toEqual(calls.map((_, i) => `req_${i + 1}`));
    // 37 and 100 have no common divisor, so every id is used once.
    const shuffled = ids.map((_, i) => ids[(i * 37) % 100]);
    for (const id of shuffled) {
      fakeAgent.send({ type: 'response', id, command: 'get_last_assistant_text', success: true, data: { text: id } });
    }
    expect((await Promise.all(calls)).map(({ text }) => text)).toEqual(ids);
  });

  test('a hundred concurrent calls to a real agent get their own replies', async () => {
    const { client } = await startMemoryAgent();
    const answers = await Promise.all(
      Array.from({ length: 100 }, async (_, i) => {
        if (i % 3 === 0) return client.call('set_session_name', { name: `n${i}` });
        if (i % 3 === 1) return (await client.call('get_state')).sessionName;
        return (await client.call('clear_queue')).steering.length;
      }),
    );
    expect(answers).toEqual(answers.map((_, i) => (i % 3 === 0 ? undefined : i % 3 === 1 ? `n${i - 1}` : 0)));
  });
});

describe('failures', () => {
  test('a refusal is an RpcError with the command and the message', async () => {
    const { client } = await startMemoryAgent();
    const failure = await getFailure(client.call('set_session_name', { name: ' ' }));
    expect(failure).toBeInstanceOf(RpcError);
    expect(failure).toBeInstanceOf(Fault);
    expect(failure).toMatchObject({
      name: 'RpcError',
      command: 'set_session_name',
      id: 'req_1',
      message: 'Session name cannot be empty',
    });
  });

  test('params are validated by the agent, not by the client', async () => {
    const { client } = await startMemoryAgent();
    const call = client.call('set_steering_mode', { mode: 'some' } as never);
    await expect(call).rejects.toThrow('mode must be "all" or "one-at-a-time" (got "some")');
  });

  test('params that cannot be serialized fail only their own call', async () => {
    const { client } = await startMemoryAgent();
    await expect(client.callUndeclared('get_state', { big: 1n })).rejects.toThrow('BigInt');
    expect((await client.call('get_state')).isStreaming).toBe(false);
  });

  test('an unknown command is refused without its id, and fails the calls of that name only', async () => {
    const { client } = await startMemoryAgent();
    const [state, ...refused] = await Promise.all([
      client.call('get_state'),
      getFailure(client.callUndeclared('fly', { high: true })),
      getFailure(client.callUndeclared('swim')),
      getFailure(client.callUndeclared('fly')),
    ]);
    expect(state.isStreaming).toBe(false);
    expect(refused).toMatchObject([
      { command: 'fly', id: 'req_2', message: 'Unknown command: fly' },
      { command: 'swim', id: 'req_3', message: 'Unknown command: swim' },
      { command: 'fly', id: 'req_4', message: 'Unknown command: fly' },
    ]);
  });

  test('a line that is too long fails the call that was too long', async () => {
    const { client } = await startMemoryAgent({ lineLimit: 500 });
    const long = client.call('set_session_name', { name: 'x'.repeat(600) });
    await expect(long).rejects.toThrow('line exceeds the limit of 500 bytes');
  });

  test('an unparsable line is attributed to the longest pending call', async () => {
    const fakeAgent = createFakeAgent();
    const client = createClient(fakeAgent);
    const calls = ['a', 'aaa', 'aa'].map((name) => client.call('set_session_name', { name }));
    fakeAgent.send({ type: 'response', command: 'parse', success: false, error: 'too long' });
    await expect(calls[1]).rejects.toMatchObject({ command: 'set_session_name', id: 'req_2', message: 'too long' });
    for (const id of ['req_1', 'req_3'])
      fakeAgent.send({ type: 'response', command: 'set_session_name', id, success: true });
    await Promise.all([calls[0], calls[2]]);
  });

  test('replies to raw frames go to onUnhandled', async () => {
    const { client } = await startMemoryAgent();
    const others: unknown[] = [];
    client.onUnhandled((frame) => others.push(frame));
    client.send({ type: 'fly' });
    client.send({ id: 'mine', type: 'get_last_assistant_text' });
    client.send({ id: 7, type: 'set_session_name', name: '' });
    await client.call('get_state');
    expect(others).toMatchObject([
      { type: 'response', command: 'fly', success: false, error: 'Unknown command: fly' },
      { type: 'response', id: 'mine', success: true, data: { text: null } },
      { type: 'response', id: 7, success: false },
    ]);
  });

  test('a failure after the acceptance goes to onPromptFailed', async () => {
    const fakeAgent = createFakeAgent();
    const client = createClient(fakeAgent);
    const failures: RpcError[] = [];
    const others: unknown[] = [];
    client.onPromptFailed((failure) => failures.push(failure));
    client.onUnhandled((frame) => others.push(frame));
    const accepted = client.call('prompt', { message: 'hi' });
    const late = { type: 'response', command: 'prompt', id: 'req_1', success: false, error: 'The disk is full' };
    fakeAgent.send({ ...late, success: true }, late, { ...late, id: 'req_2' }, { ...late, success: true });
    await accepted;
    await fakeAgent.waitUntilRead();
    expect(failures).toMatchObject([{ command: 'prompt', id: 'req_1', message: 'The disk is full' }]);
    expect(failures[0]).toBeInstanceOf(RpcError);
    expect(others).toMatchObject([{ id: 'req_2' }, { id: 'req_1', success: true }]);
  });
});

describe('exit of the agent', () => {
  test('when the agent exits, pending and later calls fail with the exit info', async () => {
    const fakeAgent = createFakeAgent();
    const client = createClient(fakeAgent);
    const waiting = getFailure(client.call('get_state'));
    fakeAgent.exit({ code: 3, stderr: 'first\nlast\n' });
    const failure = await waiting;
    expect(failure).toBeInstanceOf(AgentExitedError);
    expect(failure).toMatchObject({
      message: 'The agent exited with code 3 before it answered get_state. The end of its stderr:\nfirst\nlast',
      exitCode: 3,
      signal: null,
      stderr: 'first\nlast\n',
    });
    const later = await getFailure(client.call('abort'));
    expect(later).toMatchObject({
      name: 'AgentExitedError',
      message: expect.stringContaining('before it answered abort'),
    });
    expect(await client.closed).toMatchObject({ code: 3 });
    expect(fakeAgent.written).toHaveLength(1);
  });

  test('replies that arrived before the exit are used', async () => {
    const fakeAgent = createFakeAgent();
    const client = createClient(fakeAgent);
    const [answered, unanswered] = [client.call('abort'), getFailure(client.call('abort'))];
    fakeAgent.send({ type: 'response', id: 'req_1', command: 'abort', success: true });
    fakeAgent.exit();
    await expect(answered).resolves.toBeUndefined();
    expect(await unanswered).toMatchObject({ message: 'The agent disconnected before it answered abort.' });
  });

  test('a transport error counts as an exit', async () => {
    async function* broken(): AsyncGenerator<string> {
      yield '{"type":"ready","version":"9","protocolVersion":1,"dialect":"omp"}';
      throw new Error('socket hung up');
    }
    const never = new Promise<never>(() => {});
    const client = createClient({ lines: broken(), write() {}, end() {}, closed: never });
    expect(await getFailure(client.call('get_state'))).toMatchObject({
      message: 'The agent disconnected (socket hung up) before it answered get_state.',
    });
  });

  test('close lets the agent reply to pending calls and rejects new ones', async () => {
    const { client } = await startMemoryAgent();
    const pending = client.call('get_state');
    const closing = client.close();
    await expect(client.call('get_state')).rejects.toThrow('The client was closed before it answered get_state');
    expect((await pending).isStreaming).toBe(false);
    expect(await closing).toEqual({ reason: 'the agent has finished' });
    expect(await client.closed).toEqual({ reason: 'the agent has finished' });
  });
});

test('the ready frame is stored', async () => {
  const { client } = await startMemoryAgent();
  expect(await client.ready()).toMatchObject({ version: '1.2.3', protocolVersion: 1, dialect: 'omp' });
  expect(await client.ready()).toMatchObject({ version: '1.2.3' });
});

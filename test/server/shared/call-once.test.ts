// Calls without a connection: the replies they get when their session is closed while they wait, and what they wait for.
import { object } from 'valibot';
import { describe, expect, test } from 'vitest';
import { createDeferred, Fault } from '../../../src/base/index.ts';
import { commandTable } from '../../../src/commands/command-table.ts';
import { type Command, command, type ProviderAuth, type SessionPool } from '../../../src/contracts/index.ts';
import { callOnce } from '../../../src/server/shared/call-once.ts';
import type { ScriptStep } from '../../../src/testing/scripted-models.ts';
import { createSharedSession } from './clients.ts';

interface Act {
  readonly name: string;
  readonly lane?: 'ordered' | 'now';
  run(): Promise<void> | void;
}

/** A session that the test can close, with commands of the test. */
async function createCalls(...acts: readonly Act[]) {
  return createCallsWith([], acts);
}

async function createCallsWith(script: readonly ScriptStep[], acts: readonly Act[] = []) {
  const { agent, shared, settle, release } = await createSharedSession(script);
  const { session } = agent;
  const state = { isOpen: true };
  const pool = { find: (id: string) => (state.isOpen && id === session.id ? session : undefined) } as SessionPool;
  const own = acts.map(({ name, lane = 'ordered', run }) =>
    command({ name, doc: '', lane, params: object({}), run: async () => run() }),
  ) as readonly unknown[] as readonly Command[];
  const commands = new Map([...commandTable, ...own.map((one) => [one.name, one] as const)]);
  const callForOutcome = (name: string, params: object = {}, hasSession = true, shouldWait = true) => {
    const services = { pool, auth: {} as ProviderAuth, listModels: async () => [] };
    const fixed = { shared, services, commands, name: 'test', access: 'full', shouldWait } as const;
    return callOnce({ ...fixed, command: name, params, session: hasSession ? session : undefined });
  };
  const call = async (...call: Parameters<typeof callForOutcome>) => (await callForOutcome(...call)).reply;
  return { session, state, call, callForOutcome, settle, release, close: () => agent.close() };
}

const CLOSED = { status: 'failed', fault: { code: 'busy', message: expect.stringContaining('Send the call again') } };

test('a call that waited while its session was closed changes nothing and is refused; reading goes on', async () => {
  const hold = createDeferred();
  const { session, state, call, close } = await createCalls({ name: 'hold', run: () => hold.promise });
  const held = call('hold');
  const change = call('set_auto_compaction', { enabled: false });
  const read = call('get_state');
  state.isOpen = false;
  hold.resolve();
  expect(await change).toMatchObject(CLOSED);
  expect(session.compaction.isAutomatic).toBe(true);
  expect(await read).toMatchObject({ status: 'settled', result: { sessionId: session.id } });
  expect(await held).toMatchObject(CLOSED);
  await close();
});

test.each([
  new Fault('storage', 'Cannot write session file a.jsonl: it is closed', { details: { reason: 'closed' } }),
  new Fault('internal', 'ENOENT: no such file or directory, rename'),
])('a call that fails because its session is closed says so: %s', async (fault) => {
  const calls = await createCalls({
    name: 'fail',
    run() {
      if (fault.code === 'internal') calls.state.isOpen = false;
      throw fault;
    },
  });
  expect(await calls.call('fail')).toMatchObject(CLOSED);
  await calls.close();
});

test('calls without a session do not wait for one another', async () => {
  const hold = createDeferred();
  const { call, close } = await createCalls(
    { name: 'hold', run: () => hold.promise },
    { name: 'quick', run: () => {} },
  );
  const held = call('hold', {}, false);
  expect(await call('quick', {}, false)).toMatchObject({ status: 'settled' });
  hold.resolve();
  expect(await held).toMatchObject({ status: 'settled' });
  await close();
});

describe('a message that is queued during a run', () => {
  const startRun = async () => {
    const calls = await createCallsWith([{ text: ['one'], hold: 'first' }, { text: ['two'] }]);
    const started = calls.callForOutcome('prompt', { message: 'First' }, true, false);
    expect(await started).toMatchObject({ reply: { status: 'accepted', disposition: 'started' } });
    await calls.settle();
    return calls;
  };

  test('by a prompt is waited for until its run has ended', async () => {
    const { callForOutcome, settle, release, close } = await startRun();
    let isDone = false;
    const waiting = callForOutcome('prompt', { message: 'Second', streamingBehavior: 'followUp' }).finally(() => {
      isDone = true;
    });
    await settle();
    expect(isDone).toBe(false);
    await release('first');
    expect(await waiting).toEqual({
      reply: { status: 'settled', result: { disposition: 'queued' }, disposition: 'queued' },
      outcome: expect.objectContaining({ status: 'completed' }),
    });
    await close();
  });

  test('by a prompt fails when it is not run', async () => {
    const { session, call, settle, release, close } = await startRun();
    const waiting = call('prompt', { message: 'Second', streamingBehavior: 'followUp' });
    await settle();
    session.queues.reportNotRun('the test ends');
    expect(await waiting).toMatchObject({ status: 'failed', fault: { code: 'not_run' } });
    await release('first');
    await close();
  });

  test.each(['steer', 'follow_up'])('by %s has no end that could be waited for', async (name) => {
    const { call, release, close } = await startRun();
    expect(await call(name, { message: 'Second' })).toMatchObject({ status: 'accepted', disposition: 'queued' });
    await release('first');
    await close();
  });
});

test.each([
  ['set_host_tools', { tools: [] }],
  ['set_host_uri_schemes', { schemes: [] }],
  ['set_event_filter', { events: null }],
  ['login', { providerId: 'anthropic' }],
])('%s needs a connection, and changes nothing without one', async (name, params) => {
  const { session, call, close } = await createCalls();
  const tool = { name: 'a_host_tool' } as Parameters<typeof session.tools.setHostTools>[0][number];
  await session.tools.setHostTools([tool]);
  expect(await call(name, params)).toMatchObject({
    status: 'failed',
    fault: { code: 'refused', message: expect.stringContaining('needs a connection') },
  });
  expect(await session.tools.listAll()).toEqual([tool]);
  await close();
});

// Ends and suspends nodes of a fleet during runs: another node continues them, and nothing is done twice.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import { expect, onTestFinished, test } from 'vitest';
import { createFleet, type Fleet } from '../support/fleet.ts';
import { type Server, stopServer } from '../support/server.ts';
import { connectWebSocket } from '../support/server-clients.ts';
import { waitUntil } from '../support/wait-until.ts';

interface Message {
  readonly role: string;
  readonly content: readonly { readonly type: string; readonly text?: string }[];
}

async function readMessages(node: Server, id: string): Promise<readonly Message[]> {
  const { data } = await node.call(id, 'get_messages');
  return (data as { messages: readonly Message[] }).messages;
}

const getText = ({ content }: Message) => content.map(({ text = '' }) => text).join('');

/** Facts about the session in the database, without opening it. */
function watchSession({ database }: Fleet, id: string) {
  const sql = postgres(database.superuserUrl, { max: 1 });
  onTestFinished(() => sql.end());
  return {
    readRow: async () => (await sql`select holder, interrupted, token from parley.sessions where id = ${id}`)[0],
    readRuns: async () => (await sql`select status, executor_id from dbos.workflow_status`).map(({ status }) => status),
  };
}

const COMMAND = 'echo done >> effects; touch running; exec sleep 1000';

/** A run whose tool call has changed something and is not finished. */
async function startToolRun(fleet: Fleet, node: Server): Promise<string> {
  fleet.provider.add({ calls: [{ name: 'bash', arguments: { command: COMMAND } }] }, { text: 'continued' });
  const id = await node.createSession();
  await node.call(id, 'prompt', { message: 'go' });
  await waitUntil(() => existsSync(join(fleet.cwd, 'running')));
  return id;
}

async function expectContinued(fleet: Fleet, survivor: Server, id: string) {
  const { readRow, readRuns } = watchSession(fleet, id);
  await waitUntil(async () => (await readRow())?.interrupted === false);
  await waitUntil(async () => (await readRuns()).every((status) => status === 'SUCCESS'));
  const messages = await readMessages(survivor, id);
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'toolResult', 'assistant']);
  expect(getText(messages[2]!)).toContain('Interrupted');
  expect(getText(messages[3]!)).toBe('continued');
  expect(readFileSync(join(fleet.cwd, 'effects'), 'utf8')).toBe('done\n');
}

test.each(['SIGKILL', 'SIGTERM'] as const)('a run whose node ended with %s is continued by another', async (signal) => {
  const fleet = await createFleet();
  const [first, second] = await Promise.all([fleet.startNode(), fleet.startNode()]);
  const id = await startToolRun(fleet, first);
  await stopServer(first, signal);
  await expectContinued(fleet, second, id);
  // A finished step is not repeated: one request for each answer.
  expect(fleet.provider.requests).toHaveLength(2);
});

test('a model request that was in progress is sent again', async () => {
  const fleet = await createFleet();
  const [first, second] = await Promise.all([fleet.startNode(), fleet.startNode()]);
  fleet.provider.add({ text: 'never sent', after: new Promise(() => {}) }, { text: 'answered' });
  const id = await first.createSession();
  await first.call(id, 'prompt', { message: 'go' });
  await waitUntil(() => fleet.provider.requests.length === 1);
  await stopServer(first, 'SIGKILL');
  await waitUntil(async () => (await watchSession(fleet, id).readRow())?.interrupted === false);
  expect((await readMessages(second, id)).map(getText)).toEqual(['go', 'answered']);
});

test('a node that was suspended cannot write to the session that another has taken over', async () => {
  const fleet = await createFleet();
  const [first, second] = await Promise.all([fleet.startNode(), fleet.startNode()]);
  fleet.provider.add({
    calls: [{ name: 'bash', arguments: { command: 'touch running; sleep 3; echo done >> effects' } }],
  });
  fleet.provider.add({ text: 'continued' }, { text: 'of the suspended node' });
  const id = await first.createSession();
  await first.call(id, 'prompt', { message: 'go' });
  await waitUntil(() => existsSync(join(fleet.cwd, 'running')));
  first.program.kill('SIGSTOP');
  const { readRow } = watchSession(fleet, id);
  await waitUntil(async () => (await readRow())?.interrupted === false);
  const taken = await readRow();
  first.program.kill('SIGCONT');
  // The first node notices it with its next registration or write, and closes the session with the command that it had started.
  await waitUntil(async () => (await first.request('/metrics')).text.includes('parley_sessions_open 0'));
  expect(await readRow()).toEqual(taken);
  expect((await readMessages(second, id)).map(({ role }) => role)).toEqual([
    'user',
    'assistant',
    'toolResult',
    'assistant',
  ]);
  const effects = join(fleet.cwd, 'effects');
  expect(existsSync(effects) ? readFileSync(effects, 'utf8') : 'done\n').toBe('done\n');
});

test('clients of a suspended node leave it when it wakes up and another node has the session, also without a run', async () => {
  const fleet = await createFleet();
  const [first, second] = await Promise.all([fleet.startNode(), fleet.startNode()]);
  const id = await first.createSession();
  const client = await connectWebSocket(first, { session: id, after: '0' });
  await client.next({ type: 'session_snapshot' });
  first.program.kill('SIGSTOP');
  fleet.provider.add({ text: 'answered elsewhere' });
  await waitUntil(
    async () => (await second.call(id, 'prompt', { message: 'go' }).catch(() => undefined))?.success === true,
  );
  await waitUntil(async () => (await readMessages(second, id)).length === 2);
  first.program.kill('SIGCONT');
  // Not a code after which clients give up.
  expect(await client.closed).toMatchObject({ code: 1012 });
  expect(JSON.stringify(client.frames)).not.toContain('answered elsewhere');
  const again = await connectWebSocket(first, { session: id, after: '0' });
  expect(JSON.stringify(await again.next({ type: 'session_snapshot' }))).toContain('answered elsewhere');
});

test('the run of a session without a node is continued when one starts', async () => {
  const fleet = await createFleet();
  const first = await fleet.startNode();
  const id = await startToolRun(fleet, first);
  await stopServer(first, 'SIGKILL');
  await expectContinued(fleet, await fleet.startNode(), id);
});

test('a message that reaches another node before the takeover waits behind the run', async () => {
  const fleet = await createFleet();
  // No node looks for ended ones during the test.
  const slow = ['--set', 'database.takeoverSeconds=600'];
  const [first, second] = await Promise.all([fleet.startNode(slow), fleet.startNode(slow)]);
  const id = await startToolRun(fleet, first);
  fleet.provider.add({ text: 'answer of the message' });
  await stopServer(first, 'SIGKILL');
  const queued = await second.call(id, 'prompt', { message: 'next', streamingBehavior: 'followUp' });
  expect(queued).toMatchObject({ success: true, data: { disposition: 'queued' } });
  await waitUntil(async () => (await watchSession(fleet, id).readRow())?.interrupted === false);
  const messages = await readMessages(second, id);
  expect(messages.map(({ role }) => role)).toEqual([
    ...['user', 'assistant', 'toolResult', 'assistant'],
    ...['user', 'assistant'],
  ]);
  expect(messages.slice(3).map(getText)).toEqual(['continued', 'next', 'answer of the message']);
});

test('the run of a program that is no node waits until a client continues it', async () => {
  const fleet = await createFleet();
  const node = await fleet.startNode();
  const id = await startToolRun(fleet, node);
  const { readRow } = watchSession(fleet, id);
  const sql = postgres(fleet.database.superuserUrl, { max: 1, fetch_types: false });
  onTestFinished(() => sql.end());
  await stopServer(node, 'SIGKILL');
  await sql`update parley.sessions set is_run_of_node = false`;
  await sql`delete from dbos.workflow_status`;
  const survivor = await fleet.startNode();
  expect((await readMessages(survivor, id)).map(({ role }) => role)).toEqual(['user', 'assistant']);
  expect((await readRow())?.interrupted).toBe(true);
  expect(await survivor.call(id, 'continue_run')).toMatchObject({ success: true });
  await waitUntil(async () => (await readRow())?.interrupted === false);
});

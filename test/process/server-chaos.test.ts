// Disturbs a real server: clients that disappear, read slowly, stop reading and send wrong requests, while runs, compactions and branches
// go on. Each client must receive the same events as one that was always connected, and as the session log.
// `npm run soak:server` does it with 10,000 reconnects.
import { expect, test, vi } from 'vitest';
import { findMissingMessages } from '../support/crashes.ts';
import type { WireFrame } from '../support/frame-collector.ts';
import { connect, type DisturbedServer, startDisturbedServer } from '../support/server/disturbed-server.ts';
import { type EventSegment, findDifferences, findPositionErrors } from '../support/server/event-record.ts';
import type { FollowingClient } from '../support/server/following-client.ts';
import {
  compareDeltas,
  findOpenMessageErrors,
  joinConversation,
  listEndedMessages,
} from '../support/server/snapshot-check.ts';
import {
  sendHalfRequests,
  sendTooLongFrame,
  sendWrongFrames,
  WRONG_FRAMES,
  WRONG_POSITIONS,
} from '../support/server/wrong-requests.ts';
import { listSessionFiles, readEntries } from '../support/session-files.ts';

const ROUNDS = Number(process.env.ROUNDS ?? 10);
const RECONNECTS = Number(process.env.RECONNECTS ?? 100);
const SEED = Number(process.env.SEED ?? 1);

/** Clients that connect with a wrong position stay until the end. */
const MAX_SNAPSHOTS = 30;
const MAX_LONG_ANSWERS = 20;

vi.setConfig({ testTimeout: 300_000 + 100 * RECONNECTS });

test('clients that disturb the server receive the same events as one that was always connected', async () => {
  const disturbed = await startDisturbedServer(SEED);
  const { server, sessionId, disturbance, work, reference, piReference, mover, disappearing, stopped } = disturbed;
  const countReconnects = () => disappearing.reduce((sum, { connections }) => sum + connections - 1, 0);
  const withSnapshots: FollowingClient[] = [];
  const addWithSnapshot = (client: FollowingClient) => void withSnapshots.push(client);
  for (let round = 0; round < ROUNDS || countReconnects() < RECONNECTS; round++) {
    await Promise.all([
      work.runRound(round),
      sendWrongRequests(disturbed),
      ...(round < MAX_SNAPSHOTS ? [connectWithWrongPosition(disturbed, round).then(addWithSnapshot)] : []),
    ]);
  }
  await stopUntilDropped(disturbed);
  // The conversation is not replaced any more, so that a snapshot and the events after it are the whole of it.
  await work.runUntilSettled(async () => {
    await work.startPrompt({ name: 'last', thinking: 200, text: 600, calls: 1 });
    withSnapshots.push(await connectWithWrongPosition(disturbed, 0));
  });
  disturbance.isOver = true;
  disturbance.progress.finish();
  // The last events are part of all dialects.
  await server.call(sessionId, 'set_session_name', { name: 'the end' });
  const followers = [piReference, ...disturbed.senders, ...disappearing, ...disturbed.slow, ...stopped, mover];
  await work.waitUntilAllReceived([...followers, ...withSnapshots]);

  const expected = reference.segment as EventSegment;
  // No client that has disappeared stays in the lists of the session.
  expect((await listClients(disturbed)).sort()).toEqual(
    [reference, ...followers, ...withSnapshots].map(({ name }) => name).sort(),
  );
  expect(reference.connections).toBe(1);
  expect(findPositionErrors(expected, () => false)).toEqual([]);
  for (const client of [...followers, ...withSnapshots]) {
    const own = client.name.includes('pi-') ? (piReference.segment as EventSegment) : expected;
    const differences = client.segments.flatMap((segment) => checkSegment(segment, own));
    expect({ client: client.name, differences }).toEqual({ client: client.name, differences: [] });
    // Only a client that moves to another session starts again.
    const restarts = client.segments
      .slice(client === mover ? client.segments.length : 1)
      .map((segment, index) => describeRestart(client.segments[index] as EventSegment, segment, expected));
    expect({ client: client.name, restarts }).toEqual({ client: client.name, restarts: [] });
  }
  const { data } = await server.call(sessionId, 'get_messages');
  expect(joinConversation(withSnapshots.at(-1)?.segment as EventSegment)).toEqual(
    (data as { messages: unknown[] }).messages,
  );
  const stored = readStoredMessages(server.program.home, sessionId);
  expect(stored).toEqual(listEndedMessages(expected.records));
  const { blocks, errors } = compareDeltas(expected.records);
  expect(errors).toEqual([]);
  const drops = stopped.flatMap(({ ends }) => ends).filter(({ code }) => code === 4408);
  expect(drops.length).toBeGreaterThan(0);
  const { acknowledged } = work;
  process.stderr.write(
    `${JSON.stringify({ seed: SEED, reconnects: countReconnects(), drops: drops.length, events: reference.lastSeq! - expected.after, blocks, calls: acknowledged.counts })}\n`,
  );
});

test('after kill -9 clients come back to a snapshot with all that was acknowledged, and the run can be continued', async () => {
  const disturbed = await startDisturbedServer(SEED + 1);
  const { server, sessionId, disturbance, work, reference, startAgain } = disturbed;
  const earlier = [
    { name: 'first', thinking: 50, text: 400, calls: 2 },
    { name: 'second', text: 900 },
  ];
  for (const plan of earlier) await work.runUntilSettled(() => work.startPrompt(plan));
  const plan = { name: 'interrupted', thinking: 100, text: 3000, isEndless: true };
  await work.startPrompt(plan);
  const queued = { name: 'queued', text: 20 };
  await work.queueMessage(queued);
  await new Promise<void>((resolve) => disturbance.progress.after(8, resolve));
  const clients = [...disturbed.senders, ...disturbed.disappearing, ...disturbed.slow, ...disturbed.stopped];
  for (const client of [...clients, disturbed.mover]) client.onEnd = () => {};
  disturbance.isOver = true;
  server.program.kill('SIGKILL');
  await server.program.exited;
  disturbance.progress.finish();
  const listConnected = () => [reference, ...clients].filter(({ isConnected }) => isConnected).map(({ name }) => name);
  await expect.poll(listConnected, { timeout: 30_000 }).toEqual([]);
  const received = {
    acknowledged: work.acknowledged.texts,
    ended: listEndedMessages(reference.segment!.records),
    frames: 0,
  };
  expect(received.acknowledged.length).toBeGreaterThan(2);

  const restarted = await startAgain();
  disturbance.server = restarted;
  expect(findMissingMessages(received, readSessionEntries(restarted.program.home, sessionId))).toEqual([]);
  for (const client of clients) client.onEnd = () => client.connect(restarted);
  for (const client of [reference, ...clients]) await connect(client, restarted);
  for (const client of [reference, ...clients]) {
    const { reason, state, messages, queues } = client.segment!.snapshot as WireFrame;
    expect({ reason, isInterrupted: (state as { isInterrupted: boolean }).isInterrupted, queues }).toEqual({
      reason: 'too_old',
      isInterrupted: true,
      queues: { steering: [], followUp: [JSON.stringify(queued)] },
    });
    expect(JSON.stringify((messages as unknown[]).at(-1))).toContain('interrupted');
  }
  await work.runUntilSettled(async () => {
    expect(await restarted.call(sessionId, 'continue_run')).toMatchObject({ status: 202 });
  });
  await restarted.call(sessionId, 'set_session_name', { name: 'the end' });
  await work.waitUntilAllReceived(clients);
  const expected = reference.segment as EventSegment;
  for (const client of clients) {
    const own = client.name.includes('pi-') ? undefined : findDifferences(client.segment as EventSegment, expected);
    expect({ client: client.name, differences: own ?? [] }).toEqual({ client: client.name, differences: [] });
  }
  const { data } = await restarted.call(sessionId, 'get_messages');
  expect(joinConversation(expected)).toEqual((data as { messages: unknown[] }).messages);
});

/** For the report of a failure: where the client was, and how much it had missed. */
function describeRestart(previous: EventSegment, { after, snapshot }: EventSegment, reference: EventSegment) {
  const position = previous.records.at(-1)?.last ?? previous.after;
  const missed = reference.records.filter(({ last }) => last > position && last <= after);
  const length = missed.reduce((sum, { content, text }) => sum + content.length + text.length, 0);
  return { position, after, reason: snapshot?.reason, missed: missed.length, length };
}

function checkSegment(segment: EventSegment, reference: EventSegment): string[] {
  if (segment.sessionId !== reference.sessionId) return findPositionErrors(segment, () => false);
  return [...findDifferences(segment, reference), ...findOpenMessageErrors(segment)];
}

async function listClients({ server, sessionId }: DisturbedServer): Promise<string[]> {
  const details = await server.request('GET', `v1/sessions/${sessionId}`);
  return ((await details.json()) as { data: { clients: string[] } }).data.clients;
}

/** A client that does not read at all during a long answer is dropped, and comes back. */
async function stopUntilDropped(disturbed: DisturbedServer): Promise<void> {
  const { work, createClient, server, sessionId } = disturbed;
  // The answer to a queued message would be short.
  await server.call(sessionId, 'clear_queue');
  const client = createClient('stopped-until-dropped', 'socket', 'full');
  await connect(client, server);
  client.pause();
  // Deltas that are folded to a few frames can fit into the buffers of the system: then another answer follows. The frames at the end
  // of each answer exceed the small buffer of all clients at once: those that read must not be dropped.
  const isAttached = async () => (await listClients(disturbed)).includes(client.name);
  for (let round = 0; round < MAX_LONG_ANSWERS && (await isAttached()); round++)
    await work.runUntilSettled(() => work.startPrompt({ name: `long-${round}`, text: 8000 }));
  await expect.poll(isAttached, { timeout: 30_000 }).toBe(false);
  client.resume();
  await expect.poll(() => client.ends.map(({ code }) => code), { timeout: 30_000 }).toEqual([4408]);
  await connect(client, server);
  client.onEnd = () => client.connect(server);
  expect(client.segments).toHaveLength(1);
  (disturbed.stopped as FollowingClient[]).push(client);
}

async function sendWrongRequests({ server, sessionId }: DisturbedServer): Promise<void> {
  const [errors, closeCode] = await Promise.all([
    sendWrongFrames(server, sessionId),
    sendTooLongFrame(server, sessionId, 70_000),
    sendHalfRequests(server, sessionId),
  ]);
  expect(closeCode).toBe(1009);
  expect(errors).toBeGreaterThan(WRONG_FRAMES.length / 2);
}

/** The client must get a snapshot that says why, and follows the session from there. */
async function connectWithWrongPosition(disturbed: DisturbedServer, round: number): Promise<FollowingClient> {
  const { disturbance, server, createClient } = disturbed;
  const [after, reason] = WRONG_POSITIONS[round % WRONG_POSITIONS.length] as (typeof WRONG_POSITIONS)[number];
  const kind = (['web-socket', 'socket', 'events'] as const)[round % 3] as 'events';
  const client = createClient(`wrong-position-${round}`, kind);
  await new Promise<void>((resolve) => disturbance.progress.after(5, resolve));
  await connect(client, server, after);
  expect({ after, reason: client.segment?.snapshot?.reason }).toEqual({ after, reason });
  return client;
}

function readStoredMessages(home: string, sessionId: string): unknown[] {
  return readSessionEntries(home, sessionId).flatMap(({ message }) => (message === undefined ? [] : [message]));
}

function readSessionEntries(home: string, sessionId: string): Record<string, unknown>[] {
  const [file] = listSessionFiles(home).filter((path) => path.includes(sessionId));
  return readEntries(file as string);
}

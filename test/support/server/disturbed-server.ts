// A server with a session, a client that is always connected, and clients of all kinds that disturb the server.

import { createRandom } from '../crashes.ts';
import { withDeadline } from '../deadline.ts';
import { type Disturbance, disappearRepeatedly, Progress, readSlowly, stopReading } from './faulty-clients.ts';
import { FollowingClient } from './following-client.ts';
import { ScriptedWork } from './scripted-work.ts';
import { type ServeProcess, startServe } from './serve-process.ts';
import { type StreamingModel, startStreamingModel } from './streaming-model.ts';
import type { WireKind } from './wire-connection.ts';

const KINDS: readonly WireKind[] = ['web-socket', 'socket', 'events'];
/** The smallest buffer, so that a client that stops reading is noticed soon. */
const SETTINGS = { serve: { clientBuffer: 65_536 }, rpc: { maxLineBytes: 65_536 } };

export interface DisturbedServer {
  readonly model: StreamingModel;
  readonly server: ServeProcess;
  readonly sessionId: string;
  readonly disturbance: Disturbance;
  readonly work: ScriptedWork;
  /** Always connected: one for each dialect. */
  readonly reference: FollowingClient;
  readonly piReference: FollowingClient;
  readonly senders: readonly FollowingClient[];
  readonly mover: FollowingClient;
  readonly disappearing: readonly FollowingClient[];
  readonly slow: readonly FollowingClient[];
  readonly stopped: readonly FollowingClient[];
  createClient(name: string, kind: WireKind, stream?: 'full' | 'delta', dialect?: string): FollowingClient;
  /** Starts another process on the same files, after the first one was killed. */
  startAgain(): Promise<ServeProcess>;
}

export async function startDisturbedServer(seed: number): Promise<DisturbedServer> {
  const model = await startStreamingModel();
  const startAgain = () => startServe({ directories: model.directories, settings: SETTINGS, flags: model.flags });
  const server = await startAgain();
  const created = await server.request('POST', 'v1/sessions', {});
  const { sessionId } = ((await created.json()) as { data: { sessionId: string } }).data;
  const progress = new Progress();
  const disturbance: Disturbance = { random: createRandom(seed), progress, server, sessionId, isOver: false };
  const createClient: DisturbedServer['createClient'] = (name, kind, stream = 'delta', dialect = 'omp') =>
    new FollowingClient({ name, kind, stream, sessionId, dialect });
  const reference = createClient('reference', 'web-socket');
  const piReference = createClient('pi-reference', 'web-socket', 'delta', 'pi');
  const senders = [createClient('sender-1', 'web-socket'), createClient('sender-2', 'socket')];
  const mover = createClient('mover', 'web-socket');
  const work = new ScriptedWork({ reference, senders, mover }, disturbance);
  await Promise.all([reference, piReference, ...senders, mover].map((client) => connect(client, server)));
  const disappearing = [
    ...KINDS.map((kind) => createClient(`disappearing-${kind}`, kind)),
    ...KINDS.map((kind) => createClient(`disappearing-full-${kind}`, kind, 'full')),
    createClient('disappearing-pi-web-socket', 'web-socket', 'delta', 'pi'),
    createClient('disappearing-pi-socket', 'socket', 'delta', 'pi'),
  ];
  const slow = KINDS.map((kind) => createClient(`slow-${kind}`, kind));
  const stopped = KINDS.map((kind) => createClient(`stopped-${kind}`, kind, 'full'));
  for (const client of disappearing) disappearRepeatedly(client, disturbance);
  for (const client of slow) readSlowly(client, disturbance, 20);
  for (const client of stopped) stopReading(client, reference, disturbance, 120);
  return {
    ...{ model, server, sessionId, disturbance, work, reference, piReference, senders, mover },
    ...{ disappearing, slow, stopped, createClient, startAgain },
  };
}

/** Resolves when the client is attached. */
export function connect(client: FollowingClient, server: ServeProcess, after?: string): Promise<void> {
  const { onFrame } = client;
  const attached = new Promise<void>((resolve, reject) => {
    client.onFrame = (frame) => {
      onFrame(frame);
      const isComplete = frame.type === 'session_attached' && frame.replay !== 'snapshot';
      if (!isComplete && frame.type !== 'session_snapshot') return;
      client.onFrame = onFrame;
      resolve();
    };
    const { onEnd } = client;
    client.onEnd = (end) => {
      client.onEnd = onEnd;
      onEnd(end);
      reject(new Error(`${client.name} was not attached: ${end.code} ${end.reason}`));
    };
  });
  client.connect(server, undefined, after);
  return withDeadline(attached, `the connection of ${client.name}`);
}

// Serves one host: decodes lines, schedules calls in lanes, and sends replies and events.
import type {
  Clock,
  Codec,
  Command,
  Frame,
  HostConnection,
  IdGenerator,
  Log,
  SessionHub,
  Transport,
} from '../contracts/index.ts';
import { CallDispatcher } from './call-dispatcher.ts';
import { createHostConnection } from './host-connection.ts';
import { Outbox } from './outbox.ts';
import { createPendingUiRequests } from './pending-ui-requests.ts';

export interface ServeOptions {
  transport: Transport;
  codec: Codec;
  commands: ReadonlyMap<string, Command>;
  hub: SessionHub;
  ports: { clock: Clock; ids: IdGenerator; log: Log };
  /** What to do with accepted work when the host closes its input. */
  onEof: 'finish' | 'abort';
  /** Reads the schema of the dialect, for `get_schema`. */
  readSchema?: HostConnection['readSchema'];
  /** Resolves when the notices of the startup are sent. */
  startupNoticesSent?: Promise<void>;
}

/** Serves one host until it closes its input. Returns when accepted work is done and all frames are sent. */
export async function serve(options: ServeOptions): Promise<void> {
  const { transport, codec, commands, hub, ports } = options;
  const outbox = new Outbox(transport);
  const send = (frame: Frame | undefined) =>
    sendFrame(outbox, frame && codec.limitFrame ? codec.limitFrame(frame) : frame);
  const uiRequests = createPendingUiRequests(ports, (request, session) => {
    const frame = codec.encodeUiRequest(request, session);
    void send(frame);
    return frame !== undefined;
  });
  const { readSchema } = options;
  const host = createHostConnection({
    ...{ idGenerator: ports.ids, codec, readSchema },
    send: (frame) => void send(frame),
  });
  const calls = new CallDispatcher({
    commands,
    hub,
    host,
    log: ports.log,
    sendReply: (token, reply) => send(codec.encodeReply(token, reply)),
    sendOutcome: (token, outcome) => send(codec.encodeOutcome?.(token, outcome)),
  });
  const disconnect = hub.connect(
    (event, session) => send(codec.encodeEvent(event, session)),
    (session) => {
      if (codec.createHostServices) {
        session.tools.hostServices = codec.createHostServices(session, (frame) => void send(frame));
      }
      return uiRequests.createHostUi(session);
    },
  );

  codec.setSender?.((frame) => void send(frame));
  void send(codec.encodeReadyFrame());
  for await (const line of takeUntil(transport.lines, waitForExitRequest(hub))) {
    const incoming = codec.decode(line);
    if (incoming.kind === 'answer') uiRequests.resolve(incoming.id, incoming.answer);
    else if (incoming.kind === 'host_response') host.receive(incoming.frame);
    else if (incoming.kind === 'refused') calls.reject(incoming.token, incoming.fault);
    else if (incoming.kind === 'call') calls.dispatch(incoming);
    // Stop reading calls from a host that does not read the replies.
    if (outbox.isOverfull) await outbox.flush();
  }
  uiRequests.close();
  codec.handleHostClosed?.();
  hub.handleHostClosed?.();
  host.close();
  if (options.onEof === 'abort') await hub.abort();
  await calls.waitUntilIdle();
  await options.startupNoticesSent;
  await hub.waitUntilSettled();
  hub.reportNotRun('the program is exiting');
  disconnect();
  await outbox.flush();
}

/** Returns a promise when the sender should wait because the host reads too slowly. */
function sendFrame(outbox: Outbox, frame: Frame | undefined): undefined | Promise<void> {
  let wait: undefined | Promise<void>;
  for (let next = frame; next; next = next.followedBy) wait = outbox.push(next);
  return wait;
}

/** Resolves when an exit was requested and all work has settled. */
async function waitForExitRequest(hub: SessionHub): Promise<void> {
  await hub.exitRequested;
  await hub.waitUntilSettled();
}

/** Not Promise.race: each race with the long-lived `stop` promise would keep memory until `stop` resolves. */
function takeUntil<T>(source: AsyncIterable<T>, stop: Promise<void>): AsyncIterable<T> {
  const iterator = source[Symbol.asyncIterator]();
  const endResult: IteratorResult<T> = { done: true, value: undefined };
  let isStopped = false;
  let finish = () => {};
  void stop.then(() => {
    isStopped = true;
    finish();
  });
  const next = () =>
    new Promise<IteratorResult<T>>((resolve, reject) => {
      finish = () => resolve(endResult);
      if (isStopped) finish();
      else iterator.next().then(resolve, reject);
    });
  return { [Symbol.asyncIterator]: () => ({ next }) };
}

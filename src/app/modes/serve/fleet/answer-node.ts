// Answers other nodes: serves their clients, and executes their requests, in the sessions that this node has open.
import { type Fault, getFaultReason, type Line, toFault, tryParseJson } from '../../../../base/index.ts';
import type { Transport } from '../../../../contracts/index.ts';
import type { RelayChannel } from '../../../../fleet/index.ts';
import type { ClientConnection, SessionBackend } from '../../../../http/index.ts';
import type { ClientRegistry } from '../client-registry.ts';
import {
  type ChannelOpening,
  decodeLine,
  decodeOpening,
  encodeFrame,
  encodeJson,
  encodeReply,
  OPENED_MESSAGE,
  type RelayedEnd,
  type RelayedRequest,
  toWireFault,
} from './relay-frames.ts';

export interface AnswerContext {
  readonly backend: SessionBackend;
  readonly clients: ClientRegistry;
  /** False: the other node must look for the session again. */
  isHere(sessionId: string): Promise<boolean>;
}

/** Never rejects. A request is executed at most once, because a message arrives at most once. */
export async function answerNode(channel: RelayChannel, context: AnswerContext): Promise<void> {
  const close = (end: RelayedEnd) => channel.close(encodeJson(end));
  try {
    const opening = decodeOpening(channel.opening);
    if (!opening || !(await context.isHere(opening.sessionId))) {
      close({ status: 'absent' });
      return;
    }
    if (opening.kind === 'client') await serveClient(channel, opening, context);
    else await answerRequest(channel, opening.sessionId, context.backend);
    close({ status: 'done' });
  } catch (thrown) {
    // The session was closed and opened elsewhere meanwhile. Nothing was done.
    if (isInUse(thrown)) close({ status: 'absent' });
    else close({ status: 'refused', fault: toWireFault(toFault(thrown)) });
  }
}

/** Another process has the session open. Thrown before a call is executed. */
export function isInUse(thrown: unknown): thrown is Fault {
  return getFaultReason(thrown) === 'in_use';
}

type ClientOpening = Extract<ChannelOpening, { kind: 'client' }>;

function serveClient(
  channel: RelayChannel,
  opening: ClientOpening,
  { backend, clients }: AnswerContext,
): Promise<void> {
  const { caller, params } = opening;
  const connection: ClientConnection = {
    ...{ transport: createTransport(channel), caller, params },
    close: (end) => channel.close(encodeJson({ status: 'ended', ...end } satisfies RelayedEnd)),
  };
  return clients.serve(connection, () => backend.serveConnection(connection));
}

function createTransport(channel: RelayChannel): Transport {
  const readerClosed = channel.end.then(() => {});
  async function* readLines(): AsyncGenerator<Line> {
    for await (const message of channel.messages) {
      const line = decodeLine(message);
      if (!line) return;
      yield line;
    }
  }
  return {
    lines: {
      [Symbol.asyncIterator]() {
        // The connection is not refused any more.
        channel.send(OPENED_MESSAGE);
        return readLines();
      },
    },
    write: (chunks) => channel.send(encodeFrame(chunks)),
    waitForDrain: () => channel.waitForDrain(),
    flush: () => channel.flush(),
    readerClosed,
  };
}

async function answerRequest(channel: RelayChannel, sessionId: string, backend: SessionBackend): Promise<void> {
  for await (const message of channel.messages) {
    const request = tryParseJson(message.toString()) as unknown as RelayedRequest;
    channel.send(encodeJson({ value: await execute(backend, sessionId, request) }));
    return;
  }
}

async function execute(backend: SessionBackend, sessionId: string, request: RelayedRequest): Promise<unknown> {
  switch (request.name) {
    case 'call':
      return encodeReply(await backend.call(request));
    case 'describe':
      return backend.describeSession(sessionId);
    case 'dialogs':
      return backend.listDialogs(sessionId);
    case 'answer':
      return backend.answerDialog(sessionId, request.requestId, request.answer, request.caller);
    case 'export':
      return backend.exportSession(sessionId, { branchOnly: request.branchOnly });
  }
}

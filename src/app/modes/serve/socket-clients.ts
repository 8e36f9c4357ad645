// Serves the clients of a Unix socket. An optional first line has the parameters that WebSockets have in their URL.
import { literal, number, optional, picklist, strictObject, string, union } from 'valibot';
import { isRecord, type Line, toJson } from '../../../base/index.ts';
import { type Transport, validate } from '../../../contracts/index.ts';
import { type ClientConnection, type ConnectionParams, clientName } from '../../../http/index.ts';
import { clientAccess } from '../../../protocol/index.ts';
import { createSocketTransport, type SocketTransport } from '../../../transports/socket-transport.ts';
import { toRefusedEnd } from './connection-end.ts';

const connectFrame = strictObject({
  type: literal('connect'),
  dialect: optional(string()),
  session: optional(string()),
  after: optional(union([number(), string()])),
  stream: optional(picklist(['full', 'delta'])),
  client: optional(clientName),
  cwd: optional(string()),
  access: optional(clientAccess),
});

type ServeConnection = (connection: ClientConnection) => Promise<void>;

/** Only the user can open the socket, so there is no token. */
export async function serveSocketClient(
  socket: Parameters<typeof createSocketTransport>[0],
  serveConnection: ServeConnection,
  lineLimit: number,
): Promise<void> {
  const transport = createSocketTransport(socket, lineLimit);
  try {
    const { params, client, access, lines } = await readConnectFrame(transport);
    await serveConnection({
      transport: { ...transport, lines },
      caller: { name: client ?? '', access: access ?? 'full', token: 'socket', remoteAddress: 'socket' },
      params,
      close: ({ code, reason }) => sendEnd(transport, code, reason),
    });
    transport.close();
  } catch (thrown) {
    const { reason, faultCode } = toRefusedEnd(thrown);
    transport.write([`${toJson({ type: 'connect_error', code: faultCode, message: reason })}\n`]);
    transport.close();
  }
}

function sendEnd(transport: SocketTransport, code: number, reason: string): void {
  transport.write([`${toJson({ type: 'connection_end', code, reason })}\n`]);
  transport.close();
}

interface ConnectRequest {
  readonly params: ConnectionParams;
  readonly client?: string | undefined;
  readonly access?: 'full' | 'read' | undefined;
  /** All lines but the first one, if that was a `connect` frame. */
  readonly lines: Transport['lines'];
}

async function readConnectFrame(transport: SocketTransport): Promise<ConnectRequest> {
  const iterator = transport.lines[Symbol.asyncIterator]();
  const first = await iterator.next();
  const value = first.done ? undefined : parseLine(first.value);
  if (!isRecord(value) || value.type !== 'connect') {
    return { params: {}, lines: prepend(first.done ? [] : [first.value], iterator) };
  }
  const { client, access, after, type: _, ...params } = validate(connectFrame, value);
  return { params: { ...params, after: after?.toString() }, client, access, lines: prepend([], iterator) };
}

function parseLine(line: Line): unknown {
  if ('problem' in line) return undefined;
  try {
    return JSON.parse(line.text);
  } catch {
    return undefined;
  }
}

function prepend(lines: readonly Line[], rest: AsyncIterator<Line>): Transport['lines'] {
  const waiting = [...lines];
  const next = async (): Promise<IteratorResult<Line>> => {
    const value = waiting.shift();
    return value === undefined ? rest.next() : { done: false, value };
  };
  return { [Symbol.asyncIterator]: () => ({ next }) };
}

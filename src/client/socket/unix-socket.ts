// A transport over a Unix socket. Works in Node and Bun only; their modules are loaded when it is called.
import type { Socket } from 'node:net';
import { createDeferred, getErrorMessage, isRecord, LineSplitter, toJson } from '../../base/index.ts';
import type { ClientTransport, ExitInfo } from '../client-transport.ts';
import { repeatEvery } from '../timer.ts';
import { createAttachError, createConnectError, createNetworkError } from './connection-failures.ts';

const CLOSE_TIMEOUT_MS = 2_000;
/** The last line, which says why the server ends the connection, begins with this text. */
const END_START = '{"type":"connection_end"';

/** Resolves when the server has answered `connect`, the first line, which has the parameters of the connection. */
export async function openUnixSocket(
  path: string,
  connect: object,
  { signal, maxLineBytes }: { signal: AbortSignal; maxLineBytes: number },
): Promise<ClientTransport> {
  const address = `unix:${path}`;
  const { createConnection } = await import(/* webpackIgnore: true */ /* @vite-ignore */ 'node:net');
  const socket = createConnection({ path });
  const opened = createDeferred();
  socket.once('connect', opened.resolve);
  socket.once('error', (problem) => opened.reject(createNetworkError(address, problem)));
  const abort = () => socket.destroy(new Error(getErrorMessage(signal.reason)));
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  try {
    await opened.promise;
    // The reader reports later errors. Without a listener they would be uncaught.
    socket.on('error', () => {});
    socket.write(`${toJson({ type: 'connect', ...connect })}\n`);
    const transport = createTransport(socket, maxLineBytes);
    const lines = transport.lines[Symbol.asyncIterator]();
    const first = await lines.next();
    if (first.done) throw createAttachError(address, await transport.closed);
    const refusal = parseFrame(first.value, 'connect_error');
    if (refusal) throw createConnectError(address, refusal);
    return { ...transport, lines: prepend(first.value, { [Symbol.asyncIterator]: () => lines }) };
  } catch (thrown) {
    socket.destroy();
    throw thrown;
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

function createTransport(socket: Socket, maxLineBytes: number): ClientTransport {
  const closed = createDeferred<ExitInfo>();
  async function* readLines(): AsyncGenerator<string> {
    const splitter = new LineSplitter(maxLineBytes);
    let exitInfo: ExitInfo = { reason: 'the connection was closed' };
    try {
      for await (const chunk of socket) {
        for (const line of splitter.push(chunk)) {
          const text = 'text' in line ? line.text : line.problem;
          const end = text.startsWith(END_START) ? parseFrame(text, 'connection_end') : undefined;
          if (end) exitInfo = { reason: String(end.reason), closeCode: Number(end.code) };
          else yield text;
        }
      }
      // A line without its end is incomplete: the server ended while it wrote.
    } catch (thrown) {
      exitInfo = { reason: getErrorMessage(thrown) };
    } finally {
      socket.destroy();
      closed.resolve(exitInfo);
    }
  }
  return {
    lines: readLines(),
    closed: closed.promise,
    write(line) {
      if (socket.writable) socket.write(line);
    },
    end() {
      socket.end();
      const stop = repeatEvery(CLOSE_TIMEOUT_MS, () => socket.destroy());
      void closed.promise.then(stop);
    },
  };
}

/** `undefined` for a frame of another type. */
function parseFrame(line: string, type: string): Record<string, unknown> | undefined {
  try {
    const frame: unknown = JSON.parse(line);
    return isRecord(frame) && frame.type === type ? frame : undefined;
  } catch {
    return undefined;
  }
}

async function* prepend(first: string, lines: AsyncIterable<string>): AsyncGenerator<string> {
  yield first;
  yield* lines;
}

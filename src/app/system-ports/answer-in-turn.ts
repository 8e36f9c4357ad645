// Answers the requests of one HTTP connection one after the other: a client that does not read its response starts no further work.
import type { RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { createRefusalHeaders, formatRefusalBody } from './raw-response.ts';

/** Requests of one connection that wait for the responses of those before. */
const MAX_WAITING = 100;

interface ConnectionQueue {
  readonly starts: (() => void)[];
  /** The connection ends with the first request that is refused. */
  isRefusing: boolean;
}

export function answerInTurn(onRequest: RequestListener): RequestListener {
  const queues = new WeakMap<Socket, ConnectionQueue>();
  return (request, response) => {
    const { socket } = request;
    const start = () => {
      const queue = queues.get(socket) ?? { starts: [], isRefusing: false };
      queues.set(socket, queue);
      response.once('close', () => {
        const isEnding = socket.destroyed || socket.writableEnded;
        const next = isEnding ? undefined : queue.starts.shift();
        if (next) next();
        else if (!queue.isRefusing) queues.delete(socket);
      });
      onRequest(request, response);
    };
    const queue = queues.get(socket);
    if (!queue) {
      start();
      return;
    }
    queue.isRefusing ||= queue.starts.length >= MAX_WAITING;
    if (queue.isRefusing) refuse(response);
    else queue.starts.push(start);
  };
}

/** Node sends it after the other responses, and stops reading requests when too many of them wait. */
function refuse(response: ServerResponse): void {
  const message = `More than ${MAX_WAITING} requests of this connection wait. Read the responses first.`;
  const refusal = { status: 429, code: 'rate_limited', message, retryAfter: 1 };
  response.writeHead(refusal.status, createRefusalHeaders(refusal)).end(formatRefusalBody(refusal));
}

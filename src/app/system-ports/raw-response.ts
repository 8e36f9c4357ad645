// Formats a refusal as the bytes of an HTTP response, for connections that have no response object.
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { SECURITY_HEADERS } from '../../http/index.ts';

export interface RawRefusal {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  /** In seconds. */
  readonly retryAfter?: number | undefined;
}

export const INVALID_REQUEST: RawRefusal = {
  status: 400,
  code: 'invalid_params',
  message: 'The address or the Host header of the request is not valid.',
};

export function formatRefusalBody({ code, message }: RawRefusal): string {
  return JSON.stringify({ success: false, error: { code, message } });
}

export function createRefusalHeaders(refusal: RawRefusal): Record<string, string> {
  return {
    ...SECURITY_HEADERS,
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(formatRefusalBody(refusal))),
    connection: 'close',
    ...(refusal.retryAfter === undefined ? {} : { 'retry-after': String(refusal.retryAfter) }),
  };
}

/** Ends the connection, too: a client that does not close its side would keep it open. */
export function sendRefusal(socket: Duplex, refusal: RawRefusal): void {
  const head = [
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status] ?? 'Refused'}`,
    ...Object.entries(createRefusalHeaders(refusal)).map(([name, value]) => `${name}: ${value}`),
  ];
  socket.once('finish', () => socket.destroy());
  socket.end(`${head.join('\r\n')}\r\n\r\n${formatRefusalBody(refusal)}`);
}

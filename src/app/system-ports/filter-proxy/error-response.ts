// Error responses of the filter proxy. Each contains its reason three times, because programs show different parts of a response.
import { type ServerResponse, STATUS_CODES } from 'node:http';
import { getErrorMessage } from '../../../base/fault.ts';
import { ProxyError } from './route.ts';

const MAX_TEXT = 500;

interface ErrorParts {
  readonly status: number;
  /** curl -v, wget and pip show the status line. */
  readonly statusMessage: string;
  readonly headers: Readonly<Record<string, string>>;
  /** curl and browsers show the body of a plain request. */
  readonly body: string;
}

/** Printable ASCII: a host name in a request may contain anything. */
export function toPrintable(text: string): string {
  return text.slice(0, MAX_TEXT).replace(/[^\x20-\x7e]/g, '?');
}

function describeError(thrown: unknown): ErrorParts {
  const status = thrown instanceof ProxyError ? thrown.status : 502;
  const reason = toPrintable(getErrorMessage(thrown));
  const body = `${reason}\n`;
  return {
    status,
    statusMessage: `${STATUS_CODES[status]} (${reason})`,
    headers: {
      'Content-Type': 'text/plain; charset=utf-8',
      'Content-Length': String(body.length),
      'Proxy-Status': `parley-sandbox; details="${reason.replace(/["\\]/g, '\\$&')}"`,
      ...(status === 407 && { 'Proxy-Authenticate': 'Basic realm="parley-sandbox"' }),
    },
    body,
  };
}

export function sendError(response: ServerResponse, thrown: unknown): void {
  if (response.headersSent) return void response.destroy();
  const { status, statusMessage, headers, body } = describeError(thrown);
  response.writeHead(status, statusMessage, headers).end(body);
}

/** For a connection that has no response object. */
export function formatError(thrown: unknown): string {
  const { status, statusMessage, headers, body } = describeError(thrown);
  const lines = Object.entries({ ...headers, Connection: 'close' }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${statusMessage}\r\n${lines.join('')}\r\n${body}`;
}

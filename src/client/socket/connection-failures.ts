// Says why a connection could not be opened, and whether another attempt can succeed.
import { getErrorMessage, getSystemErrorCode, isRecord } from '../../base/index.ts';
import type { ExitInfo } from '../client-transport.ts';
import { ConnectionError } from '../errors.ts';

const START_ADVICE = 'Start a server with `parley serve`.';
const UNAUTHORIZED = 401;
const FORBIDDEN = 403;
const NOT_FOUND = 404;
const TOO_MANY_REQUESTS = 429;
const FIRST_SERVER_ERROR = 500;

/** Codes with which a server closes a WebSocket. */
const SESSION_NOT_FOUND = 4404;
const FRAME_TOO_LARGE = 1009;
const PERMANENT_CLOSE_CODES: ReadonlySet<number> = new Set([4400, 4401, 4403, SESSION_NOT_FOUND]);

/** Codes of `connect_error` after which another attempt can succeed. */
const TEMPORARY_CODES: ReadonlySet<unknown> = new Set(['busy', 'in_use', 'rate_limited', 'internal', 'restarting']);

/** For the user: the address that a browser would open. Never contains the token, which may be in the query. */
export function describeUrl({ protocol, host }: URL): string {
  return `${protocol === 'wss:' ? 'https:' : 'http:'}//${host}`;
}

export function createNetworkError(url: URL | string, problem: unknown): ConnectionError {
  const address = typeof url === 'string' ? url : describeUrl(url);
  const code = getSystemErrorCode(problem);
  if (code === 'ECONNREFUSED')
    return new ConnectionError(`No server answers at ${address} (connection refused). ${START_ADVICE}`, {
      cause: problem,
    });
  if (code === 'ENOENT')
    return new ConnectionError(`There is no socket at ${address}. ${START_ADVICE}`, { cause: problem });
  // Node reports an AggregateError without a message when a name has several addresses.
  return new ConnectionError(`Cannot connect to ${address}: ${getErrorMessage(problem) || code}`, { cause: problem });
}

/** For a reply to the WebSocket handshake that is not 101. */
export function createRefusal(url: URL, status: number, body: string): ConnectionError {
  const address = describeUrl(url);
  const reason = readErrorMessage(body);
  const detail = reason === undefined ? '' : `: ${reason}`;
  const isPermanent = status < FIRST_SERVER_ERROR && status !== TOO_MANY_REQUESTS;
  if (status === UNAUTHORIZED)
    return new ConnectionError(`${address} refused the token${detail}`, {
      ...{ code: 'no_credentials', status, isPermanent },
    });
  if (status === FORBIDDEN)
    return new ConnectionError(`${address} refused the connection${detail}`, { status, isPermanent });
  const code = status === NOT_FOUND ? 'not_found' : 'refused';
  // Only servers of Parley answer with a reason in this format.
  const problem =
    reason === undefined
      ? `is not a server of Parley, or refused the connection (${status})`
      : 'refused the connection';
  return new ConnectionError(`${address} ${problem}${detail}`, { code, status, isPermanent });
}

/** For a connection that ended before the session was attached. */
export function createAttachError(
  address: string,
  { reason = 'the connection was closed', closeCode }: ExitInfo,
): ConnectionError {
  const code = closeCode === SESSION_NOT_FOUND ? 'not_found' : 'refused';
  const isPermanent = isPermanentClosure(closeCode);
  return new ConnectionError(`${address} refused the connection: ${reason}`, { code, closeCode, isPermanent });
}

/** For the line that refuses a connection on a socket. */
export function createConnectError(address: string, frame: Record<string, unknown>): ConnectionError {
  const reason = typeof frame.message === 'string' ? frame.message : String(frame.code);
  const isPermanent = !TEMPORARY_CODES.has(frame.code);
  const code = frame.code === 'not_found' ? 'not_found' : 'refused';
  return new ConnectionError(`${address} refused the connection: ${reason}`, { code, isPermanent });
}

export function isPermanentClosure(closeCode: number | undefined): boolean {
  return closeCode !== undefined && PERMANENT_CLOSE_CODES.has(closeCode);
}

/** A frame of a call, or of its reply, was too large. It would be so again. */
export function isFrameTooLarge(closeCode: number | undefined): boolean {
  return closeCode === FRAME_TOO_LARGE;
}

/** The text of `{"error":{"message":"…"}}`. */
function readErrorMessage(body: string): string | undefined {
  try {
    const parsed: unknown = JSON.parse(body);
    const error = isRecord(parsed) && isRecord(parsed.error) ? parsed.error : undefined;
    return typeof error?.message === 'string' ? error.message : undefined;
  } catch {
    return undefined;
  }
}

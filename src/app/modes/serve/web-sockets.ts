// Accepts WebSocket connections: checks the request, and serves the client until it disconnects.
import { type Fault, toFault } from '../../../base/index.ts';
import type { Clock } from '../../../contracts/index.ts';
import {
  type AuditLog,
  type Caller,
  checkQuery,
  RETRY_AFTER,
  type RequestFacts,
  type RequestGuard,
  readCaller,
} from '../../../http/index.ts';
import { createWebSocketTransport, type WebSocketLike } from '../../../transports/web-socket-transport.ts';
import type { RawRefusal } from '../../system-ports/raw-response.ts';
import { createUpgradeHandler } from '../../system-ports/web-socket-upgrades.ts';
import { toRefusedEnd } from './connection-end.ts';
import type { ServerHttpBackend } from './server-http-backend.ts';

export interface WebSocketOptions {
  readonly backend: ServerHttpBackend;
  readonly guard: RequestGuard;
  readonly audit: AuditLog;
  readonly clock: Clock;
  readonly maxFrameBytes: number;
  /** A connection was not allowed. */
  onRefused(code: string): void;
}

interface AdmittedUpgrade {
  readonly caller: Caller;
  readonly query: URLSearchParams;
}

export function createWebSocketHandler(options: WebSocketOptions) {
  const { clock, maxFrameBytes, audit, onRefused } = options;
  return createUpgradeHandler<AdmittedUpgrade>({
    ...{ clock, maxFrameBytes },
    async admit(request) {
      const admission = await admitUpgrade(request, options);
      if ('caller' in admission) return { admitted: admission };
      const { remoteAddress, path } = request;
      audit.write({ action: 'refuse', remoteAddress, reason: `${path}: ${admission.message}` });
      onRefused(admission.code);
      return { refused: admission };
    },
    onConnection: (socket, admitted) => void serveWebSocket(socket, admitted, options),
  });
}

async function admitUpgrade(
  facts: RequestFacts,
  { guard, backend }: WebSocketOptions,
): Promise<AdmittedUpgrade | RawRefusal> {
  const refusal = guard.check(facts);
  if (refusal) return refusal;
  const { path, query, remoteAddress } = facts;
  if (path !== '/ws') return { status: 404, code: 'not_found', message: 'WebSockets connect to /ws.' };
  try {
    await guard.loadToken(facts, { allowQuery: true });
  } catch (thrown) {
    const { code, message } = toFault(thrown);
    return { status: 503, code, message, retryAfter: RETRY_AFTER };
  }
  const admission = guard.authorize(facts, { allowQuery: true });
  if ('refusal' in admission) return admission.refusal;
  const fault = backend.clients.check();
  if (fault) return { status: 503, code: fault.code, message: fault.message, retryAfter: RETRY_AFTER };
  const invalid = findInvalidQuery(query);
  if (invalid) return { status: 400, code: invalid.code, message: invalid.message };
  const read = (name: string) => query.get(name) || undefined;
  const access = query.get('access') ?? undefined;
  const requested = { name: read('client'), access, remoteAddress, defaultName: '' };
  const reply = readCaller(admission.owner, requested);
  return 'refusal' in reply ? reply.refusal : { caller: reply.caller, query };
}

const PARAMS = ['dialect', 'session', 'after', 'stream', 'client', 'cwd', 'access', 'token'];

function findInvalidQuery(query: URLSearchParams): Fault | undefined {
  try {
    checkQuery(query, PARAMS);
    return undefined;
  } catch (thrown) {
    return toFault(thrown);
  }
}

async function serveWebSocket(
  socket: WebSocketLike,
  admitted: AdmittedUpgrade,
  options: WebSocketOptions,
): Promise<void> {
  const transport = createWebSocketTransport(socket);
  const { caller, query } = admitted;
  const read = (name: string) => query.get(name) ?? undefined;
  const params = {
    ...{ dialect: read('dialect'), session: read('session'), after: read('after') },
    ...{ stream: read('stream'), cwd: read('cwd') },
  };
  try {
    const sessions = await options.backend.getSessions(caller);
    await sessions.serveConnection({
      ...{ transport, caller, params },
      close: ({ code, reason }) => transport.close(code, reason),
    });
  } catch (thrown) {
    const { code, reason } = toRefusedEnd(thrown);
    transport.close(code, reason);
  }
}

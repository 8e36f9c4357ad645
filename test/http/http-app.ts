// For tests of the HTTP API: the app with a backend that records its calls, without a port.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createFiles } from '../../src/app/system-ports/files.ts';
import { createIds } from '../../src/app/system-ports/ids.ts';
import { AccessTokens } from '../../src/http/access-tokens.ts';
import { createHttpApp } from '../../src/http/app.ts';
import { AuditLog } from '../../src/http/audit-log.ts';
import type { BackendCall, Caller, HttpBackend, SessionBackend } from '../../src/http/backend.ts';
import { LoginCodes } from '../../src/http/login-codes.ts';
import { RequestGuard } from '../../src/http/request-guard.ts';
import type { ResponseLimits } from '../../src/http/response-limit.ts';
import { createFakeClock } from '../../src/testing/index.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';

export const MAIN_TOKEN = 'main-token-of-the-test-0123456789';
export const READ_TOKEN = 'read-token-of-the-test-0123456789';
export const HOST = '127.0.0.1:7420';

export interface AppRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | ReadableStream<Uint8Array>;
  /** Null for none. Default: the main token. */
  readonly token?: string | null;
  readonly remoteAddress?: string;
  /** Resolves when the response is sent. */
  readonly sent?: Promise<void>;
}

export interface AppOptions {
  readonly backend?: Partial<HttpBackend & SessionBackend>;
  readonly allowedOrigins?: readonly string[];
  readonly maxBodyBytes?: number;
  readonly responseLimits?: ResponseLimits;
}

/** The main token, and a named one that only reads. */
export function createTokens(): AccessTokens {
  const hash = createHash('sha256').update(READ_TOKEN).digest('hex');
  return new AccessTokens(MAIN_TOKEN, [{ name: 'dashboard', access: 'read', hash, createdMs: 0 }]);
}

export function createTestApp({ backend = {}, allowedOrigins = [], maxBodyBytes = 1000, ...limits }: AppOptions = {}) {
  const clock = createFakeClock();
  const directory = createTemporaryDirectory();
  const audit = new AuditLog({ files: createFiles(), clock, directory });
  const getCookieName = () => 'parley_7420';
  const guard = new RequestGuard({
    ...{ tokens: createTokens(), clock, allowedOrigins, getCookieName },
    getHosts: () => [HOST, 'localhost:7420'],
  });
  const loginCodes = new LoginCodes(clock, createIds());
  const calls: BackendCall[] = [];
  const logged: unknown[] = [];
  const usedBackend = { ...createBackend(calls), ...backend };
  const app = createHttpApp({
    ...{ guard, audit, clock, maxBodyBytes, getCookieName, log: (...line) => void logged.push(line) },
    takeLoginCode: (code) => (loginCodes.take(code) ? MAIN_TOKEN : undefined),
    backend: usedBackend,
    ...limits,
  });
  const request = async (
    path: string,
    { method = 'GET', headers = {}, body, token, remoteAddress, sent }: AppRequest = {},
  ) =>
    app.fetch(
      new Request(`http://${HOST}${path}`, {
        method,
        headers: {
          host: HOST,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(token === null ? {} : { authorization: `Bearer ${token ?? MAIN_TOKEN}` }),
          ...headers,
        },
        ...(body === undefined ? {} : { body, duplex: 'half' }),
      } as RequestInit),
      { remoteAddress: remoteAddress ?? '127.0.0.1', sent: sent ?? Promise.resolve() },
    );
  const readAudit = async () => {
    await audit.close();
    const lines = readFileSync(join(directory, 'audit.jsonl'), 'utf8').trimEnd().split('\n');
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  };
  return { app, request, calls, clock, logged, loginCodes, readAudit, backend: usedBackend, guard };
}

export interface Route {
  readonly method: string;
  /** With a value for each parameter. */
  readonly path: string;
  /** As it is declared. */
  readonly pattern: string;
}

/** Every route of the app. Nothing of the options is used before a request comes. */
export function listRoutes(): Route[] {
  const unused = {} as Parameters<typeof createHttpApp>[0];
  return createHttpApp(unused)
    .routes.filter(({ method }) => method !== 'ALL')
    .map(({ method, path: pattern }) => ({ method, pattern, path: pattern.replaceAll(/:\w+/g, 'x') }));
}

/** Without a token: they contain no data. */
export const PUBLIC_ROUTES: readonly string[] = [
  'GET /healthz',
  'GET /',
  'POST /login',
  'GET /docs',
  'GET /assets/:name',
  'GET /favicon.svg',
];

export const isPublic = ({ method, pattern }: Route): boolean => PUBLIC_ROUTES.includes(`${method} ${pattern}`);

function createBackend(calls: BackendCall[]): HttpBackend & SessionBackend {
  const page = { bytes: new TextEncoder().encode('page'), contentType: 'text/html', isImmutable: false };
  return {
    sessionFields: ['id', 'forkOf', 'cwd', 'persist'],
    async getSessions(this: SessionBackend, _: Caller) {
      return this;
    },
    async call(call) {
      calls.push(call);
      return { status: 'settled', result: { sessionId: 's1' } };
    },
    async serveConnection({ transport }) {
      transport.write(['{"type":"ready"}\n']);
      await transport.readerClosed;
    },
    describeSession: async (sessionId) => ({ sessionId, isOpen: true, seq: 1, clients: [] }),
    listActivities: async () => new Map(),
    listDialogs: async () => [],
    answerDialog: async () => true,
    exportSession: async () => '<!doctype html>',
    readPageFile: async () => page,
    readOpenApi: async () => '{}',
    renderMetrics: async () => '',
    getHealth: () => ({ status: 'ok' }),
  };
}

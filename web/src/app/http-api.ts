// Calls of the HTTP API of the server: the list of sessions, and commands of sessions that this page is not connected to.

export type SessionActivity = 'running' | 'waiting' | 'interrupted' | 'idle';

/** A session as the list shows it. */
export interface SessionSummary {
  readonly id: string;
  readonly cwd: string;
  readonly name?: string;
  readonly firstPrompt: string;
  readonly modifiedMs: number;
  readonly cost?: number;
  readonly activity?: SessionActivity;
}

export class ApiError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** The page may be served below a path, so addresses are relative to it. */
export const BASE_URL = new URL('.', document.baseURI);

async function request(method: string, path: string, body?: object): Promise<unknown> {
  const response = await fetch(new URL(path, BASE_URL), {
    method,
    credentials: 'same-origin',
    ...(body ? { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } } : {}),
  });
  const text = await response.text();
  const reply = parseReply(text);
  if (!response.ok || reply.success === false) {
    const { code = 'failed', message = `The server replied with ${response.status}` } = reply.error ?? {};
    throw new ApiError(response.status, code, message);
  }
  return 'data' in reply ? reply.data : reply;
}

interface Reply {
  readonly success?: boolean;
  readonly data?: unknown;
  readonly error?: { readonly code?: string; readonly message?: string };
}

function parseReply(text: string): Reply {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

function getPath(sessionId: string): string {
  return `v1/sessions/${encodeURIComponent(sessionId)}`;
}

interface SessionPage {
  readonly sessions: readonly SessionSummary[];
  /** Present if older sessions follow. A search that takes long ends early. */
  readonly nextCursor?: string;
}

/** The newest sessions. `hasMore` says that there are older ones, which may fit too. */
export async function listSessions(
  query: string,
  pages: number,
): Promise<{ sessions: readonly SessionSummary[]; hasMore: boolean }> {
  const sessions: SessionSummary[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < pages && (page === 0 || cursor !== undefined); page++) {
    const fields = { limit: '500', ...(query === '' ? {} : { query }), ...(cursor === undefined ? {} : { cursor }) };
    const reply = (await request('GET', `v1/sessions?${new URLSearchParams(fields)}`)) as SessionPage;
    sessions.push(...reply.sessions);
    cursor = reply.nextCursor;
  }
  return { sessions, hasMore: cursor !== undefined };
}

/** Returns the id of the new session. */
export async function createSession(cwd: string): Promise<string> {
  const reply = await request('POST', 'v1/sessions', cwd === '' ? {} : { cwd });
  return (reply as { sessionId: string }).sessionId;
}

export async function forkSession(sessionId: string): Promise<string> {
  return ((await request('POST', `${getPath(sessionId)}/fork`, {})) as { sessionId: string }).sessionId;
}

export async function deleteSession(sessionId: string): Promise<void> {
  await request('DELETE', getPath(sessionId));
}

/** Replies that may be large come over HTTP, because the server limits what waits for a connection. */
export function callCommand(sessionId: string, command: string, params: object = {}): Promise<unknown> {
  return request('POST', `${getPath(sessionId)}/commands/${command}`, params);
}

export async function renameSession(sessionId: string, name: string): Promise<void> {
  await callCommand(sessionId, 'set_session_name', { name });
}

/** Stores the token in a cookie that only the server can read. */
export async function logIn(token: string): Promise<void> {
  await request('POST', 'login', { token });
}

export async function readOpenApi(): Promise<unknown> {
  return request('GET', 'openapi.json');
}

export function getExportUrl(sessionId: string): string {
  return new URL(`${getPath(sessionId)}/export`, BASE_URL).href;
}

/** `after` is the number of the last event that the page has seen; 0 asks for a snapshot. */
export function getSocketUrl(sessionId: string, after: number, client: string): string {
  const url = new URL('ws', BASE_URL);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  const fields = { dialect: 'omp', session: sessionId, after: String(after), stream: 'delta', client };
  url.search = new URLSearchParams(fields).toString();
  return url.href;
}

// The address of a running agent and the parameters of a connection to it.
import { Fault } from '../../base/index.ts';
import { describeUrl } from './connection-failures.ts';

/** What a client chooses when it connects. */
export interface ConnectParams {
  /** The id of an open or stored session. Default: a new session, or the only one of the agent. */
  session?: string | undefined;
  /** Send the events after this sequence number first. 0: start with a snapshot. Default: only new events. */
  after?: number | undefined;
  /** `delta` omits the whole message in each update of it. */
  stream?: 'full' | 'delta' | undefined;
  /** The name that other clients of the session see. */
  client?: string | undefined;
  /** The directory of a new session. Default: that of the server. */
  cwd?: string | undefined;
  /** `read`: the server refuses commands of this client that change something, and asks it no questions. */
  access?: 'full' | 'read' | undefined;
}

export type AgentAddress =
  | { readonly kind: 'web-socket'; readonly url: URL; readonly token: string | undefined; readonly name: string }
  | { readonly kind: 'unix-socket'; readonly path: string; readonly name: string };

const PROTOCOLS: Readonly<Record<string, string>> = { 'http:': 'ws:', 'https:': 'wss:', 'ws:': 'ws:', 'wss:': 'wss:' };
const UNIX_PREFIX = /^unix:(?:\/\/(?=\/))?/;
const WEB_SOCKET_PATH = '/ws';
/** What a header can contain, without spaces. */
const VALID_TOKEN = /^[!-~]*$/;

/** `token` and the parameters may also be in the query of a URL; the ones of the options take precedence. */
export function parseAddress(url: string | URL, token?: string): AgentAddress {
  const text = String(url);
  if (UNIX_PREFIX.test(text)) {
    const path = text.replace(UNIX_PREFIX, '');
    if (path === '') throw new Fault('config', 'The address unix: needs the path of a socket.');
    return { kind: 'unix-socket', path, name: `unix:${path}` };
  }
  const parsed = parseUrl(text);
  const protocol = PROTOCOLS[parsed.protocol];
  if (protocol === undefined) throw createInvalidAddressFault(text);
  parsed.protocol = protocol;
  parsed.hash = '';
  const path = parsed.pathname.endsWith('/') ? parsed.pathname.slice(0, -1) : parsed.pathname;
  parsed.pathname = path.endsWith(WEB_SOCKET_PATH) ? path : path + WEB_SOCKET_PATH;
  const queryToken = parsed.searchParams.get('token') ?? undefined;
  parsed.searchParams.delete('token');
  return { kind: 'web-socket', url: parsed, token: checkToken(token ?? queryToken), name: describeUrl(parsed) };
}

/** A token that was read from a file may end with a newline. */
function checkToken(token: string | undefined): string | undefined {
  const text = token?.trim();
  if (text === undefined || VALID_TOKEN.test(text)) return text;
  throw new Fault('config', 'The token has characters that a token cannot have.');
}

function parseUrl(text: string): URL {
  try {
    return new URL(text);
  } catch {
    throw createInvalidAddressFault(text);
  }
}

/** Without the query, which can contain the token. */
function createInvalidAddressFault(text: string): Fault {
  const address = text.replace(/\?.*$/s, '?…');
  return new Fault(
    'config',
    `Not an address of an agent: ${address}. Use http://, https://, ws://, wss:// or unix:/path.`,
  );
}

/** The URL with the parameters as its query. */
export function addParams(url: URL, params: ConnectParams): URL {
  const target = new URL(url);
  target.searchParams.set('dialect', 'omp');
  for (const [name, value] of Object.entries(params)) {
    if (value !== undefined) target.searchParams.set(name, String(value));
  }
  return target;
}

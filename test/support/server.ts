// Starts `parley serve` as a user does, and sends it HTTP requests. The server is killed when the test ends.
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import { afterAll } from 'vitest';
import { withDeadline } from './deadline.ts';
import {
  createDirectories,
  type Program,
  type ProgramDirectories,
  type ProgramOptions,
  startProgram,
} from './program.ts';
import type { OnEnd } from './temporary-directory.ts';

export interface ServerRequest {
  readonly method?: string;
  /** Headers replace the default ones. An undefined value removes a header. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** An object is sent as JSON. */
  readonly body?: unknown;
  /** Sent as a bearer token; null for none. Default: the main token. */
  readonly token?: string | null;
}

export interface ServerResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The body as JSON; undefined if it is not JSON. */
  readonly json: unknown;
}

export interface Server {
  readonly program: Program;
  /** `http://127.0.0.1:PORT/` */
  readonly url: string;
  readonly port: number;
  readonly token: string;
  readonly socket: string | undefined;
  /** The path is sent as it is, without any normalization. */
  request(path: string, request?: ServerRequest): Promise<ServerResponse>;
  /** Calls a command over HTTP and returns the body of the response. */
  call(sessionId: string, command: string, params?: object): Promise<Record<string, unknown>>;
  /** Opens a new session and returns its id. */
  createSession(params?: object): Promise<string>;
  /** Sends bytes to the port and returns everything that the server sends until it closes the connection. */
  exchange(text: string): Promise<string>;
}

/** The offline model answers without a network. */
export const OFFLINE = ['--provider', 'parley', '--model', 'offline'];

export async function startServer(args: readonly string[] = OFFLINE, options: ProgramOptions = {}): Promise<Server> {
  const program = startProgram(['serve', '--port', '0', '--json', ...args], options);
  const started = JSON.parse(String((await program.nextFrame({ type: 'unreadable' })).text));
  const { url, token, socket } = started as { url: string; token: string; socket?: string };
  const port = Number(new URL(url).port);
  const send = (path: string, request: ServerRequest = {}) => sendRequest(port, token, path, request);
  return {
    ...{ program, url, port, token, socket, request: send },
    async call(sessionId, command, params = {}) {
      const { json } = await send(`/v1/sessions/${sessionId}/commands/${command}`, { method: 'POST', body: params });
      return json as Record<string, unknown>;
    },
    async createSession(params = {}) {
      const { status, json, text } = await send('/v1/sessions', { method: 'POST', body: params });
      if (status !== 201) throw new Error(`No session: ${status} ${text}`);
      return (json as { data: { sessionId: string } }).data.sessionId;
    },
    exchange: (text) => exchangeBytes(port, text),
  };
}

/** One server for the tests of a file, which leave it as it is. The first test that uses it starts it. */
export function shareServer(
  createArgs: (directories: ProgramDirectories) => readonly string[] | Promise<readonly string[]> = () => OFFLINE,
): () => Promise<Server> {
  const ends: Parameters<OnEnd>[0][] = [];
  let server: Promise<Server> | undefined;
  afterAll(async () => {
    for (const end of ends.reverse()) await end();
  });
  const onEnd: OnEnd = (end) => void ends.push(end);
  const start = async () => {
    const directories = createDirectories(onEnd);
    return startServer(await createArgs(directories), { directories, onEnd });
  };
  return () => {
    server ??= start();
    return server;
  };
}

/** Ends the server with a signal and waits for its end. */
export async function stopServer({ program }: Server, signal: NodeJS.Signals = 'SIGTERM') {
  program.kill(signal);
  return program.exited;
}

function sendRequest(port: number, mainToken: string, path: string, request: ServerRequest): Promise<ServerResponse> {
  const { method = 'GET', body, token = mainToken } = request;
  const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
  const defaults = {
    host: `127.0.0.1:${port}`,
    ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    ...(text === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
  };
  const headers = Object.fromEntries(
    Object.entries({ ...defaults, ...request.headers }).filter(([, value]) => value !== undefined),
  ) as Record<string, string>;
  const response = new Promise<ServerResponse>((resolve, reject) => {
    const outgoing = httpRequest(
      { host: '127.0.0.1', port, method, path, headers, setHost: false, agent: false },
      (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('error', reject);
        incoming.on('end', () => {
          const received = Buffer.concat(chunks).toString('utf8');
          resolve({
            status: incoming.statusCode ?? 0,
            headers: incoming.headers,
            text: received,
            json: parse(received),
          });
        });
      },
    );
    outgoing.on('error', reject);
    outgoing.end(text);
  });
  return withDeadline(response, `the response to ${method} ${path}`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function exchangeBytes(port: number, text: string): Promise<string> {
  const received = new Promise<string>((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let answer = '';
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => {
      answer += chunk;
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(answer));
    socket.write(text, 'latin1');
  });
  return withDeadline(received, `the end of a connection after ${JSON.stringify(text.slice(0, 200))}`);
}

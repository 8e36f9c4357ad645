// Starts `parley serve` on a free port and calls its HTTP API.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createDirectories, type Program, type ProgramDirectories, startProgram } from '../program.ts';

export interface ServeProcess {
  readonly program: Program;
  /** `http://127.0.0.1:PORT/` */
  readonly url: string;
  readonly token: string;
  readonly socketPath: string;
  /** Calls a command over HTTP and returns the body of the reply. */
  call(sessionId: string | undefined, command: string, params?: object, query?: string): Promise<HttpReply>;
  request(method: string, path: string, body?: object): Promise<Response>;
}

export interface HttpReply {
  readonly status: number;
  readonly success: boolean;
  readonly data?: unknown;
  readonly error?: { readonly code: string; readonly message: string };
  readonly outcome?: unknown;
}

export interface ServeOptions {
  readonly directories?: ProgramDirectories;
  readonly settings?: object;
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export async function startServe(options: ServeOptions = {}): Promise<ServeProcess> {
  const { directories = createDirectories(), settings, flags = [], env } = options;
  if (settings) writeFileSync(join(directories.home, 'settings.json'), JSON.stringify(settings));
  const socketPath = join(directories.home, 's.sock');
  const args = ['serve', '--port', '0', '--json', '--socket', socketPath, ...flags];
  const program = startProgram(args, { directories, ...(env ? { env } : {}) });
  // The only line of stdout.
  const { text } = await program.nextFrame({ type: 'unreadable' });
  const { url, token } = JSON.parse(String(text)) as { url: string; token: string };
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const request = (method: string, path: string, body?: object) =>
    fetch(`${url}${path}`, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
  return {
    ...{ program, url, token, socketPath, request },
    async call(sessionId, command, params = {}, query = '') {
      const scope = sessionId === undefined ? '' : `sessions/${sessionId}/`;
      const response = await request('POST', `v1/${scope}commands/${command}${query}`, params);
      return { status: response.status, ...((await response.json()) as Omit<HttpReply, 'status'>) };
    },
  };
}

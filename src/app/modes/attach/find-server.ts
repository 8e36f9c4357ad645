// Finds the agent that `parley attach` connects to: the address of the user, or the server of this user on this machine.
import { join, resolve } from 'node:path';
import { Fault, isRecord } from '../../../base/index.ts';
import type { Files } from '../../../contracts/index.ts';

export interface AttachAddress {
  readonly url: string;
  readonly token?: string | undefined;
  /** The server was found by its file, not named by the user. */
  readonly isDefault: boolean;
}

interface ServerFile {
  readonly url: string;
  readonly socket?: string | undefined;
}

interface FindServerContext {
  readonly files: Pick<Files, 'read' | 'info'>;
  readonly agentDirectory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const HOST_AND_PORT = /^[\w.-]+:\d{1,5}$/;
const START_ADVICE = 'Start one with `parley serve`, or name another one: parley attach URL';

/** `target`: a URL, `host:port`, or the path of a socket. */
export async function findServer(
  target: string | undefined,
  token: string | undefined,
  context: FindServerContext,
): Promise<AttachAddress> {
  const given = token ?? context.env.PARLEY_TOKEN;
  if (target === undefined) return findOwnServer(given, context);
  if (/^unix:/.test(target)) return { url: `unix:${resolve(target.slice('unix:'.length))}`, isDefault: false };
  if (!/^\w+:\/\//.test(target) && !HOST_AND_PORT.test(target)) {
    const path = resolve(target);
    if (!(await context.files.info(path)))
      throw new Fault('config', `${target} is neither a URL nor a socket that exists.`);
    return { url: `unix:${path}`, isDefault: false };
  }
  const url = HOST_AND_PORT.test(target) ? `http://${target}` : target;
  return { url, token: given ?? (await findOwnToken(url, context)), isDefault: false };
}

async function findOwnServer(token: string | undefined, context: FindServerContext): Promise<AttachAddress> {
  const server = await readServerFile(context);
  if (!server) throw new Fault('config', `No server of this user is running. ${START_ADVICE}`);
  // A token may give less access than the socket.
  if (server.socket !== undefined && token === undefined) return { url: `unix:${server.socket}`, isDefault: true };
  return { url: server.url, token: token ?? (await readToken(context)), isDefault: true };
}

/** The stored token is used only for the server that it belongs to. */
async function findOwnToken(url: string, context: FindServerContext): Promise<string | undefined> {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (!parsed || parsed.searchParams.has('token')) return undefined;
  const server = await readServerFile(context);
  const isOwn = server !== undefined && new URL(server.url).host === parsed.host;
  return isOwn ? readToken(context) : undefined;
}

async function readServerFile({ files, agentDirectory }: FindServerContext): Promise<ServerFile | undefined> {
  const text = await readText(files, join(agentDirectory, 'serve', 'server.json'));
  if (text === undefined) return undefined;
  try {
    const { url, socket } = parseRecord(text);
    if (typeof url !== 'string' || !URL.canParse(url)) return undefined;
    return { url, ...(typeof socket === 'string' ? { socket } : {}) };
  } catch {
    return undefined;
  }
}

async function readToken({ files, agentDirectory }: FindServerContext): Promise<string | undefined> {
  return (await readText(files, join(agentDirectory, 'serve', 'token')))?.trim();
}

async function readText(files: FindServerContext['files'], path: string): Promise<string | undefined> {
  if ((await files.info(path))?.kind !== 'file') return undefined;
  return new TextDecoder().decode(await files.read(path));
}

function parseRecord(text: string): Record<string, unknown> {
  const value: unknown = JSON.parse(text);
  return isRecord(value) ? value : {};
}

// Finds the agent that `parley attach` connects to: the address of the user, or the server of this user on this machine.
import { join, resolve } from 'node:path';
import { Fault } from '../../../base/index.ts';
import type { Files, ProcessIdentity } from '../../../contracts/index.ts';
import { listServerFiles } from '../server-files.ts';

export interface AttachAddress {
  readonly url: string;
  readonly token?: string | undefined;
  /** The server was found by its file, not named by the user. */
  readonly isDefault: boolean;
}

interface FindServerContext {
  readonly files: Pick<Files, 'info' | 'list' | 'read' | 'remove'>;
  readonly identity: ProcessIdentity;
  readonly agentDirectory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const HOST_AND_PORT = /^[\w.-]+:\d{1,5}$/;
const LOOPBACK = /^(127\.[\d.]+|\[::1\])$/;
const START_ADVICE = 'Start one with `parley serve`, or name another one: parley attach URL';

/** `target`: a URL, `host:port`, or the path of a socket. */
export async function findServer(
  target: string | undefined,
  token: string | undefined,
  context: FindServerContext,
): Promise<AttachAddress> {
  if (target === undefined) return findOwnServer(token ?? readTokenVariable(context), context);
  if (/^(unix:)?$/.test(target))
    throw new Fault('config', 'The address is empty. Name a URL or a socket, or leave it out.');
  if (/^unix:/.test(target)) return { url: `unix:${resolve(target.slice('unix:'.length))}`, isDefault: false };
  if (/^\w+:\/\//.test(target)) return findToken(target, token, context);
  if (HOST_AND_PORT.test(target)) return findToken(`http://${target}`, token, context);
  const path = resolve(target);
  if ((await context.files.info(path))?.kind !== 'socket')
    throw new Fault('config', `${target} is neither a URL nor a socket that exists.`);
  return { url: `unix:${path}`, isDefault: false };
}

/** The variable may have the token of another server than the one of a URL with a token. */
async function findToken(url: string, token: string | undefined, context: FindServerContext): Promise<AttachAddress> {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (!parsed || parsed.searchParams.has('token')) return { url, token, isDefault: false };
  const given = token ?? readTokenVariable(context);
  if (given !== undefined) return { url, token: given, isDefault: false };
  return { url, token: undefined, ...(await findOwnAddress(parsed, context)), isDefault: false };
}

async function findOwnServer(token: string | undefined, context: FindServerContext): Promise<AttachAddress> {
  const { running, hasEnded } = await listServerFiles(context);
  const [server] = running;
  if (!server) {
    const problem = hasEnded ? 'The server of this user was ended.' : 'No server of this user is running.';
    throw new Fault('config', `${problem} ${START_ADVICE}`);
  }
  // A token may give less access than the socket.
  if (server.socket !== undefined && token === undefined) return { url: `unix:${server.socket}`, isDefault: true };
  return { url: server.url, token: token ?? (await readToken(context)), isDefault: true };
}

/** The stored token is used only for the servers that it belongs to. `undefined` for another server. */
async function findOwnAddress(
  { protocol, hostname, host, port, href }: URL,
  context: FindServerContext,
): Promise<Partial<AttachAddress> | undefined> {
  const own = (await listServerFiles(context)).running.map(({ url }) => new URL(url));
  if (own.some((each) => each.host === host)) return { token: await readToken(context) };
  const local = own.find((each) => each.port === port && LOOPBACK.test(each.hostname));
  if (!local || hostname !== 'localhost' || !/^(http|ws):$/.test(protocol)) return undefined;
  // The name could also lead to another loopback address, where a process of another user may listen.
  const url = new URL(href);
  url.hostname = local.hostname;
  return { url: url.href, token: await readToken(context) };
}

function readTokenVariable({ env }: FindServerContext): string | undefined {
  return env.PARLEY_TOKEN || undefined;
}

async function readToken({ files, agentDirectory }: FindServerContext): Promise<string | undefined> {
  const path = join(agentDirectory, 'serve', 'token');
  if ((await files.info(path))?.kind !== 'file') return undefined;
  return new TextDecoder().decode(await files.read(path)).trim();
}

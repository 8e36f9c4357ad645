// One file for each server of this user, by which `parley attach` finds the servers that are running on this machine.
import { join } from 'node:path';
import { isRecord, toJson } from '../../base/index.ts';
import type { Clock, Files, ProcessIdentity } from '../../contracts/index.ts';

export interface ServerFile {
  readonly url: string;
  readonly socket?: string | undefined;
}

interface ServerFilesContext {
  readonly files: Pick<Files, 'info' | 'list' | 'read' | 'remove'>;
  readonly identity: ProcessIdentity;
  readonly agentDirectory: string;
}

interface WriteContext extends ServerFilesContext {
  readonly files: Files;
  readonly clock: Clock;
}

type StoredServer = ServerFile & {
  readonly host: unknown;
  readonly pid: number;
  readonly startTime: number | undefined;
  readonly startedMs: number;
};

const FILE_NAME = /^\d+\.json$/;

/** Returns a function that removes the file. */
export async function writeServerFile(
  { files, identity, agentDirectory, clock }: WriteContext,
  { url, socket }: ServerFile,
): Promise<() => Promise<void>> {
  const directory = getDirectory(agentDirectory);
  await files.makeDirectory(directory, { mode: 0o700 });
  const path = join(directory, `${identity.self.pid}.json`);
  const text = `${toJson({ ...identity.self, startedMs: clock.now(), url, socket })}\n`;
  // Not synced, because it is of no use after a restart of the machine.
  const temporary = `${path}.new`;
  await files.write(temporary, new TextEncoder().encode(text), { mode: 0o600 });
  await files.rename(temporary, path);
  return () => files.remove(path);
}

/** The running servers, newest first. `hasEnded`: a server was killed. Its file is removed. */
export async function listServerFiles({
  files,
  identity,
  agentDirectory,
}: ServerFilesContext): Promise<{ running: ServerFile[]; hasEnded: boolean }> {
  const directory = getDirectory(agentDirectory);
  if ((await files.info(directory))?.kind !== 'directory') return { running: [], hasEnded: false };
  const running: StoredServer[] = [];
  let hasEnded = false;
  for (const { name } of await files.list(directory)) {
    const path = join(directory, name);
    const server = FILE_NAME.test(name) ? await readServer(files, path) : undefined;
    // The directory can be shared with another machine or a container.
    if (server?.host !== identity.self.host) continue;
    if (await identity.isAlive(server.pid, server.startTime)) running.push(server);
    else {
      hasEnded = true;
      await files.remove(path).catch(() => {});
    }
  }
  return { running: running.sort((a, b) => b.startedMs - a.startedMs), hasEnded };
}

function getDirectory(agentDirectory: string): string {
  return join(agentDirectory, 'serve', 'servers');
}

/** `undefined` for a file that another server has just removed, and for one with other content. */
async function readServer(files: ServerFilesContext['files'], path: string): Promise<StoredServer | undefined> {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(await files.read(path)));
    if (!isRecord(value)) return undefined;
    const { url, socket, host, pid, startTime, startedMs } = value;
    if (typeof url !== 'string' || !URL.canParse(url) || typeof pid !== 'number') return undefined;
    return {
      ...{ url, host, pid, startTime: typeof startTime === 'number' ? startTime : undefined },
      ...(typeof socket === 'string' ? { socket } : {}),
      startedMs: typeof startedMs === 'number' ? startedMs : 0,
    };
  } catch {
    return undefined;
  }
}

// A PostgreSQL server for tests and the demo. It keeps its program, password, log and data in one directory, and ends with this process.
import { dirname, join } from 'node:path';
import { Fault } from '../../base/fault.ts';
import type { Ports } from '../../contracts/ports.ts';
import {
  copyDatabaseProgram,
  findClosedDirectory,
  makeOwnedDirectory,
  makePassableDirectory,
  removeDirectory,
  writeOwnedFile,
} from '../system-ports/database-files.ts';
import {
  type Account,
  type DatabaseProcess,
  runDatabaseCommand,
  selectAccount,
  startDatabaseProcess,
} from '../system-ports/database-process.ts';
import { findEmbeddedProgram } from './embedded-program.ts';

export interface EmbeddedServerOptions {
  /** Created if it does not exist. A directory with the data of an earlier server continues with them. */
  readonly directory: string;
  /** Default: one that no other server uses. */
  readonly port?: number | undefined;
  /** `false`: commits are not written to disk, so a crash loses the last ones. */
  readonly isDurable?: boolean | undefined;
  /** Further parameters of the server. */
  readonly settings?: Readonly<Record<string, string>> | undefined;
  /** Where the copy of the program is, so that several servers can use one. */
  readonly programDirectory?: string | undefined;
  /** The file from which the package is looked for. */
  readonly resolveFrom?: string | undefined;
  readonly ports: Pick<Ports, 'clock' | 'ids' | 'files'>;
}

export interface EmbeddedServer {
  /** For the superuser `postgres` and the database `postgres`. */
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** Resolves when all its processes have ended, for whatever reason. */
  readonly ended: Promise<void>;
  /** `fast` ends all connections and writes everything to disk. After `immediate` the next start recovers from the log. */
  stop(mode?: 'fast' | 'immediate'): Promise<void>;
}

/** Servers listen below the ports that systems give to outgoing connections, so that a server can be restarted on its port. */
const FIRST_PORT = 20_000;
const PORT_COUNT = 12_000;
const MAX_PORTS = 20;
/** Starting can take long if the server recovers from a crash. */
const START_TIMEOUT_MS = 120_000;
const POLL_MS = 5;
/** How long the processes of an earlier server may need to end. */
const LOCK_TIMEOUT_MS = 15_000;
const LOCK_POLL_MS = 50;
const STOP_TIMEOUT_MS = 30_000;
const LOG_LINES = 12;
/** Begins the names of directories whose data are not complete. */
const NEW_DATA = 'new-data-';

const VOLATILE = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };

interface Installation {
  readonly program: string;
  readonly data: string;
  readonly log: string;
  readonly password: string;
  readonly account: Account | undefined;
}

export async function startEmbeddedServer(options: EmbeddedServerOptions): Promise<EmbeddedServer> {
  const { ports } = options;
  const installation = await install(options);
  const lockDeadline = ports.clock.now() + LOCK_TIMEOUT_MS;
  for (let attempt = 1; ; ) {
    const port = options.port ?? choosePort(ports);
    const running = await start(installation, port, options);
    const log = running.hasExited ? await readLog(installation.log, ports) : undefined;
    if (log === undefined) return createServer(running, port, installation.password, ports);
    if (isLocked(log) && ports.clock.now() < lockDeadline) await ports.clock.sleep(LOCK_POLL_MS);
    else if (isPortTaken(log) && options.port === undefined && attempt < MAX_PORTS) attempt += 1;
    else throw new Fault('config', `The database server in ${options.directory} does not start:\n${log}`);
  }
}

async function install(options: EmbeddedServerOptions): Promise<Installation> {
  const { directory, ports } = options;
  const { native, version } = findEmbeddedProgram(options.resolveFrom);
  const account = selectAccount();
  await makePassableDirectory(directory, account);
  const program = join(options.programDirectory ?? directory, `postgres-${version}`);
  await copyDatabaseProgram({ native, target: program });
  for (const path of [directory, program]) {
    const closed = await findClosedDirectory(path, account);
    if (closed === undefined) continue;
    throw new Fault(
      'config',
      `The database server cannot run as root. It runs as user ${account?.uid}, which has no access to ${closed}: choose a directory elsewhere than ${directory}, or give others the right to pass through it (chmod o+x).`,
    );
  }
  const paths = { program, data: join(directory, 'data'), log: join(directory, 'server.log'), account };
  const passwordFile = join(directory, 'password');
  if (!(await ports.files.info(join(paths.data, 'PG_VERSION')))) {
    await writeOwnedFile(passwordFile, ports.ids.uuid(), account);
    await initialize(paths, passwordFile, ports);
  }
  const password = new TextDecoder().decode(await ports.files.read(passwordFile));
  return { ...paths, password };
}

/** The data get their name when they are complete, so that an interrupted start is repeated. */
async function initialize(
  { program, data, log, account }: Omit<Installation, 'password'>,
  passwordFile: string,
  { files, ids }: Pick<Ports, 'files' | 'ids'>,
): Promise<void> {
  // A new name, because the command of an interrupted start may not have ended yet. Its directory is removed at the end, because
  // processes whose data have been removed do not release their shared memory.
  const temporary = join(dirname(data), `${NEW_DATA}${ids.uuid()}`);
  await makeOwnedDirectory(temporary, account);
  const format = ['--encoding=UTF8', '--locale=C', '--no-sync', '--no-instructions'];
  const access = ['--username=postgres', '--auth=scram-sha-256', `--pwfile=${passwordFile}`];
  const code = await runDatabaseCommand({
    command: join(program, 'bin/initdb'),
    args: [`--pgdata=${temporary}`, ...format, ...access],
    directory: temporary,
    log,
    account,
  });
  if (code !== 0) throw new Fault('config', `Cannot create the database in ${data}:\n${await readLog(log, { files })}`);
  await files.rename(temporary, data);
  for (const { name } of await files.list(dirname(data))) {
    if (name.startsWith(NEW_DATA)) await removeDirectory(join(dirname(data), name));
  }
}

/** Resolves when the server accepts connections, or has ended. */
async function start(
  { program, data, log, account }: Installation,
  port: number,
  { ports, isDurable = true, settings }: EmbeddedServerOptions,
): Promise<DatabaseProcess> {
  const parameters: Record<string, string> = {
    port: String(port),
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    ...(isDurable ? {} : VOLATILE),
    ...settings,
  };
  const server = await startDatabaseProcess({
    command: join(program, 'bin/postgres'),
    args: ['-D', data, ...Object.entries(parameters).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    directory: data,
    log,
    account,
  });
  const deadline = ports.clock.now() + START_TIMEOUT_MS;
  while (!server.hasExited && !(await isReady(join(data, 'postmaster.pid'), server.pid, ports))) {
    if (ports.clock.now() > deadline) {
      server.signal('SIGKILL');
      await server.ended;
      throw new Fault(
        'timeout',
        `The database server in ${data} does not accept connections after ${START_TIMEOUT_MS} ms`,
      );
    }
    await ports.clock.sleep(POLL_MS);
  }
  if (server.hasExited) await server.ended;
  return server;
}

/** The first line of the file is the pid of the server, the eighth one its state. */
async function isReady(file: string, pid: number, { files }: Pick<Ports, 'files'>): Promise<boolean> {
  if (!(await files.info(file))) return false;
  const bytes = await files.read(file).catch(() => new Uint8Array());
  const lines = new TextDecoder().decode(bytes).split('\n');
  return lines[0] === String(pid) && lines[7]?.trim() === 'ready';
}

function createServer(
  running: DatabaseProcess,
  port: number,
  password: string,
  { clock }: Pick<Ports, 'clock'>,
): EmbeddedServer {
  const ended = running.ended.then(() => {});
  return {
    url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
    port,
    pid: running.pid,
    ended,
    async stop(mode = 'fast') {
      const cancels = [
        clock.after(STOP_TIMEOUT_MS, () => running.signal('SIGQUIT')),
        clock.after(2 * STOP_TIMEOUT_MS, () => running.signal('SIGKILL')),
      ];
      running.signal(mode === 'fast' ? 'SIGINT' : 'SIGQUIT');
      await ended;
      for (const cancel of cancels) cancel();
    },
  };
}

function choosePort({ ids }: Pick<Ports, 'ids'>): number {
  return FIRST_PORT + (Number.parseInt(ids.entryId(), 16) % PORT_COUNT);
}

async function readLog(log: string, { files }: Pick<Ports, 'files'>): Promise<string> {
  const text = new TextDecoder().decode(await files.read(log));
  return text.trimEnd().split('\n').slice(-LOG_LINES).join('\n');
}

function isPortTaken(log: string): boolean {
  return log.includes('could not bind');
}

/** Processes of an earlier server on these data have not ended yet. */
function isLocked(log: string): boolean {
  return log.includes('lock file "postmaster.pid" already exists') || log.includes('pre-existing shared memory block');
}

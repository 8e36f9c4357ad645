// Databases for tests: a new database on the server of the test run, or a server of the test file that it can kill and restart.
import { randomUUID } from 'node:crypto';
import { chmodSync, readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { inject } from 'vitest';
import type { EmbeddedServer } from '../../src/app/fleet/embedded-server.ts';
import { type Roles, startDatabaseServer, withClient } from './database-server.ts';
import { createTemporaryDirectory, type OnEnd } from './temporary-directory.ts';

/** The database belongs to the ordinary role of `url`, which is not exempt from row-level security if a table forces it. */
export interface TestDatabase extends Roles {
  readonly name: string;
}

let shared: Promise<Roles> | undefined;

/** An empty database on the server that all test files share. It starts with the first call. Nothing needs to be removed. */
export async function createTestDatabase(): Promise<TestDatabase> {
  shared ??= askForSharedServer();
  return createDatabase(await shared);
}

async function askForSharedServer(): Promise<Roles> {
  const answer = JSON.parse(await text(connect(join(inject('databases'), 'socket'))));
  if (answer.error) throw new Error(`The database server of the tests does not start: ${answer.error}`);
  return answer.roles;
}

async function createDatabase({ url, superuserUrl }: Roles): Promise<TestDatabase> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await withClient(superuserUrl, (sql) => sql.unsafe(`create database ${name} owner parley template template0`));
  return { name, url: selectDatabase(url, name), superuserUrl: selectDatabase(superuserUrl, name) };
}

function selectDatabase(url: string, name: string): string {
  return Object.assign(new URL(url), { pathname: `/${name}` }).href;
}

export interface TestServerOptions {
  /** Default: true, so that nothing is lost when the server is killed. */
  readonly isDurable?: boolean;
  readonly settings?: Readonly<Record<string, string>>;
}

export interface TestServer extends Roles {
  readonly port: number;
  /** Of the main process. Another one after a restart. */
  readonly pid: number;
  createDatabase(): Promise<TestDatabase>;
  /** kill -9 of all processes of the server. Resolves when none is left. */
  kill(): Promise<void>;
  /** SIGSTOP to all processes: connections stay open, and nothing answers. */
  pause(): void;
  resume(): void;
  stop(mode?: 'fast' | 'immediate'): Promise<void>;
  /** Starts the server on the same port and data. Ends it before if it is running. */
  restart(): Promise<void>;
}

/** A server for one test or file. `onEnd` is `onTestFinished`, or `afterAll` of a file. */
export async function createTestServer(onEnd: OnEnd, options: TestServerOptions = {}): Promise<TestServer> {
  const { isDurable = true, settings } = options;
  const programDirectory = inject('databases');
  const directory = join(programDirectory, randomUUID());
  const start = (port?: number) => startDatabaseServer({ directory, programDirectory, isDurable, settings, port });
  const { server: first, roles } = await start();
  let server: EmbeddedServer = first;
  const end = () => server.stop('immediate');
  // If vitest is killed, its workers continue.
  process.once('disconnect', end);
  onEnd(() => {
    process.off('disconnect', end);
    return end();
  });
  return {
    ...roles,
    port: first.port,
    get pid() {
      return server.pid;
    },
    createDatabase: () => createDatabase(roles),
    async kill() {
      signalAll(server.pid, 'SIGKILL');
      await server.ended;
    },
    pause: () => signalAll(server.pid, 'SIGSTOP'),
    resume: () => signalAll(server.pid, 'SIGCONT'),
    stop: (mode) => server.stop(mode),
    async restart() {
      await server.stop('immediate');
      server = (await start(first.port)).server;
    },
  };
}

/** A temporary directory that the account of the server can pass through. */
export function createPassableDirectory(onEnd?: OnEnd): string {
  const directory = createTemporaryDirectory(onEnd);
  chmodSync(directory, 0o711);
  return directory;
}

/** The main process first, so that it starts no other ones. */
function signalAll(pid: number, signal: NodeJS.Signals): void {
  process.kill(pid, signal);
  for (const child of listChildren(pid)) signalIfAlive(child, signal);
}

/** A process that serves a connection ends with it. */
function signalIfAlive(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (problem) {
    if ((problem as NodeJS.ErrnoException).code !== 'ESRCH') throw problem;
  }
}

/** Linux only. */
function listChildren(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && readParent(name) === parent)
    .map(Number);
}

function readParent(pid: string): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return undefined;
  }
}

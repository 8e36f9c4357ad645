// Starts the processes of a database server, which refuses to run as root, and ends them with this process.
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { Fault, getErrorMessage } from '../../base/fault.ts';
import { hideInherited } from './inherited-descriptors.ts';

/** A user and a group without rights. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

const UNPRIVILEGED: Account = { uid: 65534, gid: 65534 };

/** The account of the server if this process is root. Otherwise it has the account of this process. */
export function selectAccount(): Account | undefined {
  return process.geteuid?.() === 0 ? UNPRIVILEGED : undefined;
}

export interface DatabaseCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** The working directory. For a server, that of its data. */
  readonly directory: string;
  /** Gets stdout and stderr. Overwritten. A pipe would block the server when this process does not read. */
  readonly log: string;
  readonly account: Account | undefined;
}

interface ProcessExit {
  readonly code: number | null;
  readonly signal: string | null;
}

export interface DatabaseProcess {
  readonly pid: number;
  /** Resolves when no process of the server is left, after an end for whatever reason. */
  readonly ended: Promise<ProcessExit>;
  readonly hasExited: boolean;
  /** Does nothing after the exit. A stopped process continues, because it does not end before. */
  signal(name: 'SIGINT' | 'SIGQUIT' | 'SIGKILL'): void;
}

/** Time zone and messages do not depend on the user. */
const ENVIRONMENT = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

/** The command begins when the watcher knows its pid. If this process ends before, it does not begin. */
const START_SCRIPT = 'IFS= read -r line && exec "$@" </dev/null';

/**
 * Its stdin ends when this process ends, for whatever reason. Each line of it is the pid of the server, or empty when it has exited. A
 * server that runs is ended at once (SIGQUIT), which also releases its shared memory. Then its other processes are killed, where the
 * system shows them (Linux): they leave its process group, and may not notice its end while they compute. They are recognised by name
 * and working directory, unless the data are those of another running server: then ours was refused.
 */
const WATCHER_SCRIPT = `
trap '' HUP INT QUIT TERM
command=$1 server=
while IFS= read -r line; do server=$line; done
is_alive() {
  [ -e /proc/self/cwd ] || { kill -s 0 "$1"; return; }
  [ "/proc/$1/cwd" -ef . ] && IFS= read -r name <"/proc/$1/comm" && [ "$name" = "$command" ]
}
holder=
[ ! -r postmaster.pid ] || IFS= read -r holder <postmaster.pid
if [ -n "$holder" ] && [ "$holder" != "$server" ] && is_alive "$holder"; then
  [ -z "$server" ] || kill -s KILL "$server"
  exit
fi
group=
for entry in /proc/[0-9]*; do
  is_alive "\${entry#/proc/}" && group="$group \${entry#/proc/}"
done
if [ -n "$server" ]; then
  kill -s QUIT "$server"
  kill -s CONT "$server"
fi
rounds=0
while [ -n "$server" ] && [ $rounds -lt 200 ] && is_alive "$server"; do
  sleep 0.05
  rounds=$((rounds + 1))
done
rounds=0
while [ $rounds -lt 200 ]; do
  left=
  for pid in $server $group; do
    is_alive "$pid" && kill -s KILL "$pid" && left=1
  done
  [ -n "$left" ] || exit
  sleep 0.01
  rounds=$((rounds + 1))
done
`;

/** Runs a command to its end, or to the end of this process. Resolves with its exit code. */
export async function runDatabaseCommand(command: DatabaseCommand): Promise<number | null> {
  const { ended } = await startWithWatcher(command);
  return (await ended).code;
}

/** The server does not keep this process running, except while it ends after a signal. */
export async function startDatabaseProcess(command: DatabaseCommand): Promise<DatabaseProcess> {
  const { child, watcher, ended } = await startWithWatcher(command);
  child.unref();
  watcher.unref();
  return {
    pid: child.pid ?? 0,
    ended,
    get hasExited() {
      return hasExited(child);
    },
    signal(name) {
      // The caller waits for the end.
      child.ref();
      watcher.ref();
      child.kill(name);
      child.kill('SIGCONT');
    },
  };
}

async function startWithWatcher(command: DatabaseCommand) {
  const watcher = await startWatcher(command);
  const args = ['-c', START_SCRIPT, 'parley-database', command.command, ...command.args];
  const child = await start({ ...command, command: '/bin/sh', args }).catch((error) => {
    watcher.stdin?.end();
    throw error;
  });
  child.stdin?.on('error', () => {});
  watcher.stdin?.write(`${child.pid}\n`);
  child.stdin?.end('\n');
  const watched = waitForExit(watcher);
  const ended = waitForExit(child).then(async (exit) => {
    watcher.stdin?.end('\n');
    await watched;
    return exit;
  });
  return { child, watcher, ended };
}

async function start({ command, args, directory, log, account }: DatabaseCommand): Promise<ChildProcess> {
  const output = openSync(log, 'w', 0o600);
  try {
    return await waitForStart(command, () =>
      hideInherited((rest) =>
        spawn(command, args, {
          ...account,
          cwd: directory,
          env: ENVIRONMENT,
          detached: true,
          stdio: ['pipe', output, output, ...rest],
        }),
      ),
    );
  } finally {
    closeSync(output);
  }
}

async function startWatcher({ command, directory }: DatabaseCommand): Promise<ChildProcess> {
  const name = command.slice(command.lastIndexOf('/') + 1);
  const watcher = await waitForStart('/bin/sh', () =>
    spawn('/bin/sh', ['-c', WATCHER_SCRIPT, 'parley-database-watch', name], {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
      cwd: directory,
      env: ENVIRONMENT,
    }),
  );
  watcher.stdin?.on('error', () => {});
  (watcher.stdin as { unref?(): void } | null)?.unref?.();
  return watcher;
}

async function waitForStart(command: string, spawnChild: () => ChildProcess): Promise<ChildProcess> {
  try {
    const child = spawnChild();
    if (child.pid !== undefined) return child.on('error', () => {});
    throw await new Promise((resolve) => child.once('error', resolve));
  } catch (error) {
    throw new Fault('config', `Cannot start ${command}: ${getErrorMessage(error)}`, { cause: error });
  }
}

function waitForExit(child: ChildProcess): Promise<ProcessExit> {
  const read = () => ({ code: child.exitCode, signal: child.signalCode });
  if (hasExited(child)) return Promise.resolve(read());
  return new Promise((resolve) => child.once('exit', () => resolve(read())));
}

function hasExited({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

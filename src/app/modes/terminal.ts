// Terminal mode. The agent runs in a child process and is controlled by RPC, so that programs it starts cannot access the terminal.
import { basename, join, resolve } from 'node:path';
import { AgentExitedError, type SpawnedAgent, spawnAgent } from '../../client/index.ts';
import type { SessionSummary } from '../../contracts/index.ts';
import { type FlagValues, resolveAgentDirectory } from '../../settings/index.ts';
import { createJsonlStore, getSessionDirectory } from '../../store/index.ts';
import { homeDirectory } from '../../support/home-directory.ts';
import { version } from '../../support/version.ts';
import {
  type ConversationEnd,
  type CredentialPorts,
  runConversation,
  sanitize,
  type TerminalPorts,
} from '../../terminal/index.ts';
import { openTerminal } from '../../transports/stdio-terminal.ts';
import { openConfiguredStorage } from '../configured-storage.ts';
import { takeDatabaseSecrets } from '../database-secrets.ts';
import type { OpenedStorage } from '../session-storage.ts';
import { createSystemPorts } from '../system-ports/index.ts';
import { createProcessIdentity } from '../system-ports/process-identity.ts';
import { formatAge } from './format-table.ts';
import { createShutdown } from './shutdown.ts';
import { createStderrLines } from './stderr-lines.ts';

type TerminalOptions = Pick<FlagValues, 'cwd' | 'sessionDir' | 'noSession' | 'resume' | 'store' | 'set'>;
type SystemPorts = ReturnType<typeof createSystemPorts>;

/** Time for the agent to exit before it is killed. */
const SHUTDOWN_TIMEOUT_MS = 1_500;
/** Not passed to the agent, which has no terminal: this process asks the user. */
const RESUME_FLAGS = new Set(['--resume', '-r']);
/** The user is at the terminal, so an approval dialog waits until it is answered. */
const NO_APPROVAL_TIMEOUT = ['--set', 'approvalTimeout=0'];
/** Appended last, because the last occurrence of a flag is used. */
const AGENT_FLAGS = [
  '--mode',
  'rpc',
  '--dialect',
  'omp',
  '--stream',
  'delta',
  '--on-eof',
  'abort',
  ...NO_APPROVAL_TIMEOUT,
];
const ID_LENGTH = 8;

/** Returns the exit code. */
export async function runTerminal(options: TerminalOptions, argv: readonly string[]): Promise<number> {
  const ports = createSystemPorts({ agentDirectory: resolveAgentDirectory(process.env, homeDirectory()) });
  const stderr = createStderrLines();
  const agent = await spawnAgent({
    cliPath: process.argv[1],
    args: [...argv.filter((argument) => !RESUME_FLAGS.has(argument)), ...AGENT_FLAGS],
    detached: true,
    onStderr: stderr.push,
  });
  const tty = openTerminal();
  const stop = new AbortController();
  const sessions = createLazySessions(options, ports);
  const conversation = runConversation({
    ...createTerminalPorts(options, ports, sessions, stop.signal),
    ...{ client: agent, tty, onStderr: stderr.listen, stopSignal: stop.signal },
  });
  const cleanUp = async () => {
    stop.abort();
    await conversation.catch(() => {});
    await stopAgent(agent, ports);
    await sessions.close();
  };
  const shutdown = createShutdown(ports, cleanUp, 'SIGINT');
  const end = await conversation.catch(toExitedEnd);
  if (end.kind === 'agent-exited') {
    process.stderr.write(sanitize(`${describeExit(end)}\n`));
    return shutdown.exit(end.exitInfo.code || 1);
  }
  const { sessionFile, sessionId, messageCount } = end.state;
  if (sessionFile && messageCount > 0) tty.write(`Resume with: parley --session ${sessionId.slice(0, ID_LENGTH)}\n`);
  return shutdown.exit(0);
}

type ExitedEnd = ConversationEnd & { kind: 'agent-exited' };

/** An agent that fails to start has written the reason to stderr. */
function toExitedEnd(thrown: unknown): ExitedEnd {
  if (!(thrown instanceof AgentExitedError)) throw thrown;
  const { exitCode: code, signal, stderr } = thrown;
  return { kind: 'agent-exited', exitInfo: { code, signal, stderr } };
}

function describeExit({ exitInfo: { code, signal, stderr = '' } }: ExitedEnd): string {
  const outcome = signal ? `was killed by ${signal}` : `ended with code ${code}`;
  return (
    stderr.trim() || `Error: The agent ${outcome} without an error message. Use --log-file PATH to see what it does.`
  );
}

/** Lets the agent abort its runs, end its child processes and close its log. Kills it after a timeout. */
async function stopAgent(agent: SpawnedAgent, { clock }: SystemPorts): Promise<void> {
  const cancel = clock.after(SHUTDOWN_TIMEOUT_MS, () => agent.kill('SIGKILL'));
  await agent.close();
  cancel();
}

function createTerminalPorts(
  options: TerminalOptions,
  ports: SystemPorts,
  { list }: LazySessions,
  stopped: AbortSignal,
): Omit<TerminalPorts, 'client' | 'tty' | 'onStderr' | 'stopSignal'> {
  const { files, clock } = ports;
  const cwd = resolve(options.cwd ?? '.');
  const agentDirectory = resolveAgentDirectory(process.env, homeDirectory());
  const sessions = getSessionDirectory(agentDirectory, cwd);
  const historyDirectory = join(agentDirectory, 'history');
  return {
    clock,
    env: process.env,
    version: version(),
    shouldChooseSession: options.resume === true,
    history: {
      files,
      directory: historyDirectory,
      path: options.noSession ? undefined : join(historyDirectory, `${basename(sessions)}.jsonl`),
    },
    async editText(text) {
      const { editExternally } = await import('./external-editor.ts');
      return editExternally(text, { ports, env: process.env, cwd, signal: stopped });
    },
    credentials: createLazyCredentials(ports, agentDirectory),
    directory: abbreviateHome(cwd),
    async readBranch() {
      return (await import('./read-git-branch.ts')).readGitBranch(files, cwd);
    },
    async listFiles(onFile, signal) {
      return (await import('./list-project-files.ts')).listProjectFiles(ports, cwd, onFile, signal);
    },
    async listDirectory(path) {
      const listed = await files.list(resolve(cwd, path));
      return listed.map(({ name, kind }) => (kind === 'directory' ? `${name}/` : name)).sort();
    },
    async listSessions() {
      return (await list()).map(({ id, path, name, opening, modifiedMs, messages }) => ({
        id,
        path,
        label: name ?? (opening || id),
        doc: `${formatAge(clock.now() - modifiedMs)}, ${messages} messages`,
      }));
    },
  };
}

interface LazySessions {
  list(): Promise<readonly SessionSummary[]>;
  close(): Promise<void>;
}

/** A database is opened with the first list. The agent has its own connections. */
function createLazySessions({ cwd = '.', sessionDir, store, set }: TerminalOptions, ports: SystemPorts): LazySessions {
  const { files, clock } = ports;
  let opening: Promise<OpenedStorage | undefined> | undefined;
  // Taken now, so that programs that this process starts do not get them.
  const secrets = takeDatabaseSecrets(process.env);
  const open = () => openConfiguredStorage({ store, set }, ports, secrets);
  return {
    async list() {
      opening ??= sessionDir === undefined ? open() : Promise.resolve(undefined);
      const storage = await opening.catch((thrown: unknown) => {
        opening = undefined;
        throw thrown;
      });
      const agentDirectory = resolveAgentDirectory(process.env, homeDirectory());
      const directory = sessionDir ? resolve(sessionDir) : getSessionDirectory(agentDirectory, resolve(cwd));
      const sessions = storage
        ? storage.openStore(resolve(cwd))
        : createJsonlStore({ files, clock, identity: createProcessIdentity(), directory });
      return sessions.list();
    },
    async close() {
      await (await opening?.catch(() => undefined))?.close();
    },
  };
}

/** Loaded with the first /login or /logout. */
function createLazyCredentials(ports: SystemPorts, agentDirectory: string): CredentialPorts {
  let opening: Promise<CredentialPorts> | undefined;
  const open = () => {
    opening ??= import('./terminal-credentials.ts').then((module) => module.openCredentials(ports, agentDirectory));
    return opening;
  };
  return {
    listProviders: async () => (await open()).listProviders(),
    saveKey: async (provider, key) => (await open()).saveKey(provider, key),
    remove: async (provider) => (await open()).remove(provider),
  };
}

function abbreviateHome(path: string): string {
  const home = homeDirectory();
  return path === home || path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}

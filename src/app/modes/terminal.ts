// The hall: a person at a terminal. The agent is a child that speaks frames, so that nothing it runs can reach the terminal.
import { homedir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { AgentGone, type SpawnedAgent, spawnAgent } from '../../client/index.ts';
import { createJsonlStore, sessionFolder } from '../../store/index.ts';
import { converse, type Ending, plain, type TerminalPorts } from '../../terminal/index.ts';
import { openTerminal } from '../../transports/stdio-terminal.ts';
import { userDirectory } from '../settings.ts';
import { createSystemPorts } from '../system-ports/index.ts';
import { createProcessIdentity } from '../system-ports/process-identity.ts';
import { version } from '../version.ts';
import { createShutdown } from './shutdown.ts';
import { ago } from './table.ts';

export interface TerminalOptions {
  readonly cwd?: string | undefined;
  readonly sessionDir?: string | undefined;
  readonly noSession?: boolean | undefined;
  readonly resume?: boolean | undefined;
}

type SystemPorts = ReturnType<typeof createSystemPorts>;

/** What it may take to leave in good order before it is made to. */
const GRACE_MS = 1_500;
/** Asked on the terminal, not by the agent, which has none. */
const RESUME = new Set(['--resume', '-r']);
/** The last word about a flag counts. */
const SPOKEN = ['--mode', 'rpc', '--dialect', 'omp', '--stream', 'delta', '--on-eof', 'abort'];
const ID_LENGTH = 8;

/** Returns the exit code. */
export async function runTerminal(options: TerminalOptions, argv: readonly string[]): Promise<number> {
  const ports = createSystemPorts({ own: userDirectory(process.env, homedir()) });
  const stderr = createLineTeller();
  const agent = await spawnAgent({
    cliPath: process.argv[1],
    args: [...argv.filter((word) => !RESUME.has(word)), ...SPOKEN],
    detached: true,
    onStderr: stderr.push,
  });
  const tty = openTerminal();
  const stop = new AbortController();
  const conversing = converse({
    ...portsFor(options, ports, stop.signal),
    ...{ client: agent, tty, onStderr: stderr.listen, stopped: stop.signal },
  });
  const farewell = async () => {
    stop.abort();
    await conversing.catch(() => {});
    await dismissed(agent, ports);
  };
  const shutdown = createShutdown(ports, farewell, 'SIGINT');
  const ending = await conversing.catch(lost);
  if (ending.how === 'lost') {
    process.stderr.write(plain(`${lastWords(ending)}\n`));
    return shutdown.leave(ending.farewell.code || 1);
  }
  const { sessionFile, sessionId, messageCount } = ending.state;
  if (sessionFile && messageCount > 0) tty.write(`Go on with: parley --session ${sessionId.slice(0, ID_LENGTH)}\n`);
  return shutdown.leave(0);
}

/** An agent that does not even start says itself what is wrong, as it does to every host. */
function lost(thrown: unknown): Ending & { how: 'lost' } {
  if (!(thrown instanceof AgentGone)) throw thrown;
  const { exitCode: code, signal, stderr } = thrown;
  return { how: 'lost', farewell: { code, signal, stderr } };
}

function lastWords({ farewell: { code, signal, stderr = '' } }: Ending & { how: 'lost' }): string {
  const how = signal ? `was killed by ${signal}` : `ended with code ${code}`;
  return stderr.trim() || `Error: The agent ${how} without a word. --log-file PATH shows what it does.`;
}

/** Its runs are aborted, its children ended, its log closed; if that takes too long, it is killed. */
async function dismissed(agent: SpawnedAgent, { clock }: SystemPorts): Promise<void> {
  const cancel = clock.after(GRACE_MS, () => agent.kill('SIGKILL'));
  await agent.close();
  cancel();
}

function portsFor(
  options: TerminalOptions,
  ports: SystemPorts,
  stopped: AbortSignal,
): Omit<TerminalPorts, 'client' | 'tty' | 'onStderr' | 'stopped'> {
  const { files, clock } = ports;
  const cwd = resolve(options.cwd ?? '.');
  const home = userDirectory(process.env, homedir());
  const sessions = sessionFolder(home, cwd);
  const folder = join(home, 'history');
  const directory = options.sessionDir === undefined ? sessions : resolve(options.sessionDir);
  return {
    clock,
    env: process.env,
    version: version(),
    resume: options.resume === true,
    history: { files, folder, path: options.noSession ? undefined : join(folder, `${basename(sessions)}.jsonl`) },
    async edit(text) {
      const { writtenOutside } = await import('./outside-editor.ts');
      return writtenOutside(text, { ports, env: process.env, cwd, stopped });
    },
    async names(inside) {
      const listed = await files.list(resolve(cwd, inside));
      return listed.map(({ name, kind }) => (kind === 'directory' ? `${name}/` : name)).sort();
    },
    async sessions() {
      const store = createJsonlStore({ files, clock, identity: createProcessIdentity(), directory });
      return (await store.list()).map(({ id, path, name, opening, modifiedMs, messages }) => ({
        id,
        path,
        label: name ?? (opening || id),
        doc: `${ago(clock.now() - modifiedMs)}, ${messages} messages`,
      }));
    },
  };
}

/** Text in pieces, told line by line to whoever listens by then. */
function createLineTeller() {
  let rest = '';
  let tell: ((line: string) => void) | undefined;
  const push = (text: string) => {
    const lines = (rest + text).split('\n');
    rest = tell ? (lines.pop() ?? '') : lines.splice(0).join('\n');
    for (const line of lines) tell?.(line);
  };
  return {
    push,
    listen(listener: (line: string) => void) {
      tell = listener;
      push('');
    },
  };
}

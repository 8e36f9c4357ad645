// Runs the terminal with an agent elsewhere: a connection to a server or a socket, or a process that a command has started.
import { join } from 'node:path';
import { AgentExitedError, type Client, type ConnectedAgent, spawnAgent } from '../../../client/index.ts';
import { version } from '../../../support/version.ts';
import { type ConversationEnd, runConversation, sanitize, type TerminalPorts } from '../../../terminal/index.ts';
import { openTerminal } from '../../../transports/stdio-terminal.ts';
import type { SystemPorts } from '../../system-ports/index.ts';
import type { TerminalPrompt } from '../choose-session.ts';
import { formatAge } from '../format-table.ts';
import { createShutdown } from '../shutdown.ts';
import { createStderrLines } from '../stderr-lines.ts';
import { listRemoteSessions } from './remote-sessions.ts';

export interface AttachContext {
  readonly ports: SystemPorts;
  readonly agentDirectory: string;
  readonly prompt: TerminalPrompt;
}

/** Time for an agent that a command has started to exit, before the command is ended. */
const SHUTDOWN_TIMEOUT_MS = 1_500;
const ID_LENGTH = 8;
const MAX_OUTPUT_LINES = 20;

/** Does not return: it exits the process. */
export async function runAttachedTerminal(
  connect: () => Promise<ConnectedAgent>,
  { isDefault, ...context }: AttachContext & { readonly isDefault: boolean },
): Promise<never> {
  const agent = await connect();
  // Nothing is awaited before the conversation has added its listeners: it would miss the snapshot.
  const { clientId, access } = agent.attachment;
  const location = `${agent.address} as ${clientId}${access === 'read' ? ' · read-only' : ''}`;
  const { end, exit } = await converse(agent, { location, connection: agent }, { ...context, key: agent.address });
  const address = isDefault ? '' : ` ${agent.address}`;
  if (end.kind === 'agent-exited') {
    // A session that has no messages is not stored, so that a restart of the server ends it.
    const { reason = 'closed' } = end.exitInfo;
    process.stderr.write(
      sanitize(`Error: The connection has ended: ${reason}\nAttach again with: parley attach${address}\n`),
    );
    return exit(1);
  }
  const { sessionId, messageCount } = end.state;
  const command = `parley attach${address} --session ${sessionId.slice(0, ID_LENGTH)}`;
  return exit(0, messageCount > 0 ? `Detached. Attach again with: ${command}\n` : '');
}

/** Does not return: it exits the process. */
export async function runCommandTerminal(command: string, context: AttachContext): Promise<never> {
  const stderr = createStderrLines();
  const { SHELL, TERM } = process.env;
  // Not detached, so that ssh can ask for a password, except where Ctrl+C would end the command too.
  const agent = await spawnAgent({
    command,
    shell: SHELL || undefined,
    detached: TERM === 'dumb',
    onStderr: stderr.push,
  });
  const output = collectOutput(agent);
  const stop = async () => {
    const cancel = context.ports.clock.after(SHUTDOWN_TIMEOUT_MS, () => agent.kill('SIGKILL'));
    agent.send({ type: 'abort' });
    await agent.close();
    cancel();
  };
  /** From then on its lines are shown in the conversation. */
  let isShown = false;
  const onStderr = (listener: (line: string) => void) => {
    isShown = true;
    stderr.listen(listener);
  };
  const { end, exit } = await converse(agent, { location: command }, { ...context, key: command, onStderr, stop });
  if (end.kind === 'quit') return exit(0);
  const { code, signal, stderr: text = '' } = end.exitInfo;
  const outcome = signal ? `was killed by ${signal}` : `ended with code ${code}`;
  const unshown = isShown ? [] : [...output, text.trim()].filter((part) => part !== '');
  process.stderr.write(sanitize([...unshown, `Error: The command ${outcome}.\n`].join('\n')));
  return exit(code || 1);
}

/** The first lines on stdout that are not frames, such as the reason why an account cannot be used. */
function collectOutput(agent: Client): readonly string[] {
  const lines: string[] = [];
  agent.onUnhandled((frame) => {
    if (typeof frame === 'string' && frame.trim() !== '' && lines.length < MAX_OUTPUT_LINES)
      lines.push(frame.trimEnd());
  });
  return lines;
}

interface ConverseContext extends AttachContext {
  /** Identifies the input history. */
  readonly key: string;
  onStderr?(listener: (line: string) => void): void;
  /** Ends the agent. Absent when it continues. */
  stop?(): Promise<void>;
}

/** The terminal is released when this resolves. */
async function converse(
  client: Client,
  remote: NonNullable<TerminalPorts['remote']>,
  context: ConverseContext,
): Promise<{ end: ConversationEnd; exit(code: number, text?: string): Promise<never> }> {
  const tty = openTerminal();
  const stopping = new AbortController();
  const conversation = runConversation({
    ...createRemotePorts(client, context, stopping.signal),
    ...{ client, remote, tty, stopSignal: stopping.signal, onStderr: context.onStderr ?? (() => {}) },
  });
  const shutdown = createShutdown(
    context.ports,
    async () => {
      stopping.abort();
      await conversation.catch(() => {});
      await (context.stop ?? (() => client.close()))();
    },
    'SIGINT',
  );
  const end = await conversation.catch(toExitedEnd);
  return {
    end,
    exit(code, text = '') {
      if (text !== '') tty.write(text);
      return shutdown.exit(code);
    },
  };
}

/** The connection was lost, or the command has ended, before the first reply. */
function toExitedEnd(thrown: unknown): ConversationEnd {
  if (!(thrown instanceof AgentExitedError)) throw thrown;
  const { exitCode: code, signal, stderr } = thrown;
  const { reason } = thrown.details as { reason?: string };
  return { kind: 'agent-exited', exitInfo: { code, signal, stderr, ...(reason === undefined ? {} : { reason }) } };
}

type RemotePorts = Omit<TerminalPorts, 'client' | 'remote' | 'tty' | 'onStderr' | 'stopSignal'>;

/** No file of this machine is used, apart from the input history and the editor. */
function createRemotePorts(client: Client, context: ConverseContext, stopped: AbortSignal): RemotePorts {
  const { ports, agentDirectory, key } = context;
  const { files, clock } = ports;
  const directory = join(agentDirectory, 'history');
  return {
    ...{ clock, env: process.env, version: version(), shouldChooseSession: false },
    directory: shortenLocation(key),
    history: { files, directory, path: join(directory, `attach-${toFileName(key)}.jsonl`) },
    async editText(text) {
      const { editExternally } = await import('../external-editor.ts');
      return editExternally(text, { ports, env: process.env, cwd: process.cwd(), signal: stopped });
    },
    readBranch: async () => undefined,
    listFiles: async () => {},
    listDirectory: async () => [],
    async listSessions() {
      const sessions = await listRemoteSessions(client);
      return sessions?.map(({ id, path, name, firstPrompt, modifiedMs, messageCount }) => ({
        ...{ id, path, label: name ?? (firstPrompt || id) },
        doc: `${formatAge(clock.now() - modifiedMs)}, ${messageCount} messages`,
      }));
    },
  };
}

/** For the footer: without the protocol. */
function shortenLocation(key: string): string {
  return key.replace(/^https?:\/\//, '');
}

function toFileName(key: string): string {
  return key.replace(/[^\w.-]+/g, '-').slice(0, 100);
}

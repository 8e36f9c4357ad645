// `parley attach`: the terminal as a client of an agent that runs already, or that a command starts elsewhere.
import { parseArgs } from 'node:util';
import { Fault, getErrorMessage } from '../../../base/index.ts';
import { type ConnectedAgent, ConnectionError, type ConnectOptions, connectAgent } from '../../../client/index.ts';
import { resolveAgentDirectory } from '../../../settings/index.ts';
import { homeDirectory } from '../../../support/home-directory.ts';
import { createSystemPorts } from '../../system-ports/index.ts';
import { createProcessIdentity } from '../../system-ports/process-identity.ts';
import { openTerminalPrompt } from '../choose-session.ts';
import { parseWithHelp } from '../parse-with-help.ts';
import { findServer } from './find-server.ts';
import { checkOnlySession, chooseRemoteSession, findRemoteSession, listRemoteSessions } from './remote-sessions.ts';
import { type AttachContext, runAttachedTerminal, runCommandTerminal } from './run-attached.ts';

export const ATTACH_HELP = `Usage: parley attach [URL | SOCKET] [options]
       parley attach --exec COMMAND

Opens the terminal on a session of an agent that runs elsewhere. Its keys and files stay there. Without an address it
attaches to the server that this user has started with parley serve. Quitting leaves the session: a run continues.

  URL               the address that parley serve prints, such as http://127.0.0.1:7420/?token=...
  SOCKET            the path of the socket of parley serve --socket or parley --socket
  --session ID      the session: its id, the beginning of its id, or its name; without it a list is shown
  --new             start a new session
  --cwd PATH        the directory of a new session, where the server runs
  --token TOKEN     the token of the server, if the URL has none; also read from the variable PARLEY_TOKEN
  --name NAME       the name that other clients of the session see
  --read-only       follow the session without changing it
  --exec COMMAND    start an agent with this shell command, and end it on quitting; the command must speak
                    the default dialect on stdin and stdout

Examples:
  parley attach
  parley attach http://127.0.0.1:7420 --session 3f2a
  parley attach ~/.parley/serve/socket --new
  parley attach --exec 'ssh host parley --mode rpc --stream delta'
`;

const OPTIONS = {
  session: { type: 'string' },
  new: { type: 'boolean' },
  cwd: { type: 'string' },
  token: { type: 'string' },
  name: { type: 'string' },
  'read-only': { type: 'boolean' },
  exec: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

const SERVER_FLAGS = ['session', 'new', 'cwd', 'token', 'name', 'read-only'] as const;
/** What a server accepts as the name of a client. */
const VALID_NAME = /^[\w .:@-]{1,64}$/;
const INVALID_NAME_CHARACTERS = /[^\w .:@-]/g;
const MAX_NAME_LENGTH = 64;
const STDOUT = 1;

type AttachFlags = ReturnType<typeof parse>['values'];

/** Returns the help text. Otherwise it does not return: it exits the process. */
export async function runAttach(argv: readonly string[]): Promise<string> {
  const { values, positionals } = parse(argv);
  if (values.help) return ATTACH_HELP;
  const [target, extra] = positionals;
  if (extra !== undefined) throw new Fault('config', `Unknown argument: ${extra}\n\n${ATTACH_HELP}`);
  const empty = ([...SERVER_FLAGS, 'exec'] as const).find((name) => values[name] === '');
  if (empty !== undefined) throw new Fault('config', `--${empty} needs a value (got "")`);
  if (values.session !== undefined && values.new) throw new Fault('config', '--session and --new exclude each other.');
  if (values.exec !== undefined) checkExecFlags(values, target);
  const prompt = openTerminalPrompt();
  const { isatty } = await import('node:tty');
  if (!prompt || !isatty(STDOUT))
    throw new Fault('config', 'parley attach needs a terminal. Programs connect with a client: see docs/embedding.md.');
  const agentDirectory = resolveAgentDirectory(process.env, homeDirectory());
  const ports = createSystemPorts({ agentDirectory });
  const context: AttachContext = { ports, agentDirectory, prompt };
  if (values.exec !== undefined) return runCommandTerminal(values.exec, context);
  const address = await findServer(target, values.token, {
    ...{ files: ports.files, identity: createProcessIdentity(), agentDirectory, env: process.env },
  });
  const options: ConnectOptions = {
    ...{ url: address.url, token: address.token, cwd: values.cwd, stream: 'delta' },
    client: await createClientName(values.name),
  };
  const session = await explainFailure(address.isDefault, () => selectSession(options, values, context));
  return runAttachedTerminal(
    () =>
      explainFailure(address.isDefault, async () => {
        // 0 is before the first event: the first frame is then a snapshot of the session.
        const position = { session, after: 0, reconnect: true };
        const agent = await connectAgent({
          ...{ ...options, ...position },
          ...(values['read-only'] ? { access: 'read' } : {}),
        });
        if (session === undefined) await checkNewSession(agent, values);
        return agent;
      }),
    { ...context, isDefault: address.isDefault },
  );
}

function parse(argv: readonly string[]) {
  return parseWithHelp(ATTACH_HELP, () => parseArgs({ args: [...argv], options: OPTIONS, allowPositionals: true }));
}

function checkExecFlags(values: AttachFlags, target: string | undefined): void {
  const flag = SERVER_FLAGS.find((name) => values[name] !== undefined);
  const other = target === undefined ? flag && `--${flag}` : 'an address';
  if (other !== undefined)
    throw new Fault('config', `--exec and ${other} exclude each other. Add flags to the command.`);
}

/** Other terminals of the same user get another name, because the process id is a part of it. */
async function createClientName(name: string | undefined): Promise<string> {
  if (name !== undefined && !VALID_NAME.test(name)) {
    const allowed = `up to ${MAX_NAME_LENGTH} letters, digits, spaces and the characters . : @ _ -`;
    throw new Fault('config', `--name may have ${allowed} (got "${name}")`);
  }
  if (name !== undefined) return name;
  const { hostname } = await import('node:os');
  const { USER, LOGNAME = 'terminal' } = process.env;
  const [machine = ''] = hostname().split('.', 1);
  return `${USER || LOGNAME}@${machine}:${process.pid}`.replace(INVALID_NAME_CHARACTERS, '-').slice(-MAX_NAME_LENGTH);
}

/** The id of the session to attach to. `undefined` for a new one, and for the only one of an agent. */
async function selectSession(
  options: ConnectOptions,
  { session, new: isNew }: AttachFlags,
  { ports, prompt }: AttachContext,
): Promise<string | undefined> {
  if (isNew) return undefined;
  if (session !== undefined && (await hasSession({ ...options, session }))) return session;
  // A connection without a session gets a new one, which is not stored before its first message.
  const agent = await connectAgent(options);
  try {
    if (agent.attachment.sessions === 'one')
      return session === undefined
        ? undefined
        : checkOnlySession(session, await agent.call('get_state'), agent.address);
    const sessions = await listRemoteSessions(agent);
    const now = ports.clock.now();
    if (session !== undefined) return findRemoteSession(session, sessions ?? [], now).id;
    return sessions && sessions.length > 0 ? await chooseRemoteSession(sessions, prompt, now) : undefined;
  } finally {
    await agent.close();
  }
}

/** A process with a socket attaches its only session instead of a new one. */
async function checkNewSession(agent: ConnectedAgent, values: AttachFlags): Promise<void> {
  const flag = (['new', 'cwd'] as const).find((name) => values[name] !== undefined);
  if (flag === undefined || agent.attachment.sessions === 'many') return;
  await agent.close();
  throw new Fault(
    'config',
    `${agent.address} has one session and opens no others. Leave out --${flag} to attach to it. For several sessions, start parley serve.`,
  );
}

async function hasSession(options: ConnectOptions): Promise<boolean> {
  try {
    await (await connectAgent(options)).close();
    return true;
  } catch (thrown) {
    if (thrown instanceof ConnectionError && thrown.code === 'not_found') return false;
    throw thrown;
  }
}

async function explainFailure<T>(isDefault: boolean, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (thrown) {
    if (!(thrown instanceof ConnectionError)) throw thrown;
    const advice = isDefault && !thrown.isPermanent ? ' The server of this user does not answer.' : '';
    const help =
      thrown.code === 'no_credentials' ? ' Pass the token with --token, or the URL that parley serve printed.' : '';
    throw new Fault('config', `${getErrorMessage(thrown)}${advice}${help}`, { cause: thrown });
  }
}

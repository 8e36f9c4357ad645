// `parley serve`: serves many clients over HTTP, WebSockets and a Unix socket.
import { resolve } from 'node:path';
import { createDeferred, Fault, toJson } from '../../../base/index.ts';
import { FLAGS, getFieldName } from '../../../settings/index.ts';
import { guardStdout } from '../../../transports/index.ts';
import { createProcessIdentity } from '../../system-ports/process-identity.ts';
import { parseWithHelp } from '../parse-with-help.ts';
import { printText } from '../print.ts';
import { listServerFiles, writeServerFile } from '../server-files.ts';
import { createShutdown } from '../shutdown.ts';
import { prepareStart, type StartOptions } from '../start-agent.ts';
import { isLoopback, type RunningServer, startServer } from './start-server.ts';

export const SERVE_HELP = `Usage: parley serve [--port N] [--host ADDRESS] [--socket PATH] [--open] [options]
       parley serve --demo-fleet N [--port N] [options]
       parley serve tokens [list | add NAME [--read-only] | remove NAME]

Serves many clients in one process: a web page, terminals (parley attach), editors, bots and scripts. They can follow
and control the same session, and none loses an event when it disconnects and comes back. Runs continue without clients.

  --port N          the TCP port; 7420 when absent (setting serve.port), 0 for any free port
  --host ADDRESS    the address to listen on; 127.0.0.1 when absent. Another than a loopback address needs the
                    variable PARLEY_SERVE_TOKEN, and a proxy with TLS in front of the server
  --socket PATH     also listen on this Unix socket, which only you can open
  --open            open the page in the browser
  --json            print the address as JSON
  --demo-fleet N    start a database and N servers that share it, on this machine (from a clone with development dependencies)

All options of parley --help that do not select a session can be used, for example --model, --approval-mode,
--sandbox and --tools. The address with its token is printed once; the token is stored in ~/.parley/serve/token.

Examples:
  parley serve --open
  parley serve --port 0 --socket ~/.parley/serve/socket
  parley serve tokens add dashboard --read-only
`;

/** The flags of the program and the positional arguments. */
interface ServeFlags extends StartOptions {
  readonly messages: readonly string[];
  readonly files: readonly string[];
}

type ParseFlags = (argv: readonly string[]) => ServeFlags;
type Warn = (line: string) => void;

/** Flags of this command only. */
interface OwnFlags {
  port?: string;
  host?: string;
  'demo-fleet'?: string;
  open?: boolean;
  json?: boolean;
}

/** Returns the text to print, or does not return: the process exits with a signal. */
export async function runServe(argv: readonly string[], warn: Warn, parseFlags: ParseFlags): Promise<string> {
  if (argv[0] === 'tokens') return (await import('./tokens.ts')).runTokens(argv.slice(1));
  const { own, rest } = takeOwnFlags(argv);
  const { messages, files, ...parsed } = parseWithHelp(SERVE_HELP, () => parseFlags(rest));
  const options = { ...parsed, unknown: addHelp(parsed.unknown) };
  if (options.help) return SERVE_HELP;
  const [extra] = [...messages, ...files];
  if (extra !== undefined) throw new Fault('config', `Unknown argument: ${extra}\n\n${SERVE_HELP}`);
  if (rest.some((argument) => /^--(mode|dialect)(=|$)/.test(argument)))
    throw new Fault('config', 'parley serve takes no --mode and no --dialect: each client chooses its dialect.');
  if (options.print)
    throw new Fault('config', 'parley serve takes no --print: send messages with parley -p, or over the HTTP API.');
  refuseSessionFlags(options);
  if (own['demo-fleet'] !== undefined) return serveDemoFleet(own, rest);
  return serve({ ...options, mode: 'rpc' }, own, warn);
}

async function serveDemoFleet(
  { 'demo-fleet': nodes = '', port = '0', json = false }: OwnFlags,
  argv: readonly string[],
) {
  const { parseNodeCount, runDemoFleet } = await import('./demo-fleet.ts');
  return runDemoFleet({ nodes: parseNodeCount(nodes), port: parsePort(port), json, argv });
}

/** Unknown flags may belong to extensions, which are loaded later. */
function addHelp(unknown: StartOptions['unknown']): StartOptions['unknown'] {
  const entries = Object.entries(unknown ?? {});
  return Object.fromEntries(
    entries.map(([name, flag]) => [name, { ...flag, errorMessage: `${flag.errorMessage}\n\n${SERVE_HELP}` }]),
  );
}

/** A flag that selects a session must not be ignored: clients would use another one. */
function refuseSessionFlags(options: StartOptions): void {
  const given = new Map(Object.entries(options).filter(([, value]) => value !== undefined && value !== false));
  const flag = FLAGS.find((each) => each.isForFirstSession && given.has(getFieldName(each)));
  if (flag === undefined) return;
  throw new Fault(
    'config',
    `parley serve takes no --${flag.name}: its clients select the session, for example with parley attach --session ID.`,
  );
}

function takeOwnFlags(argv: readonly string[]): { own: OwnFlags; rest: string[] } {
  const own: OwnFlags = {};
  const rest: string[] = [];
  for (let i = 0; i < argv.length; i++) {
    const argument = argv[i] as string;
    const [, name, inline] = /^--(port|host|demo-fleet)(?:=(.*))?$/.exec(argument) ?? [];
    if (name === 'port' || name === 'host' || name === 'demo-fleet') {
      const value = inline ?? argv[++i];
      if (value === undefined) throw new Fault('config', `--${name} needs a value\n\n${SERVE_HELP}`);
      own[name] = value;
    } else if (argument === '--open' || argument === '--json') own[argument === '--open' ? 'open' : 'json'] = true;
    else rest.push(argument);
  }
  return { own, rest };
}

async function serve(options: StartOptions, own: OwnFlags, warn: Warn): Promise<never> {
  const token = takeTokenVariable(process.env);
  const startContext = await prepareStart(options, warn);
  const { ports, settings } = startContext;
  if (token !== undefined) ports.redact(token);
  const host = own.host ?? settings['serve.host'];
  const port = own.port === undefined ? settings['serve.port'] : parsePort(own.port);
  // The system would listen on all interfaces.
  if (host.trim() === '') throw new Fault('config', 'The address to listen on is empty. Set --host or serve.host.');
  if (!isLoopback(host)) checkRemoteAccess(host, token, warn);
  const socket = options.socket === undefined ? undefined : resolve(options.socket);
  const fileContext = { ...startContext, ...ports, identity: createProcessIdentity() };
  // Removes the files of servers that were killed, while this one starts.
  const removed = listServerFiles(fileContext).catch(() => {});
  const server = await startServer({ host, port, socket, token }, options, warn, startContext);
  await removed;
  const removeServerFile = await writeServerFile(fileContext, server);
  const shutdown = createShutdown(ports, async () => {
    await removeServerFile().catch(() => {});
    await server.close();
  });
  const address = `${server.url}?token=${server.token}`;
  await printText(
    own.json
      ? `${toJson({ url: server.url, token: server.token, socket, pid: process.pid })}\n`
      : formatStart(server, address),
  );
  // Extensions must not write to stdout from here on.
  guardStdout();
  if (own.open) await (await import('./open-browser.ts')).openBrowser(server.createLoginAddress(), startContext, warn);
  await createDeferred().promise;
  return shutdown.exit(0);
}

function formatStart({ socket }: RunningServer, address: string): string {
  return `Parley is served at ${address}\n${socket === undefined ? '' : `Socket: ${socket}\n`}Press Ctrl+C to stop.\n`;
}

function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw new Fault('config', `--port must be a number from 0 to 65535 (got ${text})`);
}

/** Removed from the environment, so that no child process gets it. */
function takeTokenVariable(env: NodeJS.ProcessEnv): string | undefined {
  const token = env.PARLEY_SERVE_TOKEN;
  delete env.PARLEY_SERVE_TOKEN;
  if (token === undefined || token === '') return undefined;
  if (token.length >= 24 && /^[\w.~-]+$/.test(token)) return token;
  throw new Fault('config', 'PARLEY_SERVE_TOKEN must have at least 24 characters: letters, digits, and . _ ~ -');
}

function checkRemoteAccess(host: string, token: string | undefined, warn: Warn): void {
  if (token === undefined) {
    throw new Fault(
      'config',
      `${host} can be reached from other machines. Set PARLEY_SERVE_TOKEN to a token of at least 24 characters first.`,
    );
  }
  warn(`Warning: ${host} is served without encryption. Put a proxy with TLS in front of it.`);
}

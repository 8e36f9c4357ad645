// `parley mcp serve`: serves the `agent` tool to an MCP client over stdin and stdout.
import { createDeferred, Fault } from '../../../base/index.ts';
import type { SessionPool } from '../../../contracts/index.ts';
import { Outbox } from '../../../server/outbox.ts';
import { resolveWorkingDirectory } from '../../../support/working-directory.ts';
import { createStdioTransport, guardStdout } from '../../../transports/index.ts';
import { createAgentModels } from '../../agent-models.ts';
import type { AgentOptions } from '../../agent-options.ts';
import { openMultiSession } from '../multi-session.ts';
import { createShutdown } from '../shutdown.ts';
import { prepareStart, type StartOptions, toAgentOptions } from '../start-agent.ts';
import { AgentCalls, type ResolvedModel } from './server/agent-calls.ts';
import { McpConnection } from './server/connection.ts';
import { createElicitationUi } from './server/elicitation-ui.ts';
import { McpMethods } from './server/methods.ts';
import { hasBatches } from './server/protocol-versions.ts';
import { ToolCallRunner } from './server/tool-call-runner.ts';

const MCP_SERVE_HELP = `Usage: parley mcp serve [options]

Serves Parley to other agents as an MCP server over stdin and stdout, with one tool: agent (prompt, cwd, model, session).
The options are those of \`parley --help\`: --model, --provider, --tools, --approval-mode, --trust and others apply to every call.

Examples:
  claude mcp add parley -- parley mcp serve
  parley mcp serve --model sonnet --approval-mode on-write
`;

/** The flags of the program and the positional arguments. */
interface ServeFlags extends StartOptions {
  readonly messages: readonly string[];
  readonly files: readonly string[];
}

export type ParseFlags = (argv: readonly string[]) => ServeFlags;

type Warn = (line: string) => void;

/** Returns the help text, or does not return: it exits the process. */
export async function runMcpServe(argv: readonly string[], warn: Warn, parseFlags: ParseFlags): Promise<string> {
  const { messages, files, ...options } = parseFlags(argv);
  if (options.help) return MCP_SERVE_HELP;
  const [extra] = [...messages, ...files];
  if (extra !== undefined) throw new Fault('config', `Unknown argument: ${extra}\n\n${MCP_SERVE_HELP}`);
  if (argv.some((argument) => /^--mode(=|$)/.test(argument))) {
    throw new Fault('config', 'parley mcp serve takes no --mode: the protocol is MCP.');
  }
  return serveMcp({ ...options, mode: 'rpc' }, warn);
}

async function serveMcp(options: StartOptions, warn: Warn): Promise<never> {
  // Must come first: extensions must not write to stdout.
  guardStdout();
  const warnOnce = createWarnOnce(warn);
  const prepared = await prepareStart(options, warnOnce);
  const { ports, settings } = prepared;
  const { hub, close } = await openMultiSession(options, warnOnce, prepared);
  const transport = createStdioTransport({ lineLimit: settings['rpc.maxLineBytes'] });
  const shutdown = createShutdown(ports, async () => {
    await close();
    await transport.flush();
  });
  void transport.readerClosed.then(() => shutdown.exit(0));
  const outbox = new Outbox(transport);
  const calls = new AgentCalls({
    getPool: () => hub.pool as SessionPool,
    resolveModel: (name) => resolveModel(toAgentOptions(options, prepared, warnOnce), name),
    resolveDirectory: (path) => resolveWorkingDirectory(ports.files, prepared.cwd, path),
  });
  const runner = new ToolCallRunner({ calls, ports, warn: warnOnce });
  const methods = new McpMethods((call) => runner.run(call, connection));
  const connection: McpConnection = new McpConnection({
    send: (text) => void outbox.push({ chunks: [`${text}\n`], bytes: text.length + 1 }),
    handle: (request) => methods.handle(request),
    acceptsBatches: () => hasBatches(methods.client),
  });
  const inputClosed = createDeferred();
  hub.connect(
    () => {},
    (session) =>
      createElicitationUi(() => (options.noUi ? undefined : calls.getElicit(session)), {
        clock: ports.clock,
        closed: inputClosed.promise,
      }),
  );
  for await (const line of transport.lines) {
    connection.receive(line);
    // Stop reading from a client that does not read the responses.
    if (outbox.isOverfull) await outbox.flush();
  }
  inputClosed.resolve();
  connection.close();
  if (settings['rpc.onEof'] === 'abort') connection.abortAll();
  await connection.waitUntilIdle();
  await outbox.flush();
  return shutdown.exit(0);
}

/**
 * Finds the model as the flag `--model` does. A key on the command line belongs to the provider of the command line: a call cannot
 * send it to another one.
 */
async function resolveModel(agent: AgentOptions, name: string): Promise<ResolvedModel> {
  const provider = agent.apiKey === undefined ? undefined : agent.provider;
  const models = createAgentModels({ ...agent, provider, model: name });
  const model = await models.chooseInitial();
  if (!model) throw new Fault('no_model', models.missingReason ?? `Model not found: ${name}`);
  await models.requireCredentials(model);
  return { model, thinkingLevel: models.initialThinkingLevel };
}

function createWarnOnce(warn: Warn): Warn {
  const reported = new Set<string>();
  return (line) => {
    if (!reported.has(line)) warn(line);
    reported.add(line);
  };
}

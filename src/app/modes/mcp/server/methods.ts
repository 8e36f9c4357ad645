// The methods of the MCP server.
import { isRecord } from '../../../../base/index.ts';
import { version } from '../../../../support/version.ts';
import { AGENT_TOOL_NAME, describeAgentTool, readAgentArguments } from './agent-tool.ts';
import { INVALID_REQUEST, type IncomingRequest, METHOD_NOT_FOUND, RpcError } from './connection.ts';
import {
  createParamsError,
  type McpClient,
  readInitializeParams,
  readRequestMeta,
  SERVER_INFO_KEY,
  STATELESS_VERSIONS,
} from './protocol-versions.ts';

type Params = Readonly<Record<string, unknown>>;
type Result = Record<string, unknown>;

export interface ToolCall {
  readonly args: ReturnType<typeof readAgentArguments>;
  readonly client: McpClient;
  readonly progressToken: string | number | undefined;
  /** Set when a client without a handshake repeats a call with the answers of the user. */
  readonly requestState: unknown;
  readonly inputResponses: unknown;
  readonly signal: AbortSignal;
}

interface MethodContext {
  readonly server: McpMethods;
  readonly client: McpClient | undefined;
  readonly signal: AbortSignal;
}

type Method = (params: Params, context: MethodContext) => Result | Promise<Result>;

const INSTRUCTIONS =
  'The tool `agent` delegates a coding task to Parley. Results have a sessionId with which the work can be continued.';
const CAPABILITIES = { tools: {} };
/** The list of tools does not change while the program runs. */
const LIST_LIFETIME_MS = 3_600_000;

export class McpMethods {
  readonly #callTool: (call: ToolCall) => Promise<Result>;
  #client: McpClient | undefined;

  constructor(callTool: (call: ToolCall) => Promise<Result>) {
    this.#callTool = callTool;
  }

  /** The client that has sent `initialize`. */
  get client(): McpClient | undefined {
    return this.#client;
  }

  async handle({ method, params, signal }: IncomingRequest): Promise<Result> {
    if (!isRecord(params)) throw createParamsError('params must be an object');
    const requestClient = readRequestMeta(params._meta);
    const methods = requestClient ? STATELESS_METHODS : HANDSHAKE_METHODS;
    const run = Object.hasOwn(methods, method) ? methods[method] : undefined;
    if (!run) throw new RpcError({ code: METHOD_NOT_FOUND, message: `Method not found: ${method}` });
    const client = requestClient ?? this.#client;
    if (!client && !BEFORE_INITIALIZE.includes(method)) throw createRequestError('send initialize first');
    const result = await run(params, { server: this, client, signal });
    return requestClient
      ? { resultType: 'complete', ...result, _meta: { [SERVER_INFO_KEY]: getServerInfo() } }
      : result;
  }

  initialize(params: Params): Result {
    if (this.#client) throw createRequestError('the connection is already initialized');
    this.#client = readInitializeParams(params);
    const protocolVersion = this.#client.version;
    return { protocolVersion, capabilities: CAPABILITIES, serverInfo: getServerInfo(), instructions: INSTRUCTIONS };
  }

  callTool(params: Params, client: McpClient, signal: AbortSignal): Promise<Result> {
    const { name, arguments: args = {}, _meta: meta, requestState, inputResponses } = params;
    if (typeof name !== 'string') throw createParamsError('name must be a string');
    if (name !== AGENT_TOOL_NAME) throw createParamsError(`Unknown tool: ${name}. Available: ${AGENT_TOOL_NAME}`);
    if (!isRecord(args)) throw createParamsError('arguments must be an object');
    const progressToken = readProgressToken(meta);
    return this.#callTool({
      args: readAgentArguments(args),
      client,
      progressToken,
      requestState,
      inputResponses,
      signal,
    });
  }
}

const COMMON_METHODS: Readonly<Record<string, Method>> = {
  ping: () => ({}),
  'tools/list': listTools,
  'tools/call': (params, { server, client, signal }) => server.callTool(params, client as McpClient, signal),
};

const HANDSHAKE_METHODS: Readonly<Record<string, Method>> = {
  ...COMMON_METHODS,
  initialize: (params, { server }) => server.initialize(params),
};

const STATELESS_METHODS: Readonly<Record<string, Method>> = {
  ...COMMON_METHODS,
  'server/discover': () => ({
    supportedVersions: STATELESS_VERSIONS,
    capabilities: CAPABILITIES,
    instructions: INSTRUCTIONS,
    ...describeCaching(),
  }),
};

const BEFORE_INITIALIZE = ['initialize', 'ping'];

function listTools({ cursor }: Params, { client }: MethodContext): Result {
  if (cursor !== undefined) throw createParamsError('cursor is unknown: the list has one page');
  return { tools: [describeAgentTool()], ...(client?.isStateless ? describeCaching() : {}) };
}

function describeCaching(): Result {
  return { ttlMs: LIST_LIFETIME_MS, cacheScope: 'private' };
}

function getServerInfo(): Result {
  return { name: 'parley', title: 'Parley', version: version() };
}

function readProgressToken(meta: unknown): string | number | undefined {
  const token = isRecord(meta) ? meta.progressToken : undefined;
  if (token === undefined || typeof token === 'string' || typeof token === 'number') return token;
  throw createParamsError('_meta.progressToken must be a string or a number');
}

function createRequestError(problem: string): RpcError {
  return new RpcError({ ...INVALID_REQUEST, message: `Invalid request: ${problem}` });
}

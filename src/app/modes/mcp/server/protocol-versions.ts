// The protocol versions of the MCP server, and what a client has declared about itself.
import { isRecord } from '../../../../base/index.ts';
import { INVALID_PARAMS, RpcError } from './connection.ts';

/** Agreed on by `initialize`, newest first. */
const HANDSHAKE_VERSIONS: readonly [string, ...string[]] = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];
/** Without a handshake: each request names its version and the capabilities of the client. */
export const STATELESS_VERSIONS: readonly string[] = ['2026-07-28'];
/** The only version with batches. */
const BATCH_VERSION = '2025-03-26';

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';
const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities';
export const SERVER_INFO_KEY = 'io.modelcontextprotocol/serverInfo';

const UNSUPPORTED_VERSION = -32022;

export interface McpClient {
  readonly version: string;
  readonly isStateless: boolean;
  readonly capabilities: Readonly<Record<string, unknown>>;
}

/** A client with another version gets the newest one, and decides whether to continue. */
export function readInitializeParams(params: Readonly<Record<string, unknown>>): McpClient {
  const { protocolVersion, capabilities } = params;
  if (typeof protocolVersion !== 'string') throw createParamsError('protocolVersion must be a string');
  if (!isRecord(capabilities)) throw createParamsError('capabilities must be an object');
  const isSupported = HANDSHAKE_VERSIONS.includes(protocolVersion);
  return { version: isSupported ? protocolVersion : HANDSHAKE_VERSIONS[0], isStateless: false, capabilities };
}

/** `undefined` for a request of a client that uses the handshake. */
export function readRequestMeta(meta: unknown): McpClient | undefined {
  if (!isRecord(meta) || meta[VERSION_KEY] === undefined) return undefined;
  const { [VERSION_KEY]: version, [CAPABILITIES_KEY]: capabilities } = meta;
  if (typeof version !== 'string') throw createParamsError(`_meta.${VERSION_KEY} must be a string`);
  if (!STATELESS_VERSIONS.includes(version)) {
    const data = { supported: STATELESS_VERSIONS, requested: version };
    throw new RpcError({ code: UNSUPPORTED_VERSION, message: `Unsupported protocol version: ${version}`, data });
  }
  if (!isRecord(capabilities)) throw createParamsError(`_meta.${CAPABILITIES_KEY} must be an object`);
  return { version, isStateless: true, capabilities };
}

export function hasBatches(client: McpClient | undefined): boolean {
  return client?.version === BATCH_VERSION;
}

export function createParamsError(message: string): RpcError {
  return new RpcError({ code: INVALID_PARAMS, message: `Invalid params: ${message}` });
}

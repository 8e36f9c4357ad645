// MCP servers: how they are defined, and what a session uses of them.
import type { AgentEventOf, ImageContent } from '../protocol/index.ts';
import type { HostUi } from './host-ui.ts';
import type { HostUris } from './host-uris.ts';
import type { Ports } from './ports.ts';
import type { Tool } from './tool.ts';

export interface McpStdioServer {
  readonly type: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  /** Added to PATH, HOME and the locale. The server gets no other variables. */
  readonly env: Readonly<Record<string, string>>;
  /** Default: the working directory of the session. */
  readonly cwd?: string | undefined;
}

export interface McpHttpServer {
  /** `http`: Streamable HTTP. `sse`: the older transport with an event stream. */
  readonly type: 'http' | 'sse';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly oauth?:
    | { readonly clientId?: string | undefined; readonly scopes?: readonly string[] | undefined }
    | undefined;
}

export interface McpServerDefinition {
  /** Unique in a session. */
  readonly name: string;
  readonly server: McpStdioServer | McpHttpServer;
  /** Where the definition comes from, for messages: the path of a file, or `the host`. */
  readonly source: string;
}

export interface McpServerStatus {
  readonly name: string;
  /** `waiting`: the connection was lost, and another attempt follows. `sign_in_required`: run `parley mcp login NAME`. */
  readonly state: 'connecting' | 'connected' | 'waiting' | 'failed' | 'sign_in_required';
  readonly toolCount: number;
  /** Why it is not connected. */
  readonly problem?: string | undefined;
}

export interface McpResource {
  readonly server: string;
  readonly uri: string;
  readonly name: string;
  readonly description?: string | undefined;
  readonly mimeType?: string | undefined;
}

export interface McpPrompt {
  readonly server: string;
  readonly name: string;
  readonly description?: string | undefined;
  readonly arguments: readonly {
    readonly name: string;
    readonly description?: string | undefined;
    readonly required: boolean;
  }[];
}

/** The content of a resource or of a prompt. Texts are joined by blank lines. */
export interface McpContent {
  readonly text: string;
  readonly images: readonly ImageContent[];
}

/** The MCP servers of one session. */
export interface McpServers {
  /**
   * Connects to all servers. Resolves when each one is connected or has failed, at the latest after the startup timeout; slower
   * servers go on connecting. Later calls return the same promise.
   */
  connect(): Promise<void>;
  /** The tools of the connected servers, in the order of the definitions and of the server's own list. */
  readonly tools: readonly Tool[];
  readonly prompts: readonly McpPrompt[];
  listResources(server?: string): Promise<readonly McpResource[]>;
  readResource(server: string, uri: string, signal: AbortSignal): Promise<McpContent>;
  getPrompt(
    server: string,
    name: string,
    args: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<McpContent>;
  getStatus(): readonly McpServerStatus[];
  /** Calls `act` when the tools or the prompts have changed. */
  onChange(act: () => void): void;
  /** Ends all connections and all server processes. */
  close(): Promise<void>;
}

/** The MCP servers of a session, as core uses them. Nothing is read or started before the first call of a method. */
export interface SessionMcp {
  /** Starts the servers. Resolves when they are connected or have failed, at the latest after the startup timeout. Never rejects. */
  prepare(): Promise<void>;
  /** Changes when the tools of the servers have changed. */
  readonly toolsVersion: number;
  /** `active` are the tools that a session may use. Returns those that its requests contain. */
  planTools(active: readonly Tool[]): OfferedTools;
  /** Adds `mcp://` to the schemes of the host: `mcp://SERVER/URI` is a resource, `mcp://SERVER/` lists the resources of a server. */
  addUris(host: HostUris | undefined): HostUris | undefined;
  /** Starts the servers, and does not wait for them. */
  getStatus(): Promise<readonly McpServerStatus[]>;
  close(): Promise<void>;
}

export interface OfferedTools {
  readonly tools: readonly Tool[];
  /** Part of the system prompt, also when the user has replaced the introduction. */
  readonly promptSection?: string | undefined;
}

/** A request of a server to the session's model (sampling). */
export interface McpSamplingRequest {
  readonly server: string;
  readonly messages: readonly {
    readonly role: 'user' | 'assistant';
    readonly text: string;
    readonly images: readonly ImageContent[];
  }[];
  readonly systemPrompt?: string | undefined;
  readonly maxTokens: number;
  readonly signal: AbortSignal;
}

/** What the servers of a session need from their caller. */
export interface McpContext {
  readonly ports: Ports;
  readonly cwd: string;
  /** The version of this program, which is sent to the servers. */
  readonly version: string;
  readonly startupTimeoutMs: number;
  /** Undefined when there is no host that could answer. */
  host(): HostUi | undefined;
  notify(notice: Omit<AgentEventOf<'notice'>, 'type'>): void;
  /** Absent: servers may not use the model. */
  readonly sample?:
    | ((request: McpSamplingRequest) => Promise<{ text: string; model: string; stopReason: string }>)
    | undefined;
  /** Credentials of HTTP servers. Absent: servers that require a sign-in cannot be used. */
  readonly credentials?: McpCredentialStore | undefined;
}

/** The OAuth credentials of HTTP servers, saved in the user's credential file. */
export interface McpCredentialStore {
  /** `key` identifies the server: its URL. The value is JSON. */
  read(key: string): Promise<unknown>;
  /** Replaces the value while other processes are locked out. `undefined` removes it. */
  update(key: string, change: (current: unknown) => Promise<unknown>): Promise<void>;
}

// All MCP servers of a session.
import { Fault } from '../base/index.ts';
import type {
  Cancel,
  McpContent,
  McpContext,
  McpPrompt,
  McpResource,
  McpServerDefinition,
  McpServerStatus,
  Tool,
} from '../contracts/index.ts';
import { waitAtMost } from '../support/wait-at-most.ts';
import { ContentConverter } from './content.ts';
import { readResources } from './read-lists.ts';
import { ServerConnection } from './server-connection.ts';
import { NO_TIMEOUT_MS } from './server-scope.ts';

/** Changes of several servers are reported together. */
const CHANGE_DELAY_MS = 50;
const CLOSE_LIMIT_MS = 2000;
const MAX_RESOURCE_WAIT_MS = 60_000;

export class ServerSet {
  readonly #context: McpContext;
  readonly #onChange: () => void;
  readonly #connections: readonly ServerConnection[];
  #cancelChange: Cancel | undefined;
  #isClosed = false;
  #tools: readonly Tool[] | undefined;

  constructor(definitions: readonly McpServerDefinition[], context: McpContext, onChange: () => void) {
    this.#context = context;
    this.#onChange = onChange;
    this.#connections = definitions.map(
      (definition) => new ServerConnection(definition, context, () => this.#reportChange()),
    );
  }

  async connect(): Promise<void> {
    const { ports, startupTimeoutMs } = this.#context;
    const all = Promise.all(this.#connections.map((connection) => connection.connect()));
    await waitAtMost(ports.clock, startupTimeoutMs, all);
    if (!this.#isClosed) for (const connection of this.#connections) connection.reportSlow();
  }

  /** Two tools with the same name are almost impossible. Then the first one wins. */
  get tools(): readonly Tool[] {
    this.#tools ??= [
      ...new Map(
        this.#connections.flatMap(({ tools }) => tools.map((tool) => [tool.name, tool] as const)).reverse(),
      ).values(),
    ].reverse();
    return this.#tools;
  }

  get prompts(): readonly McpPrompt[] {
    return this.#connections.flatMap(({ prompts }) => prompts);
  }

  getStatus(): readonly McpServerStatus[] {
    return this.#connections.map(({ status }) => status);
  }

  /** Without a name, servers that fail are left out. */
  async listResources(server?: string): Promise<readonly McpResource[]> {
    if (server !== undefined) return this.#readResources(this.#find(server));
    const lists = await Promise.all(
      this.#connections.map((connection) => this.#readResources(connection).catch((): McpResource[] => [])),
    );
    return lists.flat();
  }

  async readResource(server: string, uri: string, signal: AbortSignal): Promise<McpContent> {
    return this.#find(server).use(signal, async (client) => {
      const { contents } = await client.readResource({ uri }, { signal, timeout: NO_TIMEOUT_MS, cacheMode: 'bypass' });
      const converter = new ContentConverter(server);
      for (const content of contents) await converter.addResource(content);
      return converter.content;
    });
  }

  async getPrompt(
    server: string,
    name: string,
    args: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<McpContent> {
    return this.#find(server).use(signal, async (client) => {
      const { messages } = await client.getPrompt({ name, arguments: { ...args } }, { signal, timeout: NO_TIMEOUT_MS });
      const converter = new ContentConverter(server);
      for (const { content } of messages) await converter.addBlock(content);
      return converter.content;
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelChange?.();
    const all = Promise.all(this.#connections.map((connection) => connection.close()));
    await waitAtMost(this.#context.ports.clock, CLOSE_LIMIT_MS, all);
  }

  async #readResources(connection: ServerConnection): Promise<McpResource[]> {
    const limit = new AbortController();
    const cancel = this.#context.ports.clock.after(MAX_RESOURCE_WAIT_MS, () => limit.abort());
    try {
      const { signal } = limit;
      return await connection.use(signal, (client) => readResources(client, connection.name, signal));
    } finally {
      cancel();
    }
  }

  #find(server: string): ServerConnection {
    const found = this.#connections.find(({ name }) => name === server);
    if (found) return found;
    const names = this.#connections.map(({ name }) => name).join(', ');
    throw new Fault('not_found', `There is no MCP server "${server}". Servers: ${names || 'none'}`);
  }

  #reportChange(): void {
    this.#tools = undefined;
    if (this.#isClosed || this.#cancelChange) return;
    this.#cancelChange = this.#context.ports.clock.after(CHANGE_DELAY_MS, () => {
      this.#cancelChange = undefined;
      this.#onChange();
    });
  }
}

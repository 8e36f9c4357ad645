// The MCP servers of one agent: reads their definitions, connects them, and gives their tools, prompts and resources to the session.
import { getErrorMessage } from '../../base/index.ts';
import type {
  InputHookResult,
  McpContext,
  McpServerDefinition,
  McpServers,
  SessionMcp,
  SlashCommand,
  SubmittedInput,
  Tool,
} from '../../contracts/index.ts';
import { createMcpServers } from '../../mcp/index.ts';
import { version } from '../../support/version.ts';
import { findUnknownNames, isAllowed } from './allowed-tools.ts';
import { createMcpCredentials } from './credentials.ts';
import type { AgentMcp, McpAgentContext } from './mcp-agent-context.ts';
import { createToolPlanner } from './plan-tools.ts';
import { expandPromptCommand, listPromptCommands } from './prompt-commands.ts';
import { readMcpDefinitions } from './read-definitions.ts';
import { combineUris, createResourceUris } from './resource-uris.ts';
import { createSampling } from './sampling.ts';

export function createAgentMcp(context: McpAgentContext): AgentMcp {
  return new ConnectedMcp(context);
}

class ConnectedMcp implements AgentMcp {
  readonly #context: McpAgentContext;
  readonly #planner;
  readonly #reported = new Set<string>();
  readonly #uris;
  #opening: Promise<McpServers> | undefined;
  #servers: McpServers | undefined;
  #definitions = '';
  #toolsVersion = 0;
  /** The list of the servers that `#knownTools` describes. */
  #listedTools: readonly Tool[] | undefined;
  /** The tools and the commands that were last announced, as JSON. */
  #knownTools = '[]';
  #knownCommands = '[]';
  #isClosed = false;

  constructor(context: McpAgentContext) {
    this.#context = context;
    this.#planner = createToolPlanner(context.options.settings);
    this.#uris = createResourceUris(() => this.#open());
  }

  get tools(): readonly Tool[] {
    const { options } = this.#context;
    return this.#planner.remember((this.#servers?.tools ?? []).filter(({ name }) => isAllowed(name, options)));
  }

  get toolsVersion(): number {
    const listed = this.#servers?.tools;
    if (listed === this.#listedTools) return this.#toolsVersion;
    this.#listedTools = listed;
    const known = JSON.stringify(
      this.tools.map(({ name, doc, effect, jsonSchema }) => [name, doc, effect, jsonSchema]),
    );
    if (known !== this.#knownTools) this.#toolsVersion += 1;
    this.#knownTools = known;
    return this.#toolsVersion;
  }

  planTools: SessionMcp['planTools'] = (active) =>
    this.#planner.plan(active, (this.#servers?.getStatus() ?? []).length > 0);

  addUris: SessionMcp['addUris'] = (host) => combineUris(host, this.#uris);

  async prepare(): Promise<void> {
    if (!this.#isUsed) return;
    try {
      await (await this.#open()).connect();
      this.#update();
      for (const problem of findUnknownNames(this.#context.options, this.#servers)) this.#warn(problem);
    } catch (thrown) {
      this.#warn(`MCP servers cannot be used: ${getErrorMessage(thrown)}`);
    }
  }

  /** When the flags allow none of their tools, no server is started for the model. */
  get #isUsed(): boolean {
    return this.#context.options.toolNames?.some((name) => name.startsWith('mcp__')) ?? true;
  }

  async getStatus() {
    if (!this.#isUsed) return [];
    const servers = await this.#open();
    void servers.connect().then(() => this.#update());
    return servers.getStatus();
  }

  async expandPrompt(input: SubmittedInput): Promise<InputHookResult | undefined> {
    const servers = await this.#open();
    await servers.connect();
    return expandPromptCommand(servers, input);
  }

  listSlashCommands(): readonly SlashCommand[] {
    return this.#servers ? listPromptCommands(this.#servers.prompts) : [];
  }

  reload(): void {
    this.#opening = undefined;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#opening?.catch(() => {});
    await this.#servers?.close();
  }

  #open(): Promise<McpServers> {
    this.#opening ??= this.#createServers();
    return this.#opening;
  }

  async #createServers(): Promise<McpServers> {
    const { options, resourceLocator } = this.#context;
    const { definitions, problems } = await readMcpDefinitions(options, resourceLocator);
    for (const problem of problems) this.#warn(problem);
    const json = JSON.stringify(definitions);
    if (this.#servers && json === this.#definitions) return this.#servers;
    const previous = this.#servers;
    const servers = createMcpServers(this.#isClosed ? [] : definitions, this.#createContext(definitions));
    servers.onChange(() => this.#update());
    this.#servers = servers;
    this.#definitions = json;
    await previous?.close();
    return servers;
  }

  #createContext(definitions: readonly McpServerDefinition[]): McpContext {
    const { options, host } = this.#context;
    const { ports, cwd, settings, agentDirectory } = options;
    for (const { server } of definitions)
      for (const secret of Object.values(server.type === 'stdio' ? server.env : server.headers))
        redact(options, secret);
    return {
      ...{ ports, cwd, host },
      version: version(),
      credentials: createMcpCredentials({ ports, agentDirectory, redact: options.redact }),
      startupTimeoutMs: settings['mcp.startupTimeout'],
      notify: (notice) => this.#notify(notice),
      ...(settings['mcp.sampling'] ? { sample: createSampling(this.#context) } : {}),
    };
  }

  /** Announces the prompts when they have changed. The next request checks the tools itself. */
  #update(): void {
    const commands = JSON.stringify(this.listSlashCommands());
    if (commands === this.#knownCommands) return;
    this.#knownCommands = commands;
    void this.#context.session()?.announceSlashCommands();
  }

  #warn(message: string): void {
    this.#notify({ level: 'warning', message, source: 'mcp' });
  }

  #notify(notice: Parameters<McpContext['notify']>[0]): void {
    if (this.#isClosed || this.#reported.has(notice.message)) return;
    this.#reported.add(notice.message);
    const session = this.#context.session();
    if (session) session.notify(notice);
    else this.#context.options.warn?.(notice.message);
  }
}

/** Short values are not secret, and redacting them would make texts unreadable. */
const MIN_SECRET_LENGTH = 12;

function redact({ redact: add }: McpAgentContext['options'], value: string): void {
  for (const text of [value, ...value.split(' ').slice(1)]) if (text.length >= MIN_SECRET_LENGTH) add?.(text);
}

// Selects the tools that the model is offered.
import { Fault } from '../../base/index.ts';
import type { HostServices, HostUris, OfferedTools, Tool, ToolSelection } from '../../contracts/index.ts';
import type { SessionOptions } from './session-options.ts';

type ToolFacetOptions = Pick<SessionOptions, 'tools' | 'excludedTools' | 'isToolAvailable' | 'mcp'>;

export class ToolFacet implements ToolSelection {
  readonly #options: ToolFacetOptions;
  readonly #onChange: () => void;
  #activeNames: ReadonlySet<string> | undefined;
  #hostTools: readonly Tool[] = [];
  hostUris: HostUris | undefined;
  hostServices: HostServices | undefined;

  constructor(options: ToolFacetOptions, onChange: () => void) {
    this.#options = options;
    this.#onChange = onChange;
  }

  /** The tools that subagents may use: no tools that this session may not use, and no host tools. */
  async listInheritable(): Promise<readonly Tool[]> {
    const activeNames = this.#activeNames;
    const tools = await this.#listSessionTools();
    return activeNames ? tools.filter(({ name }) => activeNames.has(name)) : tools;
  }

  /** All tools except host tools and excluded ones. */
  async #listSessionTools(): Promise<readonly Tool[]> {
    const tools = await this.#options.tools();
    return this.#options.excludedTools?.length ? tools.filter(({ name }) => !this.#isExcluded(name)) : tools;
  }

  async listAll(): Promise<readonly Tool[]> {
    const sessionTools = await this.#listSessionTools();
    if (this.#hostTools.length === 0) return sessionTools;
    const hostToolNames = new Set(this.#hostTools.map((tool) => tool.name));
    return [...sessionTools.filter((tool) => !hostToolNames.has(tool.name)), ...this.#hostTools];
  }

  async listActive(): Promise<readonly Tool[]> {
    const { isToolAvailable = () => true } = this.#options;
    const activeNames = this.#activeNames;
    const isActive = (tool: Tool) => !activeNames || activeNames.has(tool.name) || this.#hostTools.includes(tool);
    return (await this.listAll()).filter((tool) => isActive(tool) && isToolAvailable(tool));
  }

  /** What the requests contain. Tools of MCP servers may be left out; the model can still call them. */
  async planOffered(): Promise<OfferedTools> {
    const tools = await this.listActive();
    return this.#options.mcp?.planTools(tools) ?? { tools };
  }

  /** Also finds the tools that exist only in requests. */
  async find(name: string): Promise<Tool | undefined> {
    const hasName = (tool: Tool) => tool.name === name;
    return (await this.listActive()).find(hasName) ?? (await this.planOffered()).tools.find(hasName);
  }

  async setHostTools(tools: readonly Tool[]): Promise<void> {
    const excluded = tools.find(({ name }) => this.#isExcluded(name));
    if (excluded) throw new Fault('invalid_params', `Host tool "${excluded.name}" is excluded by --exclude-tools`);
    const existingNames = new Set((tools.length > 0 ? await this.#options.tools() : []).map(({ name }) => name));
    const conflicting = tools.find(({ name }) => existingNames.has(name));
    // A host tool that replaced `bash` would receive commands that are meant for the user's machine.
    if (conflicting)
      throw new Fault('invalid_params', `Host tool "${conflicting.name}" conflicts with an existing tool`);
    this.#hostTools = tools;
    this.#onChange();
  }

  #isExcluded(name: string): boolean {
    return this.#options.excludedTools?.includes(name) ?? false;
  }

  get selected(): readonly string[] | undefined {
    return this.#activeNames && [...this.#activeNames];
  }

  select(names: readonly string[]): void {
    this.#activeNames = new Set(names);
    this.#onChange();
  }
}

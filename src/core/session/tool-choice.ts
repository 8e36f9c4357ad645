// First floor, core: which tools the model is offered. Knows them by name only.
import { Fault } from '../../base/index.ts';
import type { Tool, ToolChoice } from '../../contracts/index.ts';
import type { SessionOptions } from './options.ts';

export class ToolFacet implements ToolChoice {
  readonly #options: Pick<SessionOptions, 'tools' | 'excludedTools' | 'offers'>;
  readonly #changed: () => void;
  #chosen: ReadonlySet<string> | undefined;
  #lent: readonly Tool[] = [];

  constructor(options: Pick<SessionOptions, 'tools' | 'excludedTools' | 'offers'>, changed: () => void) {
    this.#options = options;
    this.#changed = changed;
  }

  /** What subagents of this session may have: nothing that the session itself was denied, and no tools of the host. */
  async inheritable(): Promise<readonly Tool[]> {
    const chosen = this.#chosen;
    const own = await this.#own();
    return chosen ? own.filter(({ name }) => chosen.has(name)) : own;
  }

  async #own(): Promise<readonly Tool[]> {
    const own = await this.#options.tools();
    return this.#options.excludedTools?.length ? own.filter(({ name }) => !this.#isExcluded(name)) : own;
  }

  async all(): Promise<readonly Tool[]> {
    const own = await this.#own();
    if (this.#lent.length === 0) return own;
    const lent = new Set(this.#lent.map((tool) => tool.name));
    return [...own.filter((tool) => !lent.has(tool.name)), ...this.#lent];
  }

  async active(): Promise<readonly Tool[]> {
    const { offers = () => true } = this.#options;
    const chosen = this.#chosen;
    const isWanted = (tool: Tool) => !chosen || chosen.has(tool.name) || this.#lent.includes(tool);
    return (await this.all()).filter((tool) => isWanted(tool) && offers(tool));
  }

  async lend(tools: readonly Tool[]): Promise<void> {
    const excluded = tools.find(({ name }) => this.#isExcluded(name));
    if (excluded) throw new Fault('invalid_params', `Host tool "${excluded.name}" is excluded by --exclude-tools`);
    const own = new Set((tools.length > 0 ? await this.#options.tools() : []).map(({ name }) => name));
    const taken = tools.find(({ name }) => own.has(name));
    // A host that took the place of `bash` would be told what was meant for the user's own machine.
    if (taken) throw new Fault('invalid_params', `Host tool "${taken.name}" conflicts with an existing tool`);
    this.#lent = tools;
    this.#changed();
  }

  #isExcluded(name: string): boolean {
    return this.#options.excludedTools?.includes(name) ?? false;
  }

  choose(names: readonly string[]): void {
    this.#chosen = new Set(names);
    this.#changed();
  }
}

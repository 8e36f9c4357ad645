// First floor, core: which tools the model is offered. Knows them by name only.
import type { Tool, ToolChoice } from '../../contracts/index.ts';
import type { SessionOptions } from './options.ts';

export class ToolFacet implements ToolChoice {
  readonly #options: Pick<SessionOptions, 'tools'>;
  readonly #changed: () => void;
  #chosen: ReadonlySet<string> | undefined;
  #lent: readonly Tool[] = [];

  constructor(options: Pick<SessionOptions, 'tools'>, changed: () => void) {
    this.#options = options;
    this.#changed = changed;
  }

  async all(): Promise<readonly Tool[]> {
    const own = await this.#options.tools();
    if (this.#lent.length === 0) return own;
    const lent = new Set(this.#lent.map((tool) => tool.name));
    return [...own.filter((tool) => !lent.has(tool.name)), ...this.#lent];
  }

  async active(): Promise<readonly Tool[]> {
    const tools = await this.all();
    const chosen = this.#chosen;
    return chosen ? tools.filter((tool) => chosen.has(tool.name) || this.#lent.includes(tool)) : tools;
  }

  lend(tools: readonly Tool[]): void {
    this.#lent = tools;
    this.#changed();
  }

  choose(names: readonly string[]): void {
    this.#chosen = new Set(names);
    this.#changed();
  }
}

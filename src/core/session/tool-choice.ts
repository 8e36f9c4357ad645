// First floor, core: which tools the model is offered. Knows them by name only.
import type { Tool, ToolChoice } from '../../contracts/index.ts';
import type { SessionOptions } from './options.ts';

export class ToolFacet implements ToolChoice {
  readonly #options: Pick<SessionOptions, 'tools' | 'offers'>;
  readonly #changed: () => void;
  #chosen: ReadonlySet<string> | undefined;
  #lent: readonly Tool[] = [];

  constructor(options: Pick<SessionOptions, 'tools' | 'offers'>, changed: () => void) {
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
    const { offers = () => true } = this.#options;
    const chosen = this.#chosen;
    const isWanted = (tool: Tool) => !chosen || chosen.has(tool.name) || this.#lent.includes(tool);
    return (await this.all()).filter((tool) => isWanted(tool) && offers(tool));
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

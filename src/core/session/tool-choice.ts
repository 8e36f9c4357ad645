// First floor, core: which tools the model is offered. Knows them by name only.
import type { Tool, ToolChoice } from '../../contracts/index.ts';
import type { SessionOptions } from './options.ts';

export class ToolFacet implements ToolChoice {
  readonly #options: Pick<SessionOptions, 'tools'>;
  readonly #changed: () => void;
  #chosen: ReadonlySet<string> | undefined;

  constructor(options: Pick<SessionOptions, 'tools'>, changed: () => void) {
    this.#options = options;
    this.#changed = changed;
  }

  all(): Promise<readonly Tool[]> {
    return this.#options.tools();
  }

  async active(): Promise<readonly Tool[]> {
    const tools = await this.all();
    const chosen = this.#chosen;
    return chosen ? tools.filter((tool) => chosen.has(tool.name)) : tools;
  }

  choose(names: readonly string[]): void {
    this.#chosen = new Set(names);
    this.#changed();
  }
}

// The tools and prompts of one server, as they were last read.
import type { Client } from '@modelcontextprotocol/client';
import type { McpPrompt, Tool } from '../contracts/index.ts';
import { createTool, type ToolSource } from './create-tool.ts';
import { type ListedTool, readPrompts, readTools } from './read-lists.ts';

const MAX_SHOWN_PROBLEMS = 3;

export class ServerLists {
  readonly #source: ToolSource;
  #tools: readonly Tool[] = [];
  #prompts: readonly McpPrompt[] = [];
  #fingerprint = '';

  constructor(source: ToolSource) {
    this.#source = source;
  }

  get tools(): readonly Tool[] {
    return this.#tools;
  }

  get prompts(): readonly McpPrompt[] {
    return this.#prompts;
  }

  /** Equal lists keep their tools: a server that was connected again changes nothing for the session. */
  async read(client: Client, signal: AbortSignal): Promise<{ hasChanged: boolean; problem: string | undefined }> {
    const [{ tools, problems }, prompts] = await Promise.all([
      readTools(client, signal),
      readPrompts(client, this.#source.server, signal).catch((): McpPrompt[] => []),
    ]);
    const fingerprint = JSON.stringify([tools.map(({ raw }: ListedTool) => raw), prompts]);
    const hasChanged = fingerprint !== this.#fingerprint;
    if (hasChanged) {
      this.#fingerprint = fingerprint;
      this.#tools = tools.map((tool) => createTool(tool, this.#source));
      this.#prompts = prompts;
    }
    return { hasChanged, problem: describeProblems(problems) };
  }

  /** Returns whether there was anything. */
  clear(): boolean {
    const hadEntries = this.#tools.length > 0 || this.#prompts.length > 0;
    this.#tools = [];
    this.#prompts = [];
    this.#fingerprint = '';
    return hadEntries;
  }
}

function describeProblems(problems: readonly string[]): string | undefined {
  if (problems.length === 0) return undefined;
  const rest = problems.length > MAX_SHOWN_PROBLEMS ? `, and ${problems.length - MAX_SHOWN_PROBLEMS} more` : '';
  return `has problems: ${problems.slice(0, MAX_SHOWN_PROBLEMS).join('; ')}${rest}`;
}

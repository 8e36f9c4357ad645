// The hall, terminal: commands that the person runs with `!`. Shown while they run, printed when they are over.
import type { Client } from '../client/index.ts';
import type { AgentEvent } from '../protocol/index.ts';
import type { Line } from './text/line.ts';
import { shellLines } from './transcript/messages.ts';
import type { Transcript } from './transcript/transcript.ts';

/** What scrolls by is looked at, not kept. */
const MOST_LIVE = 4_000;

export class Shell {
  readonly #client: Client;
  readonly #transcript: Transcript;
  readonly #width: () => number;
  readonly #running = new Set<{ command: string }>();
  #output = '';

  constructor(client: Client, transcript: Transcript, width: () => number) {
    this.#client = client;
    this.#transcript = transcript;
    this.#width = width;
  }

  get isBusy(): boolean {
    return this.#running.size > 0;
  }

  /** `!command`, or `!!command` when the model is not to see it. */
  async run(text: string): Promise<void> {
    const excludeFromContext = text.startsWith('!!');
    const running = { command: text.slice(excludeFromContext ? 2 : 1).trim() };
    this.#running.add(running);
    try {
      const { output, exitCode, cancelled } = await this.#client.call('bash', { ...running, excludeFromContext });
      this.#transcript.part(shellLines(running.command, output, exitCode, this.#width()));
      if (cancelled) this.#transcript.say('Stopped.', 'warning');
    } finally {
      this.#running.delete(running);
      this.#output = '';
    }
  }

  take(event: AgentEvent): void {
    if (event.type === 'bash_execution_update') this.#output = (this.#output + event.delta).slice(-MOST_LIVE);
  }

  live(width: number): Line[] {
    const commands = [...this.#running].map(({ command }) => command).join(' ; ');
    return commands === '' ? [] : shellLines(commands, this.#output, undefined, width).slice(-8);
  }
}

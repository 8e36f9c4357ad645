// Runs `!` commands of the user. Shows their output live and prints the result at the end.
import type { Client, ClientEvent } from '../client/index.ts';
import type { Line } from './text/line.ts';
import { renderShellCommand } from './transcript/render-messages.ts';
import type { Transcript } from './transcript/transcript.ts';

/** The live view shows only the end of the output. */
const MAX_LIVE_CHARACTERS = 4_000;

export class UserShell {
  readonly #client: Client;
  readonly #transcript: Transcript;
  readonly #getWidth: () => number;
  readonly #isOtherClient: (name: string | undefined) => boolean;
  readonly #running = new Set<{ command: string }>();
  #output = '';

  constructor(
    client: Client,
    transcript: Transcript,
    getWidth: () => number,
    isOtherClient: (name: string | undefined) => boolean,
  ) {
    this.#client = client;
    this.#transcript = transcript;
    this.#getWidth = getWidth;
    this.#isOtherClient = isOtherClient;
  }

  get isBusy(): boolean {
    return this.#running.size > 0;
  }

  /** `!command` adds the output to the context; `!!command` does not. */
  async run(text: string): Promise<void> {
    const excludeFromContext = text.startsWith('!!');
    const running = { command: text.slice(excludeFromContext ? 2 : 1).trim() };
    this.#running.add(running);
    try {
      const { output, exitCode, cancelled } = await this.#client.call('bash', { ...running, excludeFromContext });
      this.#transcript.printBlock(renderShellCommand(running.command, output, exitCode, this.#getWidth()));
      if (cancelled) this.#transcript.notify('Stopped.', 'warning');
    } finally {
      this.#running.delete(running);
      this.#output = '';
    }
  }

  handleEvent(event: ClientEvent): void {
    if (event.type === 'bash_execution_update' && !this.#isOtherClient(event.client))
      this.#output = (this.#output + event.delta).slice(-MAX_LIVE_CHARACTERS);
  }

  renderLive(width: number): Line[] {
    const commands = [...this.#running].map(({ command }) => command).join(' ; ');
    return commands === '' ? [] : renderShellCommand(commands, this.#output, undefined, width).slice(-8);
  }
}

// A process of a disturbed fleet, which is killed and started again.
import type { Program } from '../program.ts';
import type { ChaosLink } from './chaos-network.ts';

export interface FleetProcessOptions<Running> {
  readonly name: string;
  readonly link: ChaosLink;
  launch(): Promise<Running>;
  /** The process has ended without being killed. */
  onCrash(text: string): void;
}

export class FleetProcess<Running extends { readonly program: Program } = { readonly program: Program }> {
  readonly name: string;
  readonly link: ChaosLink;
  /** It cannot answer at the moment. */
  isDisturbed = true;
  readonly #options: FleetProcessOptions<Running>;
  #running: Running | undefined;
  #isKilled = false;

  constructor(options: FleetProcessOptions<Running>) {
    this.#options = options;
    this.name = options.name;
    this.link = options.link;
  }

  /** Also after it was killed. */
  get running(): Running {
    if (!this.#running) throw new Error(`${this.name} was not started`);
    return this.#running;
  }

  get pid(): number {
    return this.running.program.pid;
  }

  async start(): Promise<void> {
    this.#isKilled = false;
    this.#running = await this.#options.launch();
    this.isDisturbed = false;
    const { stderr } = this.#running.program;
    let text = '';
    stderr.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    stderr.once('close', () => {
      if (!this.#isKilled) this.#options.onCrash(`${this.name} (process ${this.pid}): ${text}`);
    });
  }

  async kill(): Promise<void> {
    this.#isKilled = true;
    this.running.program.kill('SIGKILL');
    await this.running.program.exited;
  }

  suspend(): void {
    this.running.program.kill('SIGSTOP');
  }

  resume(): void {
    this.running.program.kill('SIGCONT');
  }
}

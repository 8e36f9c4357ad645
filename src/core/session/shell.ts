// First floor, core: commands that the host runs beside the model. Their output reaches the model with the next prompt.
import { deferred } from '../../base/index.ts';
import type { Shell, ShellOptions, ShellVerdict } from '../../contracts/index.ts';
import type { AgentEvent, BashExecutionMessage, BashResult, EntryBody } from '../../protocol/index.ts';
import { orAfterAbort } from '../agent/until-aborted.ts';
import { LiveOutput } from './live-output.ts';
import { type HeldItem, SHELL_ENTRY } from './restored.ts';
import type { Seat } from './seat.ts';

export class ShellFacet implements Shell {
  readonly #seat: Seat;
  readonly #isRunning: () => boolean;
  /** Each with a promise that resolves when its record is kept. */
  readonly #running = new Map<AbortController, Promise<void>>();
  /** Finished during a run: kept out of its turns until the next prompt. */
  #held: HeldItem[] = [];

  constructor(seat: Seat, isRunning: () => boolean) {
    this.#seat = seat;
    this.#isRunning = isRunning;
  }

  get held(): readonly BashExecutionMessage[] {
    return this.#held.map((held) => held.message);
  }

  async run(command: string, options: ShellOptions = {}): Promise<BashResult> {
    const shown = new LiveOutput((delta) => this.#seat.broadcast.emit(updateOf(options.id, delta)));
    const controller = new AbortController();
    const kept = deferred();
    this.#running.set(controller, kept.promise);
    const { conversation } = this.#seat;
    try {
      const outcome = await this.#outcome(command, options, { signal: controller.signal, shown });
      await shown.shown();
      const result = resultOf(outcome);
      // The conversation may have been replaced when `end` was not awaited.
      if (conversation === this.#seat.conversation) await this.#keep(messageOf(command, result, options, this.#now()));
      return result;
    } finally {
      this.#running.delete(controller);
      kept.resolve();
    }
  }

  async #outcome(
    command: string,
    { excludeFromContext = false }: ShellOptions,
    { signal, shown }: { signal: AbortSignal; shown: LiveOutput },
  ): Promise<BashResult> {
    const { artifacts, hooks, ports } = this.#seat;
    const { runShell, cwd } = this.#seat.options;
    const asked = hooks.shell?.({ command, cwd, excludeFromContext });
    const verdict =
      asked && (await orAfterAbort<ShellVerdict | undefined>(asked, () => undefined, signal, ports.clock));
    if (verdict && 'result' in verdict) return verdict.result;
    const onOutput = (text: string) => shown.add(text);
    return runShell({ command, cwd, signal, artifacts, purpose: 'bash', onOutput, execute: verdict?.execute });
  }

  abort(): void {
    for (const controller of this.#running.keys()) controller.abort();
  }

  /** Aborts every command and resolves when their records are in the conversation, which can be left or closed then. */
  async end(): Promise<void> {
    this.abort();
    await Promise.all(this.#running.values());
  }

  /** What finished during the last run, on its way into the conversation with the next prompt. */
  takeHeld(): { bodies: EntryBody[]; putBack(): void } {
    const taken = this.#held;
    this.#held = [];
    return {
      bodies: taken.map(({ id, message }) => ({ type: 'message', message, queueId: id })),
      putBack: () => {
        this.#held = [...taken, ...this.#held];
      },
    };
  }

  get pending(): readonly HeldItem[] {
    return this.#held;
  }

  reset(held: readonly HeldItem[]): void {
    this.abort();
    this.#held = [...held];
  }

  async #keep(message: BashExecutionMessage): Promise<void> {
    const { conversation } = this.#seat;
    if (!this.#isRunning()) {
      await conversation.commit([{ type: 'message', message }]);
      return;
    }
    const held = { id: this.#seat.ports.ids.entry(), message };
    await conversation.commit([{ type: 'custom', customType: SHELL_ENTRY, data: held }]);
    this.#held.push(held);
  }

  #now(): number {
    return this.#seat.ports.clock.now();
  }
}

function updateOf(id: ShellOptions['id'], delta: string): AgentEvent {
  return { type: 'bash_execution_update', ...(id === undefined ? {} : { id }), delta };
}

function resultOf(outcome: BashResult): BashResult {
  const { output, exitCode, cancelled, truncated } = outcome;
  const { totalLines, totalBytes, outputLines, outputBytes, artifactId, fullOutputPath } = outcome;
  return {
    output,
    ...(exitCode === undefined ? {} : { exitCode }),
    cancelled,
    truncated,
    totalLines,
    totalBytes,
    outputLines,
    outputBytes,
    ...(artifactId === undefined ? {} : { artifactId }),
    ...(fullOutputPath === undefined ? {} : { fullOutputPath }),
  };
}

function messageOf(
  command: string,
  result: BashResult,
  options: ShellOptions,
  timestamp: number,
): BashExecutionMessage {
  return {
    role: 'bashExecution',
    command,
    output: result.output,
    ...(result.exitCode === undefined ? {} : { exitCode: result.exitCode }),
    cancelled: result.cancelled,
    truncated: result.truncated,
    ...(result.artifactId === undefined ? {} : { artifactId: result.artifactId }),
    ...(options.excludeFromContext ? { excludeFromContext: true } : {}),
    timestamp,
  };
}

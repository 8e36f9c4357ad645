// Runs shell commands of the host. The model gets their output with the next prompt.
import { createDeferred, Fault } from '../../base/index.ts';
import type { Shell, ShellHookResult, ShellOptions } from '../../contracts/index.ts';
import type { AgentEvent, BashExecutionMessage, BashResult, EntryBody } from '../../protocol/index.ts';
import { withAbortFallback } from '../agent/take-until-aborted.ts';
import { LiveOutput } from './live-output.ts';
import { type HeldItem, SHELL_ENTRY } from './restore-state.ts';
import type { SessionState } from './session-state.ts';

export class ShellFacet implements Shell {
  readonly #state: SessionState;
  readonly #isRunning: () => boolean;
  /** Each with a promise that resolves when its message is stored. */
  readonly #running = new Map<AbortController, Promise<void>>();
  /** Messages of commands that finished during a run. They are added to the conversation with the next prompt. */
  #held: HeldItem[] = [];
  #isClosed = false;

  constructor(state: SessionState, isRunning: () => boolean) {
    this.#state = state;
    this.#isRunning = isRunning;
  }

  get isRunning(): boolean {
    return this.#running.size > 0;
  }

  get heldMessages(): readonly BashExecutionMessage[] {
    return this.#held.map((held) => held.message);
  }

  async run(command: string, options: ShellOptions = {}): Promise<BashResult> {
    if (this.#isClosed) throw new Fault('storage', 'The session is closed.', { details: { reason: 'closed' } });
    const liveOutput = new LiveOutput((delta) => this.#state.broadcast.emit(createUpdateEvent(options.id, delta)));
    const controller = new AbortController();
    const recorded = createDeferred();
    this.#running.set(controller, recorded.promise);
    const { conversation } = this.#state;
    try {
      const outcome = await this.#execute(command, options, { signal: controller.signal, liveOutput });
      await liveOutput.waitUntilShown();
      const result = toBashResult(outcome);
      // `reset` aborts commands without waiting for them, so the conversation may have been replaced.
      if (conversation === this.#state.conversation)
        await this.#recordMessage(createShellMessage(command, result, options, this.#now()));
      return result;
    } finally {
      this.#running.delete(controller);
      recorded.resolve();
    }
  }

  async #execute(
    command: string,
    { excludeFromContext = false }: ShellOptions,
    { signal, liveOutput }: { signal: AbortSignal; liveOutput: LiveOutput },
  ): Promise<BashResult> {
    const { artifacts, hooks, ports } = this.#state;
    const { runShell, cwd } = this.#state.options;
    const hookCall = hooks.shell?.({ command, cwd, excludeFromContext });
    const hookResult =
      hookCall &&
      (await withAbortFallback<ShellHookResult | undefined>(hookCall, () => undefined, signal, ports.clock));
    if (hookResult && 'result' in hookResult) return hookResult.result;
    const onOutput = (text: string) => liveOutput.add(text);
    return runShell({ command, cwd, signal, artifacts, artifactName: 'bash', onOutput, execute: hookResult?.execute });
  }

  abort(): void {
    for (const controller of this.#running.keys()) controller.abort();
  }

  /** Aborts every command. Resolves when their messages are in the conversation, so that it can be closed. */
  async stopAll(): Promise<void> {
    this.abort();
    await Promise.all(this.#running.values());
  }

  /** From now on no command starts. */
  close(): void {
    this.#isClosed = true;
    this.abort();
  }

  /** Takes the held messages. The caller commits `bodies`, or calls `restore` if that fails. */
  takeHeld(): { bodies: EntryBody[]; restore(): void } {
    const taken = this.#held;
    this.#held = [];
    return {
      bodies: taken.map(({ id, message }) => ({ type: 'message', message, queueId: id })),
      restore: () => {
        this.#held = [...taken, ...this.#held];
      },
    };
  }

  get heldItems(): readonly HeldItem[] {
    return this.#held;
  }

  reset(held: readonly HeldItem[]): void {
    this.abort();
    this.#held = [...held];
  }

  async #recordMessage(message: BashExecutionMessage): Promise<void> {
    const { conversation } = this.#state;
    if (!this.#isRunning()) {
      await conversation.commit([{ type: 'message', message }]);
      return;
    }
    const held = { id: this.#state.ports.ids.entryId(), message };
    await conversation.commit([{ type: 'custom', customType: SHELL_ENTRY, data: held }]);
    this.#held.push(held);
  }

  #now(): number {
    return this.#state.ports.clock.now();
  }
}

function createUpdateEvent(id: ShellOptions['id'], delta: string): AgentEvent {
  return { type: 'bash_execution_update', ...(id === undefined ? {} : { id }), delta };
}

function toBashResult(outcome: BashResult): BashResult {
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

function createShellMessage(
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

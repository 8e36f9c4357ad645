// Compacts the conversation, manually or automatically. An abort at any time leaves the conversation unchanged.
import { createDeferred, Fault, getErrorMessage } from '../../base/index.ts';
import type { Compaction, CompactionCause } from '../../contracts/index.ts';
import type { AssistantMessage, CompactionResult, ProviderFailure } from '../../protocol/index.ts';
import { estimateContextTokens } from '../compaction/tokens.ts';
import { COMPACTION_TOO_SMALL, isNearlyFull, isOverflow } from '../policy/compaction-policy.ts';
import type { RequestBuilder } from './request-builder.ts';
import type { Checkpoint } from './restore-state.ts';
import type { CompactionRequest } from './run-compaction.ts';
import type { SessionState } from './session-state.ts';

/** More compactions would not help a conversation that still overflows. */
const MAX_OVERFLOW_COMPACTIONS = 2;
const OVERFLOW_REMEDY = 'Use a model with a larger context window, or start a new session.';

export interface CompactionPorts {
  abortRun(): Promise<void>;
  /** The session state from the part of the log that is no longer read after the compaction. */
  createCheckpoint(): Checkpoint;
}

type CompactOptions = NonNullable<Parameters<Compaction['compact']>[1]>;

export class CompactionFacet implements Compaction {
  isAutomatic: boolean;
  readonly #state: SessionState;
  readonly #requestBuilder: RequestBuilder;
  readonly #ports: CompactionPorts;
  #current: { controller: AbortController; ended: Promise<void> } | undefined;
  #providerFailure: ProviderFailure | undefined;
  /** Compactions after an overflow since the last prompt or successful answer. */
  overflowCount = 0;
  /** The summary of the current compaction comes from a hook. */
  #isFromHook = false;

  constructor(state: SessionState, requestBuilder: RequestBuilder, ports: CompactionPorts) {
    this.#state = state;
    this.#requestBuilder = requestBuilder;
    this.#ports = ports;
    this.isAutomatic = state.options.compaction.enabled;
  }

  get isRunning(): boolean {
    return this.#current !== undefined;
  }

  /** Resolves when the compaction in progress is over. */
  get whenEnded(): Promise<void> | undefined {
    return this.#current?.ended;
  }

  async compact(customInstructions?: string, { keepMessages }: CompactOptions = {}): Promise<CompactionResult> {
    await this.#ports.abortRun();
    const { emit } = this.#state.broadcast;
    const reason = 'manual';
    return this.#runExclusively(undefined, async (signal) => {
      await emit({ type: 'compaction_start', reason });
      try {
        const result = await this.#run(signal, { reason, willRetry: false }, { customInstructions, keepMessages });
        await emit({ type: 'compaction_end', reason, result, aborted: false, willRetry: false });
        return result;
      } catch (thrown) {
        const outcome = buildFailureOutcome(thrown, getErrorMessage);
        await emit({ type: 'compaction_end', reason, ...outcome });
        await this.#notifyFailed({ reason, willRetry: false }, outcome);
        throw thrown;
      }
    });
  }

  async abort(): Promise<void> {
    this.#current?.controller.abort();
    await this.#current?.ended;
  }

  onAnswer(message: AssistantMessage, providerFailure: ProviderFailure | undefined): void {
    this.#providerFailure = providerFailure;
    if (message.stopReason !== 'error' && message.stopReason !== 'aborted') this.overflowCount = 0;
  }

  /** A new prompt may try overflow recovery again. */
  onPrompt(): void {
    this.overflowCount = 0;
  }

  /** True if the request was too long and a compaction may help. */
  canRecover(answer: AssistantMessage): boolean {
    return this.canCompactAgain && isOverflow(answer, this.#providerFailure);
  }

  get canCompactAgain(): boolean {
    return this.isAutomatic && this.overflowCount < MAX_OVERFLOW_COMPACTIONS;
  }

  /** Compacts after an overflow. Returns true if the refused request should be sent again. */
  async recoverFromOverflow(run: AbortSignal): Promise<boolean> {
    this.overflowCount++;
    return this.#compactAutomatically('overflow', run);
  }

  /** Reports that the request is still too long after the maximum number of compactions. */
  reportRecoveryFailure(answer: AssistantMessage): void {
    if (!this.#isOverflow(answer) || this.overflowCount < MAX_OVERFLOW_COMPACTIONS) return;
    const errorMessage = `Context overflow recovery failed: after ${MAX_OVERFLOW_COMPACTIONS} compactions the conversation is still too long for the model. ${OVERFLOW_REMEDY}`;
    const end = { type: 'auto_compaction_end', result: null, aborted: false, willRetry: false, errorMessage } as const;
    void this.#state.broadcast.emit(end);
  }

  #isOverflow(answer: AssistantMessage): boolean {
    return this.isAutomatic && isOverflow(answer, this.#providerFailure);
  }

  /** Called before and after a run. Compacts if the next answer might not fit. */
  async compactIfNeeded(run: AbortSignal): Promise<void> {
    const { conversation, options } = this.#state;
    const tokens = estimateContextTokens(conversation.path);
    if (!this.isAutomatic || !isNearlyFull(tokens, this.#requestBuilder.model, options.compaction)) return;
    const { canCompact } = await import('./run-compaction.ts');
    if (!canCompact({ state: this.#state, requestBuilder: this.#requestBuilder })) return;
    await this.#compactAutomatically('threshold', run);
  }

  async #compactAutomatically(reason: 'threshold' | 'overflow', run: AbortSignal): Promise<boolean> {
    const { emit } = this.#state.broadcast;
    const willRetry = reason === 'overflow';
    await emit({ type: 'auto_compaction_start', reason });
    try {
      const result = await this.#runExclusively(run, (signal) => this.#run(signal, { reason, willRetry }));
      await emit({ type: 'auto_compaction_end', result, aborted: false, willRetry });
      return willRetry;
    } catch (thrown) {
      const outcome = buildFailureOutcome(thrown, (cause) => explainFailure(reason, getErrorMessage(cause)));
      await emit({ type: 'auto_compaction_end', ...outcome });
      await this.#notifyFailed({ reason, willRetry }, outcome);
      return false;
    }
  }

  /** Allows one compaction at a time, and aborts it when its run is aborted. */
  async #runExclusively<T>(run: AbortSignal | undefined, operation: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (this.#current) throw new Fault('busy', 'Compaction is already in progress');
    const controller = new AbortController();
    const { promise, resolve } = createDeferred();
    this.#current = { controller, ended: promise };
    const stop = () => controller.abort();
    if (run?.aborted) stop();
    run?.addEventListener('abort', stop, { once: true });
    try {
      return await operation(controller.signal);
    } finally {
      run?.removeEventListener('abort', stop);
      this.#current = undefined;
      resolve();
    }
  }

  async #run(signal: AbortSignal, cause: CompactionCause, request: CompactionRequest = {}): Promise<CompactionResult> {
    this.#isFromHook = false;
    const { runCompaction } = await import('./run-compaction.ts');
    return runCompaction(
      {
        state: this.#state,
        requestBuilder: this.#requestBuilder,
        createCheckpoint: () => this.#ports.createCheckpoint(),
        onHookSummary: () => {
          this.#isFromHook = true;
        },
      },
      { ...request, signal, cause },
    );
  }

  async #notifyFailed(
    cause: CompactionCause,
    { aborted, errorMessage }: ReturnType<typeof buildFailureOutcome>,
  ): Promise<void> {
    const failure = { aborted, ...(errorMessage === undefined ? {} : { errorMessage }) };
    const event = { type: 'session_compact_failed', ...cause, ...failure, fromExtension: this.#isFromHook } as const;
    await this.#state.hooks.onLifecycleEvent?.(event);
  }
}

/** An abort has no error message. */
function buildFailureOutcome(
  thrown: unknown,
  describe: (cause: unknown) => string,
): { result: null; aborted: boolean; willRetry: false; errorMessage?: string } {
  const aborted = thrown instanceof Fault && thrown.code === 'aborted';
  return { result: null, aborted, willRetry: false, ...(aborted ? {} : { errorMessage: describe(thrown) }) };
}

function explainFailure(reason: 'threshold' | 'overflow', cause: string): string {
  if (reason === 'threshold') return `Auto-compaction failed: ${cause}`;
  if (cause !== COMPACTION_TOO_SMALL) return `Context overflow recovery failed: ${cause}`;
  return `Context overflow recovery failed: the newest part of the conversation alone is too long for the model. ${OVERFLOW_REMEDY}`;
}

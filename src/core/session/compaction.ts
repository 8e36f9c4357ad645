// First floor, core: makes the conversation shorter without forgetting it. Aborting at any instant leaves it as it was.
import { deferred, Fault, messageOf } from '../../base/index.ts';
import type { Compaction } from '../../contracts/index.ts';
import type { AssistantMessage, CompactionResult, Failure } from '../../protocol/index.ts';
import { orAfterAbort } from '../agent/until-aborted.ts';
import type { Cut } from '../compaction/cut.ts';
import { contextTokens } from '../compaction/tokens.ts';
import type { Planned } from '../compaction/writing.ts';
import { CANCELLED, isNearlyFull, isOverflow, keep, reserve } from '../policy/compaction.ts';
import { messageOf as spokenIn } from '../tree/context-path.ts';
import type { Asking } from './asking.ts';
import { CHECKPOINT_ENTRY, type Checkpoint } from './restored.ts';
import type { Seat } from './seat.ts';

const TOO_SMALL = 'Nothing to compact (session too small)';
/** A conversation that still overflows after this many compactions will not fit by another one. */
const MOST_FOR_ONE_OVERFLOW = 2;
const WAY_OUT = 'Use a model with a larger context window, or start a new session.';

export interface CompactionPorts {
  endRun(): Promise<void>;
  /** What the part of the log that will not be read again said last. */
  checkpoint(): Checkpoint;
}

type KeepOptions = NonNullable<Parameters<Compaction['compact']>[1]>;

export class CompactionFacet implements Compaction {
  automatic: boolean;
  readonly #seat: Seat;
  readonly #asking: Asking;
  readonly #ports: CompactionPorts;
  #current: { controller: AbortController; over: Promise<void> } | undefined;
  #failure: Failure | undefined;
  /** Compactions since the last prompt or answer that fitted. */
  #forOverflow = 0;

  constructor(seat: Seat, asking: Asking, ports: CompactionPorts) {
    this.#seat = seat;
    this.#asking = asking;
    this.#ports = ports;
    this.automatic = seat.options.compaction.enabled;
  }

  get isRunning(): boolean {
    return this.#current !== undefined;
  }

  /** Resolves when the compaction in progress is over. */
  get ended(): Promise<void> | undefined {
    return this.#current?.over;
  }

  async compact(customInstructions?: string, { keepMessages }: KeepOptions = {}): Promise<CompactionResult> {
    await this.#ports.endRun();
    const { emit } = this.#seat.broadcast;
    const reason = 'manual';
    return this.#exclusively(undefined, async (signal) => {
      await emit({ type: 'compaction_start', reason });
      try {
        const result = await this.#run(signal, customInstructions, keepMessages);
        await emit({ type: 'compaction_end', reason, result, aborted: false, willRetry: false });
        return result;
      } catch (thrown) {
        await emit({ type: 'compaction_end', reason, ...withoutResult(thrown, messageOf) });
        throw thrown;
      }
    });
  }

  async abort(): Promise<void> {
    this.#current?.controller.abort();
    await this.#current?.over;
  }

  /** Told of every answer. */
  answered(message: AssistantMessage, failure: Failure | undefined): void {
    this.#failure = failure;
    if (message.stopReason !== 'error' && message.stopReason !== 'aborted') this.#forOverflow = 0;
  }

  /** Something new is asked: what failed before is no reason not to try. */
  prompted(): void {
    this.#forOverflow = 0;
  }

  /** The request did not fit, and shortening the conversation may help. */
  canRecover(answer: AssistantMessage): boolean {
    return this.#overflowed(answer) && this.#forOverflow < MOST_FOR_ONE_OVERFLOW;
  }

  /** Shortens after an overflow. `true`: the refused request is worth sending again. */
  async recover(run: AbortSignal): Promise<boolean> {
    this.#forOverflow++;
    return this.#automatically('overflow', run);
  }

  /** Says why it ends here, when the request still does not fit after all that could be done. */
  giveUp(answer: AssistantMessage): void {
    if (!this.#overflowed(answer) || this.#forOverflow < MOST_FOR_ONE_OVERFLOW) return;
    const errorMessage = `Context overflow recovery failed: after ${MOST_FOR_ONE_OVERFLOW} compactions the conversation is still too long for the model. ${WAY_OUT}`;
    const end = { type: 'auto_compaction_end', result: null, aborted: false, willRetry: false, errorMessage } as const;
    void this.#seat.broadcast.emit(end);
  }

  #overflowed(answer: AssistantMessage): boolean {
    return this.automatic && isOverflow(answer, this.#failure);
  }

  /** After a run, or before one: shortens when the next answer might not fit. */
  async keepRoom(run: AbortSignal): Promise<void> {
    const { conversation, options } = this.#seat;
    const tokens = contextTokens(conversation.path);
    if (!this.automatic || !isNearlyFull(tokens, this.#asking.model, options.compaction)) return;
    if (this.#isCompacted() || !(await this.#cut())) return;
    await this.#automatically('threshold', run);
  }

  async #automatically(reason: 'threshold' | 'overflow', run: AbortSignal): Promise<boolean> {
    const { emit } = this.#seat.broadcast;
    await emit({ type: 'auto_compaction_start', reason });
    try {
      const result = await this.#exclusively(run, (signal) => this.#run(signal));
      const willRetry = reason === 'overflow';
      await emit({ type: 'auto_compaction_end', result, aborted: false, willRetry });
      return willRetry;
    } catch (thrown) {
      const outcome = withoutResult(thrown, (cause) => explain(reason, messageOf(cause)));
      await emit({ type: 'auto_compaction_end', ...outcome });
      return false;
    }
  }

  /** One at a time, and never longer than the run that it belongs to. */
  async #exclusively<T>(run: AbortSignal | undefined, act: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (this.#current) throw new Fault('busy', 'Compaction is already in progress');
    const controller = new AbortController();
    const { promise, resolve } = deferred();
    this.#current = { controller, over: promise };
    const stop = () => controller.abort();
    if (run?.aborted) stop();
    run?.addEventListener('abort', stop, { once: true });
    try {
      return await act(controller.signal);
    } finally {
      run?.removeEventListener('abort', stop);
      this.#current = undefined;
      resolve();
    }
  }

  /** Nothing that the model is given has been said since the last time. */
  #isCompacted(): boolean {
    return this.#seat.conversation.path.findLast((entry) => spokenIn(entry).length > 0)?.type === 'compaction';
  }

  async #cut(keepMessages?: number): Promise<Cut | undefined> {
    const { model } = this.#asking;
    const { compaction } = this.#seat.options;
    const { findCut } = await import('../compaction/cut.ts');
    if (keepMessages !== undefined) return findCut(this.#seat.conversation.path, keepMessages, () => 1);
    return findCut(this.#seat.conversation.path, model ? keep(model, compaction) : compaction.keepRecentTokens);
  }

  async #run(signal: AbortSignal, customInstructions?: string, keepMessages?: number): Promise<CompactionResult> {
    await this.#asking.ready();
    const { conversation } = this.#seat;
    if (this.#isCompacted()) throw new Fault('refused', 'Already compacted');
    const cut = await this.#cut(keepMessages);
    if (!cut) throw new Fault('refused', TOO_SMALL);
    const tokensBefore = contextTokens(conversation.path);
    const planned = { cut, tokensBefore, customInstructions, signal };
    const supplied = await this.#supplied(planned);
    const result = supplied ?? (await this.#written(planned));
    if (signal.aborted) throw new Fault('aborted', CANCELLED);
    const { usage, ...kept } = result;
    await conversation.commit([
      { type: 'compaction', ...kept },
      { type: 'custom', customType: CHECKPOINT_ENTRY, data: this.#ports.checkpoint() },
    ]);
    await this.#tell(supplied !== undefined);
    return { ...kept, estimatedTokensAfter: contextTokens(conversation.path), ...(usage ? { usage } : {}) };
  }

  /** What others would rather have in the place of our summary. */
  async #supplied({ cut, ...planned }: Planned): Promise<CompactionResult | undefined> {
    const { hooks, conversation, ports } = this.#seat;
    if (!hooks.beforeCompact) return undefined;
    const asked = hooks.beforeCompact({
      ...planned,
      firstKeptEntryId: cut.firstKeptEntryId,
      messagesToSummarize: cut.summarised,
      turnPrefixMessages: cut.turnPrefix,
      previousSummary: cut.previousSummary,
      branchEntries: [...conversation.path],
    });
    const verdict = await orAfterAbort(asked, () => undefined, planned.signal, ports.clock);
    if (verdict && 'cancel' in verdict) throw new Fault('aborted', CANCELLED);
    if (verdict && !conversation.path.some((entry) => entry.id === verdict.compaction.firstKeptEntryId)) {
      throw new Fault('refused', `No entry to keep from has the id ${verdict.compaction.firstKeptEntryId}`);
    }
    return verdict?.compaction;
  }

  async #written(planned: Planned): Promise<CompactionResult> {
    const { options } = this.#seat;
    const { model } = this.#asking;
    const { writeSummary } = await import('../compaction/writing.ts');
    return writeSummary(planned, {
      tools: await options.tools(),
      reserveTokens: model ? reserve(model, options.compaction) : undefined,
      ask: (question) => this.#asking.askOnce(question),
    });
  }

  async #tell(fromExtension: boolean): Promise<void> {
    const { hooks, conversation } = this.#seat;
    const compactionEntry = conversation.path.findLast((entry) => entry.type === 'compaction');
    if (compactionEntry) await hooks.observe?.({ type: 'session_compact', compactionEntry, fromExtension });
  }
}

/** Nobody needs to be told why, when they wanted it to stop. */
function withoutResult(thrown: unknown, explained: (cause: unknown) => string) {
  const aborted = thrown instanceof Fault && thrown.code === 'aborted';
  return { result: null, aborted, willRetry: false, ...(aborted ? {} : { errorMessage: explained(thrown) }) };
}

/** What a person can do about it. */
function explain(reason: 'threshold' | 'overflow', cause: string): string {
  if (reason === 'threshold') return `Auto-compaction failed: ${cause}`;
  if (cause !== TOO_SMALL) return `Context overflow recovery failed: ${cause}`;
  return `Context overflow recovery failed: the newest part of the conversation alone is too long for the model. ${WAY_OUT}`;
}

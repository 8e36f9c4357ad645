// Starts, queues and aborts runs. One run at a time; every accepted prompt ends with a terminal event.
import { Fault } from '../../base/index.ts';
import type {
  ContinueRequest,
  CustomMessageOptions,
  QueueRequest,
  RunRequest,
  Runs,
  UserInput,
} from '../../contracts/index.ts';
import { type CustomMessage, extractText, type UserMessage } from '../../protocol/index.ts';
import { RUN_END_ENTRY } from '../../protocol/run-progress.ts';
import type { RunScope } from '../agent/run-scope.ts';
import { isRunOpen } from '../tree/is-run-open.ts';
import type { AcceptedPrompt, AcceptPromptDependencies } from './accept-prompt.ts';
import { type ActiveRun, createActiveRun } from './active-run.ts';
import type { RunScopeDependencies } from './create-run-scope.ts';
import type { InputPipeline } from './input-pipeline.ts';
import { PendingPrompts } from './pending-prompts.ts';
import type { RunDependencies } from './run-prompt.ts';
import { createUserMessage, hasImages, validateInput } from './user-input.ts';

const BUSY = `Agent is already processing. Specify streamingBehavior ('steer' or 'followUp') to queue the message.`;
const BUSY_CONTINUE =
  'A run is in progress. continue_run continues a run that was interrupted by the end of the program.';

type StartRun = typeof import('./start-run.ts');

interface RunFacetDependencies extends RunScopeDependencies, AcceptPromptDependencies {
  inputPipeline: InputPipeline;
}

export class RunFacet implements Runs {
  readonly #dependencies: RunFacetDependencies;
  #active: ActiveRun | undefined;
  /** Custom messages that are delivered after the next prompt. */
  #nextTurnMessages: CustomMessage[] = [];
  readonly #pendingPrompts = new PendingPrompts(() => this.#announceSettled());
  #isClosed = false;
  /** A run has ended, and `session_settled` is not yet sent. */
  #isSettledDue = false;

  constructor(dependencies: RunFacetDependencies) {
    this.#dependencies = dependencies;
    dependencies.state.onLost = () => this.#active?.controller.abort();
  }

  get isRunning(): boolean {
    return this.#active !== undefined && !this.#active.isEnding;
  }

  get isSettled(): boolean {
    return this.#active === undefined;
  }

  get isInterrupted(): boolean {
    return this.#active === undefined && isRunOpen(this.#dependencies.state.conversation.lazyPath);
  }

  /** The run goes on although its log looks finished: a process that takes it over must know. */
  get needsNextStep(): boolean {
    const { log, path } = this.#dependencies.state.conversation;
    const isActive = this.#active && !this.#active.controller.signal.aborted;
    return isActive === true && log.canBeTakenOver === true && !isRunOpen(path);
  }

  get signal(): AbortSignal | undefined {
    return this.#active?.controller.signal;
  }

  async prompt(rawRequest: RunRequest): Promise<void> {
    validateInput(rawRequest);
    const { inputPipeline } = this.#dependencies;
    const markStarted = this.#pendingPrompts.add(rawRequest.source);
    const { extensionPromptCount } = this.#pendingPrompts;
    try {
      const request = hasImages(rawRequest) ? await inputPipeline.validateImages(rawRequest) : rawRequest;
      const processed = inputPipeline.isPassThrough ? request : await inputPipeline.run(request, 'prompt');
      if (processed) await this.#startOrQueue(processed, markStarted);
      else {
        markStarted();
        await this.#reportHandled(request, extensionPromptCount);
      }
    } finally {
      markStarted();
    }
  }

  /** If the extension that handled the prompt has prompted the model, the outcome is that of the run. */
  async #reportHandled({ onOutcome }: RunRequest, extensionPromptCount: number): Promise<void> {
    if (this.#pendingPrompts.extensionPromptCount > extensionPromptCount) {
      await this.#pendingPrompts.waitForExtensionPrompts();
      if (this.#active) return this.#dependencies.outcomes.addToRun(onOutcome);
    }
    this.#dependencies.outcomes.reportNotInvoked(onOutcome, { status: 'completed' });
  }

  #announceSettled(): void {
    if (!this.#isSettledDue || this.#active || !this.#pendingPrompts.isEmpty) return;
    this.#isSettledDue = false;
    void this.#dependencies.state.broadcast.emit({ type: 'session_settled' });
  }

  async #startOrQueue(request: RunRequest, markStarted: () => void): Promise<void> {
    this.#dependencies.limits.assertWithinBudget();
    await this.#waitUntilFree(request);
    if (this.#active) return this.#queuePrompt(request);
    await this.#startPromptRun(this.#createUserMessage(request), request, markStarted);
  }

  /**
   * Waits for a run that is aborted or ending, and for a compaction: these do not refuse a prompt. A prompt that may be
   * queued does not wait for an ending run: it is queued and stored immediately.
   */
  async #waitUntilFree(request: Pick<RunRequest, 'streamingBehavior' | 'onDelayed'>): Promise<void> {
    const { compaction } = this.#dependencies;
    for (;;) {
      const run = this.#active;
      const isAborted = run?.controller.signal.aborted ?? false;
      if (!isAborted && (run ? !run.isEnding || request.streamingBehavior : !compaction.isRunning)) return;
      // A compaction can take as long as a model request. `abort` must not wait behind this prompt.
      if (!isAborted) request.onDelayed?.();
      run?.announceWaitingPrompt();
      await (run?.whenEnded ?? compaction.whenEnded);
    }
  }

  async continueInterrupted(request: ContinueRequest): Promise<void> {
    const { limits, state } = this.#dependencies;
    const markStarted = this.#pendingPrompts.add(undefined);
    try {
      const { acceptContinuation, NOTHING_TO_CONTINUE } = await import('./accept-continuation.ts');
      await this.#waitUntilFree(request);
      if (this.#active) throw new Fault('busy', BUSY_CONTINUE);
      if (!isRunOpen(state.conversation.path)) throw new Fault('refused', NOTHING_TO_CONTINUE);
      limits.assertWithinBudget();
      await this.#startRun(() => acceptContinuation(this.#dependencies, request), markStarted);
    } finally {
      markStarted();
    }
  }

  #startPromptRun(
    message: UserMessage | CustomMessage,
    request: RunRequest,
    markStarted: () => void = () => {},
  ): Promise<void> {
    return this.#startRun(({ acceptPrompt }) => acceptPrompt(this.#dependencies, message, request), markStarted);
  }

  async #startRun(accept: (module: StartRun) => Promise<AcceptedPrompt>, markStarted: () => void): Promise<void> {
    if (this.#isClosed) throw new Fault('storage', 'The session is closed.', { details: { reason: 'closed' } });
    const run = createActiveRun();
    // Set before the first await, so that a second prompt in the same chunk of input finds this run active.
    this.#active = run;
    markStarted();
    const { state, requestBuilder } = this.#dependencies;
    let scope: RunScope;
    let acceptedPrompt: AcceptedPrompt;
    let startRun: StartRun;
    try {
      const { beforeAccept } = state.hooks;
      if (beforeAccept) await beforeAccept({ cwd: state.options.cwd });
      const ready = requestBuilder.ensureReady();
      // Awaited below; until then a failure must not count as unhandled.
      ready.catch(() => {});
      startRun = await import('./start-run.ts');
      scope = await startRun.createRunScope(this.#dependencies, run);
      await ready;
      acceptedPrompt = await accept(startRun);
    } catch (error) {
      this.#active = undefined;
      run.resolveEnded();
      throw error;
    }
    const { input, hasHookMessage } = acceptedPrompt;
    const { createDelivery, prepareRun, runPrompt } = startRun;
    const nextTurnDeliveries = this.#nextTurnMessages.splice(0).map((custom) => createDelivery(state, custom));
    const prepared = await prepareRun(state, requestBuilder, input, run.controller.signal);
    run.systemPrompt = prepared.systemPrompt;
    const hookDeliveries = prepared.deliveries.filter(({ message }) => !hasHookMessage?.(message));
    const deliveries = [...acceptedPrompt.deliveries, ...nextTurnDeliveries, ...hookDeliveries];
    await runPrompt(this.#createRunDependencies(run, scope), { ...acceptedPrompt, deliveries }, run.resolveEnded);
  }

  #createRunDependencies(run: ActiveRun, scope: RunScope): RunDependencies {
    const { state, retry, compaction, limits, rules, todos, queues, outcomes } = this.#dependencies;
    const recordEnd = () =>
      state.conversation.record(() =>
        isRunOpen(state.conversation.path) ? [{ type: 'custom', customType: RUN_END_ENTRY }] : [],
      );
    return {
      ...{ scope, state, retry, compaction, limits, rules, todos, outcomes, recordEnd },
      abort: () => run.controller.abort(),
      setEnding(isEnding) {
        run.isEnding = isEnding;
      },
      whenPromptWaits: run.whenPromptWaits,
      async beforeSettle(outcome) {
        const { runBeforeSettle } = await import('./settle-boundary.ts');
        return runBeforeSettle(state, outcome, run.controller.signal);
      },
      markFinished: () => {
        this.#active = undefined;
        // A message may have been queued since the end was recorded. It waits for the next prompt.
        if (state.conversation.log.canBeTakenOver) void recordEnd();
        queues.markOverdue();
      },
      reportOutcomes: () => {
        outcomes.report(this.#pendingPrompts.isEmpty);
        this.#isSettledDue = true;
        this.#announceSettled();
      },
    };
  }

  async sendCustomMessage(
    message: CustomMessage,
    { deliverAs, triggerTurn, onAccepted }: CustomMessageOptions = {},
  ): Promise<void> {
    const { queues, limits, state } = this.#dependencies;
    if (deliverAs === 'nextTurn') {
      this.#nextTurnMessages.push(message);
      return;
    }
    while (this.#active?.controller.signal.aborted) await this.#active.whenEnded;
    if (this.#active) return queues.add(deliverAs ?? 'steer', message);
    if (triggerTurn) {
      limits.assertWithinBudget();
      return this.#startPromptRun(message, { message: extractText(message.content), onAccepted: () => onAccepted?.() });
    }
    const { toEntryBody } = await import('./start-run.ts');
    await state.conversation.commit([toEntryBody(message)]);
    await state.broadcast.emit({ type: 'message_start', message });
    await state.broadcast.emit({ type: 'message_end', message });
  }

  async abortAndPrompt(request: RunRequest): Promise<void> {
    validateInput(request);
    if (hasImages(request)) await this.#dependencies.inputPipeline.validateImages(request);
    this.#dependencies.limits.assertWithinBudget();
    const markStarted = this.#pendingPrompts.add(request.source);
    try {
      await this.abort();
      // Not awaited here: the new prompt is pending before this one is removed.
      const prompted = this.prompt(request);
      markStarted();
      await prompted;
    } finally {
      markStarted();
    }
  }

  async steer(input: QueueRequest): Promise<void> {
    await this.#enqueue('steer', input);
  }

  async followUp(input: QueueRequest): Promise<void> {
    await this.#enqueue('followUp', input);
  }

  async abort(): Promise<void> {
    this.#dependencies.inputPipeline.abort();
    const run = this.#active;
    if (!run) return this.#dependencies.compaction.abort();
    run.controller.abort();
    await run.whenEnded;
  }

  /** From now on no run starts, also none for a prompt that waits. */
  close(): void {
    this.#isClosed = true;
  }

  async waitUntilSettled(): Promise<void> {
    while (this.#active) await this.#active.whenEnded;
  }

  async #enqueue(kind: 'steer' | 'followUp', rawInput: QueueRequest): Promise<void> {
    validateInput(rawInput);
    const { inputPipeline, queues, limits } = this.#dependencies;
    const input = hasImages(rawInput) ? await inputPipeline.validateImages(rawInput) : rawInput;
    const processed = inputPipeline.isPassThrough ? input : await inputPipeline.run(input, kind);
    if (!processed) return;
    limits.assertWithinBudget();
    await queues.add(kind, this.#createUserMessage(processed), processed);
  }

  async #queuePrompt(request: RunRequest): Promise<void> {
    if (request.streamingBehavior === undefined) throw new Fault('busy', BUSY);
    await this.#dependencies.queues.add(request.streamingBehavior, this.#createUserMessage(request), request);
  }

  #createUserMessage(input: UserInput): UserMessage {
    return createUserMessage(input, this.#dependencies.state.ports.clock.now());
  }
}

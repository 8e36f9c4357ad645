// First floor, core: when a run begins and how it ends. One at a time; every accepted prompt ends in a terminal event.
import { deferred, Fault } from '../../base/index.ts';
import type { RunRequest, Runs, SendOptions, Subagents, ToolChoice, UserInput } from '../../contracts/index.ts';
import {
  type AgentMessage,
  type AssistantMessage,
  type CustomMessage,
  textOf,
  type UserMessage,
} from '../../protocol/index.ts';
import { failed, nextDue, runTurns, withSteering } from '../agent/loop.ts';
import type { Delivery, RunScope } from '../agent/scope.ts';
import type { Asking } from './asking.ts';
import type { CompactionFacet } from './compaction.ts';
import type { Entrance } from './entrance.ts';
import type { LimitFacet } from './limits.ts';
import { deliveryOf, entryOf, prepareRun } from './preparation.ts';
import type { QueueFacet } from './queues.ts';
import type { RetryFacet } from './retry.ts';
import type { Seat } from './seat.ts';
import type { ShellFacet } from './shell.ts';
import { expectWords, userMessage } from './user-input.ts';

const BUSY = `Agent is already processing. Specify streamingBehavior ('steer' or 'followUp') to queue the message.`;

interface ActiveRun {
  readonly controller: AbortController;
  /** In the place of the session's own, for this run. */
  systemPrompt?: string | undefined;
  /** Resolves after the run's last event. */
  readonly ended: Promise<void>;
  end(): void;
}

interface RunParts {
  seat: Seat;
  entrance: Entrance;
  queues: QueueFacet;
  shell: ShellFacet;
  tools: Pick<ToolChoice, 'active'>;
  asking: Asking;
  retry: RetryFacet;
  compaction: CompactionFacet;
  limits: LimitFacet;
  subagents: Subagents | undefined;
}

export class RunFacet implements Runs {
  readonly #parts: RunParts;
  #active: ActiveRun | undefined;
  /** Words of others that go in behind the next prompt. */
  #behindNext: CustomMessage[] = [];

  constructor(parts: RunParts) {
    this.#parts = parts;
  }

  get isRunning(): boolean {
    return this.#active !== undefined;
  }

  async prompt(request: RunRequest): Promise<void> {
    expectWords(request);
    const { entrance } = this.#parts;
    const admitted = entrance.isOpen ? request : await entrance.pass(request, 'prompt');
    if (admitted) await this.#begin(admitted);
  }

  async #begin(request: RunRequest): Promise<void> {
    this.#parts.limits.refuse();
    // A run that was told to stop is as good as over: wait for its last event instead of refusing.
    while (this.#active?.controller.signal.aborted) await this.#active.ended;
    if (this.#active) return this.#enqueueInstead(request);
    await this.#launch(this.#userMessage(request), request);
  }

  async #launch(message: UserMessage | CustomMessage, request: RunRequest): Promise<void> {
    // Claimed before the first await, so that a second prompt in the same write sees this one as running.
    const run = this.#claim();
    const { seat, asking } = this.#parts;
    let scope: RunScope;
    let delivery: Delivery;
    try {
      [scope] = await Promise.all([this.#scope(run), asking.ready()]);
      delivery = await this.#keep(message);
    } catch (refusal) {
      this.#release(run);
      throw refusal;
    }
    request.accepted();
    const waited = this.#behindNext.splice(0).map((custom) => deliveryOf(seat, custom));
    const { deliveries, systemPrompt } = await prepareRun(seat, asking, request, run.controller.signal);
    run.systemPrompt = systemPrompt;
    await this.#drive(run, scope, [delivery, ...waited, ...deliveries]);
  }

  async send(message: CustomMessage, { deliverAs, triggerTurn }: SendOptions = {}): Promise<void> {
    const { queues, limits, seat } = this.#parts;
    if (deliverAs === 'nextTurn') {
      this.#behindNext.push(message);
      return;
    }
    while (this.#active?.controller.signal.aborted) await this.#active.ended;
    if (this.#active) return queues.add(deliverAs ?? 'steer', message);
    if (triggerTurn) {
      limits.refuse();
      return this.#launch(message, { message: textOf(message.content), accepted: () => {} });
    }
    await seat.conversation.commit([entryOf(message)]);
    await seat.broadcast.emit({ type: 'message_start', message });
    await seat.broadcast.emit({ type: 'message_end', message });
  }

  async abortAndPrompt(request: RunRequest): Promise<void> {
    expectWords(request);
    this.#parts.limits.refuse();
    await this.abort();
    await this.prompt(request);
  }

  async steer(input: UserInput): Promise<void> {
    await this.#enqueue('steer', input);
  }

  async followUp(input: UserInput): Promise<void> {
    await this.#enqueue('followUp', input);
  }

  async abort(): Promise<void> {
    this.#parts.entrance.abort();
    const run = this.#active;
    if (!run) return this.#parts.compaction.abort();
    run.controller.abort();
    await run.ended;
  }

  async settled(): Promise<void> {
    while (this.#active) await this.#active.ended;
  }

  async #enqueue(kind: 'steer' | 'followUp', input: UserInput): Promise<void> {
    expectWords(input);
    const { entrance, queues, limits } = this.#parts;
    const admitted = entrance.isOpen ? input : await entrance.pass(input, kind);
    if (!admitted) return;
    limits.refuse();
    await queues.add(kind, this.#userMessage(admitted));
  }

  async #enqueueInstead(request: RunRequest): Promise<void> {
    if (request.streamingBehavior === undefined) throw new Fault('busy', BUSY);
    await this.#parts.queues.add(request.streamingBehavior, this.#userMessage(request), () => request.accepted());
  }

  /** On the disk, with what the host's shell said before it. */
  async #keep(message: UserMessage | CustomMessage): Promise<Delivery> {
    const { seat, shell } = this.#parts;
    const held = shell.takeHeld();
    try {
      await seat.conversation.commit([...held.bodies, entryOf(message)]);
    } catch (problem) {
      held.putBack();
      throw problem;
    }
    return { message, store: async () => {} };
  }

  /** One run after another, for as long as something automatic is worth another attempt. */
  async #drive(run: ActiveRun, scope: RunScope, opening: readonly Delivery[]): Promise<void> {
    const { retry, compaction, seat, limits } = this.#parts;
    const { emit } = seat.broadcast;
    const { signal } = run.controller;
    limits.begin(() => run.controller.abort());
    compaction.prompted();
    await compaction.keepRoom(signal);
    let begin = () => withSteering(scope, opening);
    for (;;) {
      const made: AgentMessage[] = [];
      await emit({ type: 'agent_start' });
      const { answer, unforeseen } = await this.#untilDone(scope, begin(), made);
      begin = () => withSteering(scope, []);
      const mayGoOn = unforeseen === undefined && !signal.aborted && !limits.halted;
      const next = mayGoOn ? this.#continuation(answer) : undefined;
      if (next) {
        await emit({ type: 'agent_end', messages: made, willRetry: true });
        if (await next(signal)) continue;
      } else if (!failed(answer)) {
        await emit({ type: 'agent_end', messages: made, willRetry: false });
        if (!limits.halted) await compaction.keepRoom(signal);
      }
      // Whoever is being told that a prompt is queued must still hear this run's end.
      while (scope.arriving) await scope.arriving;
      const due = failed(answer) ? [] : nextDue(scope, true);
      begin = () => due;
      if (due.length > 0) continue;
      limits.end();
      // Since the queues were looked at nothing was awaited: what arrives from here on waits for the next prompt.
      this.#active = undefined;
      const waits = failed(answer) && !next ? [emit({ type: 'agent_end', messages: made, willRetry: false })] : [];
      if (!next) compaction.giveUp(answer);
      if (failed(answer)) retry.giveUp(answer.errorMessage ?? 'Unknown error');
      waits.push(emit({ type: 'agent_settled', aborted: signal.aborted }));
      run.end();
      await Promise.all(waits);
      if (unforeseen !== undefined) throw unforeseen;
      return;
    }
  }

  /** What follows a failed answer by itself; it resolves to whether the request is worth sending again. */
  #continuation(answer: AssistantMessage): ((signal: AbortSignal) => Promise<boolean>) | undefined {
    const { retry, compaction } = this.#parts;
    if (compaction.canRecover(answer)) return (signal) => compaction.recover(signal);
    return retry.isDue(answer) ? (signal) => retry.wait(answer, signal) : undefined;
  }

  /** Turns until nothing is due, looked at once more when everything has been told. */
  async #untilDone(
    scope: RunScope,
    opening: Delivery[],
    made: AgentMessage[],
  ): Promise<{ answer: AssistantMessage; unforeseen?: unknown }> {
    for (let due = opening; ; ) {
      const outcome = await this.#attempt(scope, due, made);
      while (scope.arriving) await scope.arriving;
      due = failed(outcome.answer) ? [] : nextDue(scope, true);
      if (due.length === 0) return outcome;
    }
  }

  /** Turns until the model stops; when the loop itself breaks, an answer that says so. */
  async #attempt(
    scope: RunScope,
    due: Delivery[],
    made: AgentMessage[],
  ): Promise<{ answer: AssistantMessage; unforeseen?: unknown }> {
    try {
      return { answer: await runTurns(scope, due, made) };
    } catch (unforeseen) {
      const answer = await this.#lastWords(scope, unforeseen);
      made.push(answer);
      return { answer, unforeseen };
    }
  }

  /** So that the run does not end without a word. */
  async #lastWords(scope: RunScope, thrown: unknown): Promise<AssistantMessage> {
    const message: AssistantMessage = {
      ...scope.blankAnswer(),
      stopReason: 'error',
      errorMessage: thrown instanceof Error ? thrown.message : String(thrown),
    };
    await scope.emit({ type: 'message_start', message });
    await scope.record(message);
    await scope.emit({ type: 'message_end', message });
    await scope.emit({ type: 'turn_end', message, toolResults: [] });
    return message;
  }

  async #scope(run: ActiveRun): Promise<RunScope> {
    const { seat, queues, asking, retry, compaction, limits, tools } = this.#parts;
    const { conversation, ports, options } = seat;
    return {
      signal: run.controller.signal,
      clock: ports.clock,
      emit: seat.broadcast.emit,
      hooks: seat.hooks,
      answered(message, failure) {
        compaction.answered(message, failure);
        return retry.answered(message, failure);
      },
      record: (message) => conversation.record([{ type: 'message', message }]),
      ask: () => asking.ask(run.controller.signal, run.systemPrompt),
      blankAnswer: () => asking.blankAnswer(),
      tools: new Map((await tools.active()).map((tool) => [tool.name, tool])),
      toolSurroundings: {
        cwd: options.cwd,
        ports,
        artifacts: seat.artifacts,
        options: options.toolOptions,
        subagents: this.#parts.subagents,
      },
      get arriving() {
        return queues.arriving;
      },
      takeSteering: () => queues.take('steer'),
      takeFollowUps: () => queues.take('followUp'),
      get hasSteering() {
        return queues.hasSteering;
      },
      get interruptMode() {
        return queues.interruptMode;
      },
      ...(limits.isNeeded ? { limits } : {}),
    };
  }

  #claim(): ActiveRun {
    const { promise, resolve } = deferred();
    const run = { controller: new AbortController(), ended: promise, end: resolve };
    this.#active = run;
    return run;
  }

  #release(run: ActiveRun): void {
    this.#active = undefined;
    run.end();
  }

  #userMessage(input: UserInput): UserMessage {
    return userMessage(input, this.#parts.seat.ports.clock.now());
  }
}

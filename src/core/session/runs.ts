// First floor, core: when a run begins and how it ends. One at a time; every accepted prompt ends in a terminal event.
import { deferred, Fault } from '../../base/index.ts';
import type {
  QueueRequest,
  RunRequest,
  Runs,
  SendOptions,
  Subagents,
  ToolChoice,
  UserInput,
} from '../../contracts/index.ts';
import {
  type AgentMessage,
  type CustomMessage,
  type EntryBody,
  textOf,
  type UserMessage,
} from '../../protocol/index.ts';
import type { Delivery, RunScope } from '../agent/scope.ts';
import type { Asking } from './asking.ts';
import type { CompactionFacet } from './compaction.ts';
import type { Entrance } from './entrance.ts';
import type { Limits } from './limits.ts';
import { deliveryOf, entryOf, prepareRun } from './preparation.ts';
import type { QueueFacet } from './queues.ts';
import type { RetryFacet } from './retry.ts';
import type { RuleFacet } from './rules.ts';
import type { Seat } from './seat.ts';
import type { ShellFacet } from './shell.ts';
import type { TodoFacet } from './todos.ts';
import { expectWords, hasImages, userMessage } from './user-input.ts';

const BUSY = `Agent is already processing. Specify streamingBehavior ('steer' or 'followUp') to queue the message.`;

interface ActiveRun {
  readonly controller: AbortController;
  /** In the place of the session's own, for this run. */
  systemPrompt?: string | undefined;
  /** The last agent_end is sent, or about to be: the host may prompt again. What remains is compaction and a check of the queues. */
  isEnding: boolean;
  /** Resolves when a prompt waits for the end of this run. */
  readonly awaited: Promise<void>;
  await(): void;
  /** Resolves after the run's last event. */
  readonly ended: Promise<void>;
  end(): void;
}

/** What a run begins with. */
interface Opening {
  readonly deliveries: readonly Delivery[];
  /** Steering that waits goes behind them in the first turn. */
  readonly takesSteering: boolean;
  /** The text for hooks that prepare the run. */
  readonly input: UserInput;
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
  limits: Limits;
  rules: RuleFacet;
  todos: TodoFacet;
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
    return this.#active !== undefined && !this.#active.isEnding;
  }

  get isSettled(): boolean {
    return this.#active === undefined;
  }

  get signal(): AbortSignal | undefined {
    return this.#active?.controller.signal;
  }

  async prompt(given: RunRequest): Promise<void> {
    expectWords(given);
    const { entrance } = this.#parts;
    const request = hasImages(given) ? await entrance.expectImages(given) : given;
    const admitted = entrance.isOpen ? request : await entrance.pass(request, 'prompt');
    if (admitted) await this.#begin(admitted);
  }

  async #begin(request: RunRequest): Promise<void> {
    this.#parts.limits.refuse();
    await this.#untilFree(request);
    if (this.#active) return this.#enqueueInstead(request);
    await this.#launch(this.#userMessage(request), request);
  }

  /**
   * Waits for a run that is aborted or ending, and for a compaction: behind these a prompt is not refused. A prompt that
   * may be queued does not wait for an ending run: the queue takes it, and it is on disk at once.
   */
  async #untilFree(request: RunRequest): Promise<void> {
    const { compaction } = this.#parts;
    for (;;) {
      const run = this.#active;
      const isAborted = run?.controller.signal.aborted ?? false;
      if (!isAborted && (run ? !run.isEnding || request.streamingBehavior : !compaction.isRunning)) return;
      // A compaction takes as long as the model does. `abort` must not wait behind this prompt.
      if (!isAborted) request.delayed?.();
      run?.await();
      await (run?.ended ?? compaction.ended);
    }
  }

  async #launch(message: UserMessage | CustomMessage, request: RunRequest): Promise<void> {
    // Claimed before the first await, so that a second prompt in the same write sees this one as running.
    const run = this.#claim();
    const { seat, asking, queues } = this.#parts;
    let scope: RunScope;
    let opening: Opening;
    let drive: typeof import('./drive.ts').drive;
    try {
      [scope, { drive }] = await Promise.all([this.#scope(run), import('./drive.ts'), asking.ready()]);
      opening = await this.#opening(message, request);
    } catch (refusal) {
      this.#release(run);
      throw refusal;
    }
    const waited = this.#behindNext.splice(0).map((custom) => deliveryOf(seat, custom));
    const { deliveries, systemPrompt } = await prepareRun(seat, asking, opening.input, run.controller.signal);
    run.systemPrompt = systemPrompt;
    const { retry, compaction, limits, rules, todos } = this.#parts;
    const stop = () => run.controller.abort();
    const ending = (isEnding: boolean) => {
      run.isEnding = isEnding;
    };
    const over = () => {
      this.#active = undefined;
      queues.runOver();
    };
    const { awaited } = run;
    await drive(
      { scope, retry, compaction, limits, rules, todos, stop, ending, awaited, over },
      { deliveries: [...opening.deliveries, ...waited, ...deliveries], takesSteering: opening.takesSteering },
      run.end,
    );
  }

  async send(message: CustomMessage, { deliverAs, triggerTurn, accepted }: SendOptions = {}): Promise<void> {
    const { queues, limits, seat } = this.#parts;
    if (deliverAs === 'nextTurn') {
      this.#behindNext.push(message);
      return;
    }
    while (this.#active?.controller.signal.aborted) await this.#active.ended;
    if (this.#active) return queues.add(deliverAs ?? 'steer', message);
    if (triggerTurn) {
      limits.refuse();
      return this.#launch(message, { message: textOf(message.content), accepted: () => accepted?.() });
    }
    await seat.conversation.commit([entryOf(message)]);
    await seat.broadcast.emit({ type: 'message_start', message });
    await seat.broadcast.emit({ type: 'message_end', message });
  }

  async abortAndPrompt(request: RunRequest): Promise<void> {
    expectWords(request);
    if (hasImages(request)) await this.#parts.entrance.expectImages(request);
    this.#parts.limits.refuse();
    await this.abort();
    await this.prompt(request);
  }

  async steer(input: QueueRequest): Promise<void> {
    await this.#enqueue('steer', input);
  }

  async followUp(input: QueueRequest): Promise<void> {
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

  async #enqueue(kind: 'steer' | 'followUp', given: QueueRequest): Promise<void> {
    expectWords(given);
    const { entrance, queues, limits } = this.#parts;
    const input = hasImages(given) ? await entrance.expectImages(given) : given;
    const admitted = entrance.isOpen ? input : await entrance.pass(input, kind);
    if (!admitted) return;
    limits.refuse();
    await queues.add(kind, this.#userMessage(admitted), admitted);
  }

  async #enqueueInstead(request: RunRequest): Promise<void> {
    if (request.streamingBehavior === undefined) throw new Fault('busy', BUSY);
    await this.#parts.queues.add(request.streamingBehavior, this.#userMessage(request), request);
  }

  /** Puts the prompt on disk and acknowledges it. Overdue messages of the queues go first. */
  async #opening(message: UserMessage | CustomMessage, request: RunRequest): Promise<Opening> {
    const { queues } = this.#parts;
    if (!queues.hasOverdue) {
      await this.#keep([entryOf(message)]);
      request.accepted('started');
      return { deliveries: [{ message, store: async () => {} }], takesSteering: true, input: request };
    }
    await this.#keep([]);
    let deliveries: Delivery[] = [];
    await queues.add('followUp', message, {
      notRun: request.notRun,
      // Taken before anything else can happen to the queues: a run without a message has nothing to do.
      accepted() {
        deliveries = queues.takeOpening();
        request.accepted(deliveries.some((delivery) => delivery.message === message) ? 'started' : 'queued');
      },
    });
    return { deliveries, takesSteering: false, input: inputOf(deliveries) };
  }

  /** Commits entries, after the output of the host's shell commands that came before them. */
  async #keep(bodies: readonly EntryBody[]): Promise<void> {
    const { seat, shell } = this.#parts;
    const held = shell.takeHeld();
    try {
      await seat.conversation.commit([...held.bodies, ...bodies]);
    } catch (problem) {
      held.putBack();
      throw problem;
    }
  }

  async #scope(run: ActiveRun): Promise<RunScope> {
    const { seat, queues, asking, retry, compaction, limits, tools, rules } = this.#parts;
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
      record: (message) => conversation.record([...limits.ledger(message), { type: 'message', message }]),
      ask: (signal) => asking.ask(signal, { systemPrompt: run.systemPrompt, idle: () => retry.idleTime() }),
      blankAnswer: () => asking.blankAnswer(),
      tools: new Map((await tools.active()).map((tool) => [tool.name, tool])),
      newTool: async (name) => (await tools.active()).find((tool) => tool.name === name),
      toolSurroundings: {
        cwd: options.cwd,
        ports,
        artifacts: seat.artifacts,
        options: options.toolOptions,
        todos: this.#parts.todos,
        kept: seat.kept,
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
      limits,
      ...((await rules.prepare()) ? { rules } : {}),
    };
  }

  #claim(): ActiveRun {
    const end = deferred();
    const awaited = deferred();
    const run = {
      controller: new AbortController(),
      isEnding: false,
      awaited: awaited.promise,
      await: awaited.resolve,
      ended: end.promise,
      end: end.resolve,
    };
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

function inputOf(deliveries: readonly Delivery[]): UserInput {
  const first: AgentMessage | undefined = deliveries[0]?.message;
  if (first?.role !== 'user' && first?.role !== 'custom') return { message: '' };
  const { content } = first;
  const images = Array.isArray(content) ? content.filter((block) => block.type === 'image') : [];
  return { message: textOf(content), images };
}

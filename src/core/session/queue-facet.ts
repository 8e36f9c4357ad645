// The steering and follow-up queues. A message is on disk before it is acknowledged, and leaves the queue exactly once.
import { Fault } from '../../base/index.ts';
import type { QueueEditor, QueueRequest, Queues } from '../../contracts/index.ts';
import { extractText, type InterruptMode, type QueueMode } from '../../protocol/index.ts';
import { NEXT_STEP_ENTRY } from '../../protocol/run-progress.ts';
import type { Delivery } from '../agent/run-scope.ts';
import type { InputPipeline } from './input-pipeline.ts';
import type { OutcomeListener, PromptOutcomes } from './prompt-outcomes.ts';
import type { QueuedMessage, UnrunMessage } from './queue-editor.ts';
import { QUEUE_ENTRY, type QueuedItem } from './restore-state.ts';
import type { SessionState } from './session-state.ts';

type QueueKind = QueuedItem['kind'];

type QueueCallbacks = Pick<QueueRequest, 'onAccepted' | 'onNotRun'> & { onOutcome?: OutcomeListener | undefined };

interface QueueFacetOptions {
  /** Names the limit that is exceeded, if one is. */
  getBudgetReason?(): string | undefined;
  /** Processes the new text of an edited message. */
  getInputPipeline?(): InputPipeline;
  /** A run is in progress, and its log looks finished. */
  needsNextStep?(): boolean;
}

const PREVIEW_LENGTH = 60;

export class QueueFacet implements Queues {
  steeringMode: QueueMode;
  followUpMode: QueueMode;
  interruptMode: InterruptMode;
  readonly #state: SessionState;
  readonly #outcomes: PromptOutcomes;
  readonly #options: QueueFacetOptions;
  #items: QueuedMessage[] = [];
  /** Ids of the messages that a run has taken. */
  readonly #takenIds = new Set<string>();
  /** By item id. Survives a switch to another conversation. */
  readonly #unrunMessages = new Map<string, UnrunMessage>();
  readonly #pendingSaves = new Set<Promise<void>>();

  constructor(state: SessionState, outcomes: PromptOutcomes, options: QueueFacetOptions = {}) {
    this.#state = state;
    this.#outcomes = outcomes;
    this.#options = options;
    this.steeringMode = state.options.steeringMode;
    this.followUpMode = state.options.followUpMode;
    this.interruptMode = state.options.interruptMode;
  }

  get count(): number {
    return this.#items.length;
  }

  get hasSteering(): boolean {
    return this.#items.some((item) => item.kind === 'steer');
  }

  /** There are messages that go before the next prompt. */
  get hasOverdue(): boolean {
    return this.#items.some((item) => item.isOverdue);
  }

  get pendingSaves(): Promise<unknown> | undefined {
    return this.#pendingSaves.size > 0 ? Promise.allSettled([...this.#pendingSaves]) : undefined;
  }

  /** Queued synchronously, so that a run that is about to end waits until the message is on disk and acknowledged. */
  async add(
    queueKind: QueueKind,
    message: QueuedItem['message'],
    { onAccepted, onNotRun, onOutcome }: QueueCallbacks = {},
  ): Promise<void> {
    const queuedMessage: QueuedMessage = {
      id: this.#state.ports.ids.entryId(),
      kind: queueKind,
      message,
      isSaved: false,
      isOverdue: false,
      onOutcome,
    };
    this.#items.push(queuedMessage);
    const { file } = this.#state.conversation;
    const stored = this.#appendEntry({ op: 'add', id: queuedMessage.id, kind: queueKind, message }).then(() => {
      queuedMessage.isSaved = true;
      this.#unrunMessages.set(queuedMessage.id, { message, file, onNotRun });
      this.#emitUpdate();
      onAccepted?.('queued');
    });
    this.#pendingSaves.add(stored);
    try {
      await stored;
    } catch (problem) {
      this.#items = this.#items.filter((other) => other !== queuedMessage);
      throw problem;
    } finally {
      this.#pendingSaves.delete(stored);
    }
  }

  take(queueKind: QueueKind): Delivery[] {
    const mode = queueKind === 'steer' ? this.steeringMode : this.followUpMode;
    const waiting = this.#items.filter((item) => item.kind === queueKind && item.isSaved);
    const taken = mode === 'all' ? waiting : waiting.slice(0, 1);
    this.#items = this.#items.filter((item) => !taken.includes(item));
    for (const { id, onOutcome } of taken) {
      this.#unrunMessages.delete(id);
      this.#takenIds.add(id);
      this.#outcomes.addToRun(onOutcome);
    }
    if (taken.length > 0) this.#emitUpdate();
    const conversation = this.#state.conversation;
    return taken.map((item) => ({
      message: item.message,
      store: () => conversation.record([{ type: 'message', message: item.message, queueId: item.id }]),
    }));
  }

  /**
   * The first messages of a run if there are overdue messages. The prompt is already the last follow-up. Steering goes before
   * the prompt in the same turn. If more messages wait, the queues are taken in their usual order.
   */
  takeForNewRun(): Delivery[] {
    const steering = this.take('steer');
    const followUps = this.#items.filter(({ kind, isSaved }) => kind === 'followUp' && isSaved);
    if (steering.length > 0 && (this.hasSteering || followUps.length > 1)) return steering;
    return [...steering, ...this.take('followUp')];
  }

  async clear(): Promise<{ steering: string[]; followUp: string[] }> {
    const dropped = this.#items;
    this.#items = [];
    try {
      if (dropped.length > 0) await this.#appendEntry({ op: 'clear', ids: dropped.map((item) => item.id) });
    } catch (problem) {
      // The host did not get these messages back, so they stay queued.
      this.#items = [...dropped, ...this.#items];
      throw problem;
    }
    for (const { id } of dropped) this.#unrunMessages.delete(id);
    this.#reportRemoved(dropped);
    if (dropped.length > 0) this.#emitUpdate();
    return groupTexts(dropped);
  }

  async loadEditor(): Promise<QueueEditor> {
    const { createQueueEditor } = await import('./queue-editor.ts');
    const facet = this;
    return createQueueEditor({
      get items() {
        return facet.#items;
      },
      set items(items) {
        facet.#items = items;
      },
      unrunMessages: this.#unrunMessages,
      takenIds: this.#takenIds,
      append: (data) => this.#appendEntry(data),
      reportRemoved: (items) => this.#reportRemoved(items),
      emitUpdate: () => this.#emitUpdate(),
      getInputPipeline: this.#options.getInputPipeline,
      now: () => this.#state.ports.clock.now(),
    });
  }

  get pendingItems(): readonly QueuedItem[] {
    return this.#items.map(({ id, kind, message }) => ({ id, kind, message }));
  }

  /** Called at the end of a run. Messages that it did not take go before later prompts. */
  markOverdue(): void {
    for (const item of this.#items) item.isOverdue = true;
  }

  /** Called after a switch to another conversation. The old queue stays in the old log; `items` come from the new log. */
  reset(items: readonly QueuedItem[]): void {
    const previous = this.#items;
    const findListener = (id: string) => previous.find((item) => item.id === id)?.onOutcome;
    this.#items = items.map((item) => ({ ...item, isSaved: true, isOverdue: true, onOutcome: findListener(item.id) }));
    this.#reportRemoved(previous.filter(({ id }) => !items.some((item) => item.id === id)));
    const { file } = this.#state.conversation;
    // Messages queued by an earlier process have no onNotRun callback.
    for (const { id, message } of items)
      if (!this.#unrunMessages.has(id)) this.#unrunMessages.set(id, { message, file });
    if (previous.length > 0 || items.length > 0) this.#emitUpdate();
  }

  reportNotRun(cause: string): void {
    for (const [id, { message, file, onNotRun }] of this.#unrunMessages) {
      const text = formatNotRun(extractText(message.content), this.#options.getBudgetReason?.() ?? cause, file);
      if (onNotRun) onNotRun(new Fault('not_run', text));
      else void this.#state.broadcast.emit({ type: 'notice', level: 'error', message: text, source: 'queue' });
      const item = this.#items.find((queued) => queued.id === id);
      const error = { message: text, retryable: false };
      this.#outcomes.reportNotInvoked(item?.onOutcome, { status: 'error', error });
      if (item) item.onOutcome = undefined;
    }
    this.#unrunMessages.clear();
  }

  /** The queue no longer contains these messages, and no run has taken them. */
  #reportRemoved(items: readonly QueuedMessage[]): void {
    for (const { onOutcome } of items) this.#outcomes.reportNotInvoked(onOutcome, { status: 'aborted' });
  }

  #emitUpdate(): void {
    void this.#state.broadcast.emit({
      type: 'queue_update',
      ...groupTexts(this.#items.filter((item) => item.isSaved)),
    });
  }

  async #appendEntry(data: Record<string, unknown>): Promise<void> {
    const entry = { type: 'custom', customType: QUEUE_ENTRY, data } as const;
    const next = { type: 'custom', customType: NEXT_STEP_ENTRY, data: { step: 'queue' } } as const;
    const { needsNextStep } = this.#options;
    const isAdded = data.op === 'add' && needsNextStep !== undefined;
    await this.#state.conversation.commit(isAdded ? () => (needsNextStep() ? [entry, next] : [entry]) : [entry]);
  }
}

function groupTexts(items: readonly QueuedItem[]): { steering: string[]; followUp: string[] } {
  const texts = (queueKind: QueueKind) =>
    items.filter((item) => item.kind === queueKind).map((item) => extractText(item.message.content));
  return { steering: texts('steer'), followUp: texts('followUp') };
}

function formatNotRun(text: string, cause: string, file: string | undefined): string {
  const firstCharacters = text.slice(0, PREVIEW_LENGTH).replace(/\s+/g, ' ');
  const preview = text.length > PREVIEW_LENGTH ? `${firstCharacters}…` : firstCharacters;
  const consequence =
    file === undefined
      ? 'It is lost, because the session is not saved.'
      : `It stays queued in ${file} and is sent before the next prompt of that session.`;
  return `The message "${preview}" was not run: ${cause}. ${consequence}`;
}

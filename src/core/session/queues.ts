// First floor, core: messages that wait for the model. Each is on disk before it is acknowledged and leaves the queue once.
import { Fault } from '../../base/index.ts';
import type { QueueRequest, Queues } from '../../contracts/index.ts';
import { type InterruptMode, type QueueMode, textOf } from '../../protocol/index.ts';
import type { Delivery } from '../agent/scope.ts';
import { QUEUE_ENTRY, type QueuedItem } from './restored.ts';
import type { Seat } from './seat.ts';

type Kind = QueuedItem['kind'];

interface Item extends QueuedItem {
  /** On disk. */
  safe: boolean;
  /** It waited for a run that is over, or was in the log when the session was opened: it goes before later prompts. */
  isOverdue: boolean;
}

/** An accepted message that was not run. */
interface Unrun extends Pick<QueueRequest, 'notRun'> {
  readonly message: QueuedItem['message'];
  /** The log that holds it. */
  readonly file: string | undefined;
}

type Request = Pick<QueueRequest, 'accepted' | 'notRun'>;

const PREVIEW_LENGTH = 60;

export class QueueFacet implements Queues {
  steeringMode: QueueMode;
  followUpMode: QueueMode;
  interruptMode: InterruptMode;
  readonly #seat: Seat;
  readonly #budgetReason: () => string | undefined;
  #items: Item[] = [];
  /** By item id. Kept while the session is in another conversation. */
  readonly #unrun = new Map<string, Unrun>();
  readonly #arriving = new Set<Promise<void>>();

  /** `budgetReason` names the limit that is exceeded, if one is. */
  constructor(seat: Seat, budgetReason: () => string | undefined = () => undefined) {
    this.#seat = seat;
    this.#budgetReason = budgetReason;
    this.steeringMode = seat.options.steeringMode;
    this.followUpMode = seat.options.followUpMode;
    this.interruptMode = seat.options.interruptMode;
  }

  get count(): number {
    return this.#items.length;
  }

  get hasSteering(): boolean {
    return this.#items.some((item) => item.kind === 'steer');
  }

  /** Messages wait that go before the next prompt. */
  get hasOverdue(): boolean {
    return this.#items.some((item) => item.isOverdue);
  }

  get arriving(): Promise<unknown> | undefined {
    return this.#arriving.size > 0 ? Promise.allSettled([...this.#arriving]) : undefined;
  }

  /** Counted at once, so that a run that is about to end waits until it is on disk and the host was told so. */
  async add(kind: Kind, message: QueuedItem['message'], { accepted, notRun }: Request = {}): Promise<void> {
    const item: Item = { id: this.#seat.ports.ids.entry(), kind, message, safe: false, isOverdue: false };
    this.#items.push(item);
    const { file } = this.#seat.conversation;
    const stored = this.#store({ op: 'add', id: item.id, kind, message }).then(() => {
      item.safe = true;
      this.#unrun.set(item.id, { message, file, notRun });
      this.#tell();
      accepted?.('queued');
    });
    this.#arriving.add(stored);
    try {
      await stored;
    } catch (problem) {
      this.#items = this.#items.filter((other) => other !== item);
      throw problem;
    } finally {
      this.#arriving.delete(stored);
    }
  }

  take(kind: Kind): Delivery[] {
    const mode = kind === 'steer' ? this.steeringMode : this.followUpMode;
    const waiting = this.#items.filter((item) => item.kind === kind && item.safe);
    const taken = mode === 'all' ? waiting : waiting.slice(0, 1);
    this.#items = this.#items.filter((item) => !taken.includes(item));
    for (const { id } of taken) this.#unrun.delete(id);
    if (taken.length > 0) this.#tell();
    const conversation = this.#seat.conversation;
    return taken.map((item) => ({
      message: item.message,
      store: () => conversation.record([{ type: 'message', message: item.message, queueId: item.id }]),
    }));
  }

  /**
   * What a run begins with when overdue messages wait: its prompt is the last follow-up by then. Steering goes in front of
   * the prompt in the same turn; when more waits than that, the queues are taken in their usual order.
   */
  takeOpening(): Delivery[] {
    const steering = this.take('steer');
    const followUps = this.#items.filter(({ kind, safe }) => kind === 'followUp' && safe);
    if (steering.length > 0 && (this.hasSteering || followUps.length > 1)) return steering;
    return [...steering, ...this.take('followUp')];
  }

  async clear(): Promise<{ steering: string[]; followUp: string[] }> {
    const dropped = this.#items;
    this.#items = [];
    try {
      if (dropped.length > 0) await this.#store({ op: 'clear', ids: dropped.map((item) => item.id) });
    } catch (problem) {
      // What the host was not told to have back stays queued.
      this.#items = [...dropped, ...this.#items];
      throw problem;
    }
    for (const { id } of dropped) this.#unrun.delete(id);
    if (dropped.length > 0) this.#tell();
    return textsOf(dropped);
  }

  get pending(): readonly QueuedItem[] {
    return this.#items.map(({ id, kind, message }) => ({ id, kind, message }));
  }

  /** The run is over. What it did not take goes before later prompts. */
  runOver(): void {
    for (const item of this.#items) item.isOverdue = true;
  }

  /** Another conversation: the queue that is left stays in its log, the one that comes is in that one's. */
  reset(items: readonly QueuedItem[]): void {
    const had = this.#items.length > 0;
    this.#items = items.map((item) => ({ ...item, safe: true, isOverdue: true }));
    const { file } = this.#seat.conversation;
    // Those of an earlier process have no call that could be answered.
    for (const { id, message } of items) if (!this.#unrun.has(id)) this.#unrun.set(id, { message, file });
    if (had || items.length > 0) this.#tell();
  }

  reportNotRun(cause: string): void {
    for (const { message, file, notRun } of this.#unrun.values()) {
      const sentence = notRunSentence(textOf(message.content), this.#budgetReason() ?? cause, file);
      if (notRun) notRun(new Fault('not_run', sentence));
      else void this.#seat.broadcast.emit({ type: 'notice', level: 'error', message: sentence, source: 'queue' });
    }
    this.#unrun.clear();
  }

  #tell(): void {
    void this.#seat.broadcast.emit({ type: 'queue_update', ...textsOf(this.#items.filter((item) => item.safe)) });
  }

  async #store(data: Record<string, unknown>): Promise<void> {
    await this.#seat.conversation.commit([{ type: 'custom', customType: QUEUE_ENTRY, data }]);
  }
}

function textsOf(items: readonly QueuedItem[]): { steering: string[]; followUp: string[] } {
  const texts = (kind: Kind) => items.filter((item) => item.kind === kind).map((item) => textOf(item.message.content));
  return { steering: texts('steer'), followUp: texts('followUp') };
}

function notRunSentence(text: string, cause: string, file: string | undefined): string {
  const line = text.slice(0, PREVIEW_LENGTH).replace(/\s+/g, ' ');
  const preview = text.length > PREVIEW_LENGTH ? `${line}…` : line;
  const fate =
    file === undefined
      ? 'It is lost, because the session is not saved.'
      : `It stays queued in ${file} and goes before the next prompt of that session.`;
  return `The message "${preview}" was not run: ${cause}. ${fate}`;
}

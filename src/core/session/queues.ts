// First floor, core: messages that wait for the model. Each is on disk before it is acknowledged and leaves the queue once.
import type { Queues } from '../../contracts/index.ts';
import { type InterruptMode, type QueueMode, textOf } from '../../protocol/index.ts';
import type { Delivery } from '../agent/scope.ts';
import { QUEUE_ENTRY, type QueuedItem } from './restored.ts';
import type { Seat } from './seat.ts';

type Kind = QueuedItem['kind'];

interface Item extends QueuedItem {
  /** On disk. */
  safe: boolean;
}

export class QueueFacet implements Queues {
  steeringMode: QueueMode;
  followUpMode: QueueMode;
  interruptMode: InterruptMode;
  readonly #seat: Seat;
  #items: Item[] = [];
  readonly #arriving = new Set<Promise<void>>();

  constructor(seat: Seat) {
    this.#seat = seat;
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

  get arriving(): Promise<unknown> | undefined {
    return this.#arriving.size > 0 ? Promise.allSettled([...this.#arriving]) : undefined;
  }

  /** Counted at once, so that a run that is about to end waits until it is on disk and the host was told so. */
  async add(kind: Kind, message: QueuedItem['message'], acknowledge: () => void = () => {}): Promise<void> {
    const item: Item = { id: this.#seat.ports.ids.entry(), kind, message, safe: false };
    this.#items.push(item);
    const stored = this.#store({ op: 'add', id: item.id, kind, message }).then(() => {
      item.safe = true;
      this.#tell();
      acknowledge();
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
    if (taken.length > 0) this.#tell();
    const conversation = this.#seat.conversation;
    return taken.map((item) => ({
      message: item.message,
      store: () => conversation.record([{ type: 'message', message: item.message, queueId: item.id }]),
    }));
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
    if (dropped.length > 0) this.#tell();
    return textsOf(dropped);
  }

  get pending(): readonly QueuedItem[] {
    return this.#items.map(({ safe: _, ...item }) => item);
  }

  /** Another conversation: the queue that is left stays in its log, the one that comes is in that one's. */
  reset(items: readonly QueuedItem[]): void {
    const had = this.#items.length > 0;
    this.#items = items.map((item) => ({ ...item, safe: true }));
    if (had || items.length > 0) this.#tell();
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

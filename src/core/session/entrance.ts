// First floor, core: the way in. What is said passes those who may change it or deal with it; then it may become a message.
import { deferred, Fault } from '../../base/index.ts';
import type { Disposition, InputSource, InputVerdict, Said, UserInput } from '../../contracts/index.ts';
import type { Model } from '../../protocol/index.ts';
import type { Seat } from './seat.ts';
import { expectWords, hasImages } from './user-input.ts';

interface Visitor extends UserInput {
  source?: InputSource | undefined;
  accepted?(disposition: Disposition): void;
  delayed?(): void;
}

/** Longer than that, others should not wait for. */
const SHORT_MS = 250;

export class Entrance {
  readonly #seat: Seat;
  readonly #model: () => Model | null;
  readonly #waiting = new Set<() => void>();

  constructor(seat: Seat, model: () => Model | null) {
    this.#seat = seat;
    this.#model = model;
  }

  /** Refuses what a host sent with an image that cannot be read; nothing an extension sends is lost for that. */
  async expectImages<T extends Visitor>(visitor: T): Promise<T> {
    const { expectImages, withoutUnreadable } = await import('./input-images.ts');
    const check = visitor.source === 'extension' ? withoutUnreadable : expectImages;
    return check(visitor, this.#reader);
  }

  /** Nobody stands at the door: no need to wait. */
  get isOpen(): boolean {
    return this.#seat.hooks.input === undefined;
  }

  /** What is left for the conversation; `undefined` when somebody dealt with it, which is over by then. */
  async pass<T extends Visitor>(visitor: T, via: Said['via']): Promise<T | undefined> {
    const verdict = await this.#judge(visitor, via);
    if (!verdict) return visitor;
    if (!('handled' in verdict)) {
      const { text: message, images = visitor.images } = verdict;
      const changed = { ...visitor, message, images };
      expectWords(changed);
      if (images === visitor.images || !hasImages({ message, images })) return changed;
      const { withoutUnreadable } = await import('./input-images.ts');
      return withoutUnreadable(changed, this.#reader);
    }
    visitor.accepted?.('handled');
    await verdict.work?.();
    return undefined;
  }

  get #reader() {
    return { model: this.#model(), models: this.#seat.options.models };
  }

  /** Whoever is still being looked at is turned away. */
  abort(): void {
    for (const turnAway of this.#waiting) turnAway();
  }

  async #judge(visitor: Visitor, via: Said['via']): Promise<InputVerdict | undefined> {
    const controller = new AbortController();
    const turnedAway = deferred<never>();
    const turnAway = () => {
      turnedAway.reject(new Fault('aborted', 'The message was aborted before it reached the model'));
      controller.abort();
    };
    this.#waiting.add(turnAway);
    const { hooks, ports } = this.#seat;
    // Most are judged at once; only for the others is it worth saying so.
    const cancel = ports.clock.after(SHORT_MS, () => visitor.delayed?.());
    try {
      const { message: text, images = [], source = 'rpc' } = visitor;
      const judged = hooks.input?.({ text, images, via, source, signal: controller.signal });
      return await Promise.race([judged, turnedAway.promise]);
    } finally {
      cancel();
      this.#waiting.delete(turnAway);
    }
  }
}

// First floor, core: calls the handlers of extensions, in the order they were loaded. One that throws or hangs costs its answer.
import type { Clock, ExtensionHandler } from '../../contracts/index.ts';
import type { Extension } from './extension.ts';
import { createPatience, type Patience } from './patience.ts';

export interface RunnerPorts {
  clock: Pick<Clock, 'now' | 'after'>;
  /** How long one handler may take. */
  limitMs: number;
  report(extension: Pick<Extension, 'path'>, event: string, thrown: unknown): void;
  /** What a handler is given beside the event. */
  surroundings(extension: Extension, patience: Patience): unknown;
}

export class HandlerRunner {
  extensions: readonly Extension[] = [];
  readonly #ports: RunnerPorts;
  #tail: Promise<void> | undefined;

  constructor(ports: RunnerPorts) {
    this.#ports = ports;
  }

  has(event: string): boolean {
    return this.extensions.some((extension) => extension.handlers.has(event));
  }

  /**
   * Every handler of an event, one after another. `heard` gets what each returned and says whether that was enough.
   * A failure is reported and passed over, unless it is to be thrown. `alone`: there is no session yet to be given along.
   */
  async emit(
    event: { readonly type: string },
    heard: (result: unknown, extension: Extension) => boolean | undefined = () => false,
    options: { throws?: boolean; alone?: boolean } = {},
  ): Promise<void> {
    for (const extension of this.extensions) {
      for (const handler of extension.handlers.get(event.type) ?? []) {
        const outcome = await this.#attempt(extension, handler, event, options.alone);
        if ('thrown' in outcome && options.throws) throw outcome.thrown;
        if ('thrown' in outcome) this.#ports.report(extension, event.type, outcome.thrown);
        else if (heard(outcome.result, extension)) return;
      }
    }
  }

  /** After the events before it, also those that the run did not wait for. */
  deliver(event: { readonly type: string }): undefined | Promise<void> {
    if (!this.has(event.type)) return undefined;
    const mine = (this.#tail ?? Promise.resolve()).then(() => this.emit(event));
    this.#tail = mine;
    void mine.then(() => {
      if (this.#tail === mine) this.#tail = undefined;
    });
    return mine;
  }

  async #attempt(
    extension: Extension,
    handler: ExtensionHandler,
    event: { readonly type: string },
    alone = false,
  ): Promise<{ result: unknown } | { thrown: unknown }> {
    const { clock, limitMs, surroundings } = this.#ports;
    const patience = createPatience(clock, limitMs, () => new Error(tooLate(event.type, limitMs)));
    try {
      const answer = handler(event, alone ? undefined : surroundings(extension, patience));
      return { result: isPromise(answer) ? await Promise.race([answer, patience.lost]) : answer };
    } catch (thrown) {
      return { thrown };
    } finally {
      patience.end();
    }
  }
}

function tooLate(event: string, limitMs: number): string {
  return `The ${event} handler took longer than ${limitMs / 1000} s (extensions.hookTimeout); going on without it`;
}

function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as PromiseLike<unknown> | null | undefined)?.then === 'function';
}

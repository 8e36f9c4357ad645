// Calls event handlers of extensions in load order. The result of a handler that throws or times out is ignored.
import type { Clock, ExtensionHandler } from '../../contracts/index.ts';
import type { Extension } from './extension.ts';
import { createHandlerTimeout, type HandlerTimeout } from './handler-timeout.ts';

export interface HandlerRunnerOptions {
  clock: Pick<Clock, 'now' | 'after'>;
  /** Limit for one handler. */
  timeoutMs: number;
  report(extension: Pick<Extension, 'path'>, event: string, thrown: unknown): void;
  /** Creates the second argument of a handler. */
  createContext(extension: Extension, handlerTimeout: HandlerTimeout): unknown;
}

export class HandlerRunner {
  extensions: readonly Extension[] = [];
  readonly #options: HandlerRunnerOptions;
  #tail: Promise<void> | undefined;

  constructor(options: HandlerRunnerOptions) {
    this.#options = options;
  }

  hasHandler(event: string): boolean {
    return this.extensions.some((extension) => extension.handlers.has(event));
  }

  /**
   * Calls every handler of an event in sequence. `onResult` gets each returned value; when it returns `true`, the remaining
   * handlers are skipped. A failure is reported, or thrown with `rethrow`. `createContext` replaces the usual context.
   */
  async emit(
    event: { readonly type: string },
    onResult: (result: unknown, extension: Extension) => boolean | undefined = () => false,
    options: { rethrow?: boolean; createContext?: (handlerTimeout: HandlerTimeout) => unknown } = {},
  ): Promise<void> {
    for (const extension of this.extensions) {
      for (const handler of extension.handlers.get(event.type) ?? []) {
        const outcome = await this.#callHandler(extension, handler, event, options.createContext);
        if ('thrown' in outcome && options.rethrow) throw outcome.thrown;
        if ('thrown' in outcome) this.#options.report(extension, event.type, outcome.thrown);
        else if (onResult(outcome.result, extension)) return;
      }
    }
  }

  /** Emits after all earlier events, also after those that the run did not await. */
  emitInOrder(event: { readonly type: string }): undefined | Promise<void> {
    if (!this.hasHandler(event.type)) return undefined;
    const delivery = (this.#tail ?? Promise.resolve()).then(() => this.emit(event));
    this.#tail = delivery;
    void delivery.then(() => {
      if (this.#tail === delivery) this.#tail = undefined;
    });
    return delivery;
  }

  async #callHandler(
    extension: Extension,
    handler: ExtensionHandler,
    event: { readonly type: string },
    createOtherContext?: (handlerTimeout: HandlerTimeout) => unknown,
  ): Promise<{ result: unknown } | { thrown: unknown }> {
    const { clock, timeoutMs, createContext } = this.#options;
    const handlerTimeout = createHandlerTimeout(
      clock,
      timeoutMs,
      () => new Error(formatTimeoutMessage(event.type, timeoutMs)),
    );
    try {
      const context = createOtherContext
        ? createOtherContext(handlerTimeout)
        : createContext(extension, handlerTimeout);
      const returned = handler(event, context);
      return { result: isPromise(returned) ? await Promise.race([returned, handlerTimeout.expired]) : returned };
    } catch (thrown) {
      return { thrown };
    } finally {
      handlerTimeout.stop();
    }
  }
}

function formatTimeoutMessage(event: string, timeoutMs: number): string {
  return `The ${event} handler timed out after ${timeoutMs / 1000} s (extensions.hookTimeout)`;
}

function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as PromiseLike<unknown> | null | undefined)?.then === 'function';
}

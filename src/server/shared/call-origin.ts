// Finds out which client's call causes an event: the name follows the asynchronous work that the call starts.
import { AsyncLocalStorage } from 'node:async_hooks';

export class CallOrigin {
  readonly #storage = new AsyncLocalStorage<string>();

  /** Runs the work of a call. */
  run<T>(client: string, act: () => T): T {
    return this.#storage.run(client, act);
  }

  /** The name of the client whose call is being worked on. */
  get client(): string | undefined {
    return this.#storage.getStore();
  }
}

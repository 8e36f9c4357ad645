// Counts the prompts that may start a run: they wait for the input hook or for the end of the current run.
import { createDeferred } from '../../base/index.ts';
import type { InputSource } from '../../contracts/index.ts';

export class PendingPrompts {
  readonly #onDecided: () => void;
  #count = 0;
  #extensionPromptCount = 0;
  readonly #undecidedExtensionPrompts = new Set<Promise<void>>();

  /** `onDecided` is called when a prompt has started a run, or will not start one. */
  constructor(onDecided: () => void) {
    this.#onDecided = onDecided;
  }

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  /** The number of prompts of extensions so far. */
  get extensionPromptCount(): number {
    return this.#extensionPromptCount;
  }

  /** Resolves when all current prompts of extensions have started a run, are queued or were refused. */
  async waitForExtensionPrompts(): Promise<void> {
    await Promise.all(this.#undecidedExtensionPrompts);
  }

  /** Returns a function that must be called when the prompt has started a run, or will not start one. */
  add(source: InputSource | undefined): () => void {
    this.#count += 1;
    let isUndecided = true;
    const markExtensionPrompt = source === 'extension' ? this.#addExtensionPrompt() : () => {};
    return () => {
      if (isUndecided) this.#count -= 1;
      isUndecided = false;
      markExtensionPrompt();
      this.#onDecided();
    };
  }

  #addExtensionPrompt(): () => void {
    const { promise, resolve } = createDeferred();
    this.#extensionPromptCount += 1;
    this.#undecidedExtensionPrompts.add(promise);
    return () => {
      this.#undecidedExtensionPrompts.delete(promise);
      resolve();
    };
  }
}

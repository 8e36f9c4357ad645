// Runs user input through the input hook, which may change it or handle it, before it becomes a message.
import { createDeferred, Fault } from '../../base/index.ts';
import type { Disposition, InputHookResult, InputSource, SubmittedInput, UserInput } from '../../contracts/index.ts';
import type { Model } from '../../protocol/index.ts';
import type { SessionState } from './session-state.ts';
import { hasImages, validateInput } from './user-input.ts';

interface PendingInput extends UserInput {
  source?: InputSource | undefined;
  onAccepted?(disposition: Disposition): void;
  onDelayed?(): void;
}

/** The delay is reported to the host after this time, so that its later commands do not wait for the input hook. */
const DELAY_NOTICE_MS = 250;

export class InputPipeline {
  readonly #state: SessionState;
  readonly #getModel: () => Model | null;
  readonly #pendingAborts = new Set<() => void>();

  constructor(state: SessionState, getModel: () => Model | null) {
    this.#state = state;
    this.#getModel = getModel;
  }

  /** Input of a host with an unreadable image is refused. In input of an extension the image is replaced by a note. */
  async validateImages<T extends PendingInput>(input: T): Promise<T> {
    const { validateImages, replaceUnreadable } = await import('./input-images.ts');
    const check = input.source === 'extension' ? replaceUnreadable : validateImages;
    return check(input, this.#imageCheckOptions);
  }

  /** No input hook is registered. */
  get isPassThrough(): boolean {
    return this.#state.hooks.input === undefined;
  }

  /** Returns the input for the conversation; `undefined` after a hook handled it. */
  async run<T extends PendingInput>(input: T, via: SubmittedInput['via']): Promise<T | undefined> {
    const hookResult = await this.#runInputHook(input, via);
    if (!hookResult) return input;
    if (!('handled' in hookResult)) {
      const { text: message, images = input.images } = hookResult;
      const changed = { ...input, message, images };
      validateInput(changed);
      if (images === input.images || !hasImages({ message, images })) return changed;
      const { replaceUnreadable } = await import('./input-images.ts');
      return replaceUnreadable(changed, this.#imageCheckOptions);
    }
    input.onAccepted?.('handled');
    await hookResult.runAfterAccept?.();
    return undefined;
  }

  get #imageCheckOptions() {
    return { model: this.#getModel(), models: this.#state.options.models };
  }

  /** Rejects all input that is waiting for its input hook. */
  abort(): void {
    for (const abortInput of this.#pendingAborts) abortInput();
  }

  async #runInputHook(input: PendingInput, via: SubmittedInput['via']): Promise<InputHookResult | undefined> {
    const controller = new AbortController();
    const aborted = createDeferred<never>();
    const abortInput = () => {
      aborted.reject(new Fault('aborted', 'The message was aborted before it reached the model'));
      controller.abort();
    };
    this.#pendingAborts.add(abortInput);
    const { hooks, ports } = this.#state;
    const cancelTimer = ports.clock.after(DELAY_NOTICE_MS, () => input.onDelayed?.());
    try {
      const { message: text, images = [], source = 'rpc' } = input;
      const hookCall = hooks.input?.({ text, images, via, source, signal: controller.signal });
      return await Promise.race([hookCall, aborted.promise]);
    } finally {
      cancelTimer();
      this.#pendingAborts.delete(abortInput);
    }
  }
}

// Opens the API stream for a request and guarantees the contract of ModelStream even if the API breaks it.
import { Fault, getErrorMessage } from '../base/index.ts';
import type { Redactor } from '../base/redaction.ts';
import type { Clock, ModelApi, ModelRequest, ModelStream } from '../contracts/index.ts';
import type { AssistantMessage, AssistantMessageEvent, Model } from '../protocol/index.ts';
import type { ApiLoader } from './api-loaders.ts';

type Events = AsyncIterator<AssistantMessageEvent>;
type Step = IteratorResult<AssistantMessageEvent>;

const DONE: Step = { done: true, value: undefined };
const MISSING_END_MESSAGE = 'The model stream ended without a final message';

export function createUnknownApiFault(model: Model): Fault {
  return new Fault(
    'no_model',
    `The model ${model.provider}/${model.id} uses the API "${model.api}", which this version does not support`,
  );
}

/** Each API is created once. A failed load is retried with the next request. */
export function createLazyApiLoader(apis: Readonly<Record<string, ApiLoader>>): (model: Model) => Promise<ModelApi> {
  const loaded = new Map<string, Promise<ModelApi>>();
  return async (model) => {
    const cached = loaded.get(model.api);
    if (cached) return cached;
    const loader = Object.hasOwn(apis, model.api) ? apis[model.api] : undefined;
    if (!loader) throw createUnknownApiFault(model);
    const loading = loader();
    loaded.set(model.api, loading);
    loading.catch(() => loaded.delete(model.api));
    return loading;
  };
}

/** Secrets to remove from error messages, and advice to append to them. */
export interface FailureTextOptions {
  /** Removed from every error message, whether the API threw it or reported it. */
  readonly secrets?: Iterable<string>;
  /** Advice for the user when the provider rejects the key. */
  readonly getKeyAdvice?: () => string;
}

/**
 * `start` first, exactly one end event, nothing thrown. A hand-written iterator: a generator around the API's generator
 * would add two event-loop turns to every delta.
 */
export class GuardedStream implements ModelStream, AsyncIterableIterator<AssistantMessageEvent> {
  readonly #request: ModelRequest;
  readonly #open: () => Promise<ModelStream>;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #secrets: Iterable<string>;
  #redactor: Redactor | undefined;
  readonly #getKeyAdvice: (() => string) | undefined;
  #source: Events | undefined;
  #nextBuffered: ModelStream['nextBuffered'];
  #partial: AssistantMessage | undefined;
  /** Events still to emit after the source has ended or failed. */
  #finalEvents: AssistantMessageEvent[] | undefined;

  constructor(
    request: ModelRequest,
    open: () => Promise<ModelStream>,
    clock: Pick<Clock, 'now'>,
    { secrets = [], getKeyAdvice }: FailureTextOptions = {},
  ) {
    this.#request = request;
    this.#open = open;
    this.#clock = clock;
    this.#secrets = secrets;
    this.#getKeyAdvice = getKeyAdvice;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<Step> {
    if (this.#finalEvents) return Promise.resolve(this.#takeFinalEvent(this.#finalEvents));
    if (this.#source) return this.#source.next().then(this.#onStep, this.#onFailure);
    return this.#start();
  }

  nextBuffered(): AssistantMessageEvent | undefined {
    const value = this.#finalEvents ? undefined : this.#nextBuffered?.();
    if (value) this.#track(value);
    return value;
  }

  async return(): Promise<Step> {
    this.#finalEvents = [];
    await this.#source?.return?.();
    return DONE;
  }

  async #start(): Promise<Step> {
    try {
      const [stream] = await Promise.all([this.#open(), this.#loadRedactor()]);
      this.#source = stream[Symbol.asyncIterator]();
      this.#nextBuffered = stream.nextBuffered?.bind(stream);
    } catch (thrown) {
      return this.#onFailure(thrown);
    }
    return this.next();
  }

  async #loadRedactor(): Promise<Redactor> {
    const { createRedactor } = await import('../base/redaction.ts');
    this.#redactor ??= createRedactor(this.#secrets);
    return this.#redactor;
  }

  #takeFinalEvent(events: AssistantMessageEvent[]): Step {
    const value = events.shift();
    return value ? { done: false, value } : DONE;
  }

  readonly #onStep = (step: Step): Step | Promise<Step> => {
    if (step.done) return this.#onFailure(new Error(MISSING_END_MESSAGE));
    this.#track(step.value);
    return step;
  };

  #track(event: AssistantMessageEvent): void {
    if (event.type !== 'done' && event.type !== 'error') {
      this.#partial = event.partial;
      return;
    }
    if (event.type === 'error' && event.error.errorMessage) {
      event.error.errorMessage = this.#redactor?.(event.error.errorMessage) ?? event.error.errorMessage;
    }
    this.#finalEvents = [];
    if (event.type === 'error' && event.failure?.kind === 'auth' && this.#getKeyAdvice) {
      const reason = event.error.errorMessage?.replace(/\.$/, '') || 'The provider rejected the key';
      event.error.errorMessage = `${reason}. ${this.#getKeyAdvice()}`;
    }
    // Events after the end are ignored. The source may clean up.
    void this.#source?.return?.().then(undefined, () => {});
  }

  readonly #onFailure = async (thrown: unknown): Promise<Step> => {
    const { ABORTED_MESSAGE, failMessage, MessageBuilder } = await import('./message-builder.ts');
    const redact = await this.#loadRedactor();
    const { signal, model } = this.#request;
    const partial = this.#partial;
    const builder = partial ? undefined : new MessageBuilder(model, this.#clock.now());
    const message = partial ?? (builder as InstanceType<typeof MessageBuilder>).message;
    const ending = signal.aborted
      ? failMessage(message, 'aborted', ABORTED_MESSAGE)
      : failMessage(message, 'error', redact(getErrorMessage(thrown)));
    const isMissingCredentials = !signal.aborted && thrown instanceof Fault && thrown.code === 'no_credentials';
    this.#finalEvents = [
      ...(builder ? [builder.start()] : []),
      isMissingCredentials ? { ...ending, failure: { kind: 'auth' as const } } : ending,
    ];
    return this.#takeFinalEvent(this.#finalEvents);
  };
}

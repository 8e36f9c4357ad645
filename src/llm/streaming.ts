// First floor, llm: from a request to the stream of the API that answers it. Keeps the stream's contract whoever breaks it.
import { Fault, messageOf } from '../base/index.ts';
import type { Redact } from '../base/redaction.ts';
import type { Clock, ModelApi, ModelRequest, ModelStream } from '../contracts/index.ts';
import type { AssistantMessage, AssistantMessageEvent, Model } from '../protocol/index.ts';
import type { ApiLoader } from './apis.ts';

type Events = AsyncIterator<AssistantMessageEvent>;
type Step = IteratorResult<AssistantMessageEvent>;

const OVER: Step = { done: true, value: undefined };
const NO_END = 'The model stream ended without a final message';

export function unknownApi(model: Model): Fault {
  return new Fault(
    'no_model',
    `The model ${model.provider}/${model.id} is reached by "${model.api}", a format this version does not speak`,
  );
}

/** Each API is made once. A failed load is tried again with the next request. */
export function lazily(apis: Readonly<Record<string, ApiLoader>>): (model: Model) => Promise<ModelApi> {
  const loaded = new Map<string, Promise<ModelApi>>();
  return async (model) => {
    const known = loaded.get(model.api);
    if (known) return known;
    const loader = Object.hasOwn(apis, model.api) ? apis[model.api] : undefined;
    if (!loader) throw unknownApi(model);
    const loading = loader();
    loaded.set(model.api, loading);
    loading.catch(() => loaded.delete(model.api));
    return loading;
  };
}

/** What the texts of failures may not hold, and what is added to some of them. */
export interface FailureTexts {
  /** They never appear in the text of a failure, whatever the API throws or ends with. */
  readonly secrets?: Iterable<string>;
  /** What to do about a key that the provider does not accept. */
  readonly advice?: () => string;
}

/**
 * `start` first, one end, nothing thrown. Written out by hand, because a generator around the API's own would cost every
 * delta two more turns of the loop.
 */
export class GuardedStream implements ModelStream, AsyncIterableIterator<AssistantMessageEvent> {
  readonly #request: ModelRequest;
  readonly #open: () => Promise<ModelStream>;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #secrets: Iterable<string>;
  #redact: Redact | undefined;
  readonly #advice: (() => string) | undefined;
  #source: Events | undefined;
  #atHand: ModelStream['atHand'];
  #partial: AssistantMessage | undefined;
  /** What is left to say once the source is done for. */
  #last: AssistantMessageEvent[] | undefined;

  constructor(
    request: ModelRequest,
    open: () => Promise<ModelStream>,
    clock: Pick<Clock, 'now'>,
    { secrets = [], advice }: FailureTexts = {},
  ) {
    this.#request = request;
    this.#open = open;
    this.#clock = clock;
    this.#secrets = secrets;
    this.#advice = advice;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<Step> {
    if (this.#last) return Promise.resolve(this.#remaining(this.#last));
    if (this.#source) return this.#source.next().then(this.#passed, this.#failed);
    return this.#begin();
  }

  atHand(): AssistantMessageEvent | undefined {
    const value = this.#last ? undefined : this.#atHand?.();
    if (value) this.#note(value);
    return value;
  }

  async return(): Promise<Step> {
    this.#last = [];
    await this.#source?.return?.();
    return OVER;
  }

  async #begin(): Promise<Step> {
    try {
      const [stream] = await Promise.all([this.#open(), this.#loadRedactor()]);
      this.#source = stream[Symbol.asyncIterator]();
      this.#atHand = stream.atHand?.bind(stream);
    } catch (thrown) {
      return this.#failed(thrown);
    }
    return this.next();
  }

  async #loadRedactor(): Promise<Redact> {
    const { createRedactor } = await import('../base/redaction.ts');
    this.#redact ??= createRedactor(this.#secrets);
    return this.#redact;
  }

  #remaining(last: AssistantMessageEvent[]): Step {
    const value = last.shift();
    return value ? { done: false, value } : OVER;
  }

  readonly #passed = (step: Step): Step | Promise<Step> => {
    if (step.done) return this.#failed(new Error(NO_END));
    this.#note(step.value);
    return step;
  };

  #note(event: AssistantMessageEvent): void {
    if (event.type !== 'done' && event.type !== 'error') {
      this.#partial = event.partial;
      return;
    }
    if (event.type === 'error' && event.error.errorMessage) {
      event.error.errorMessage = this.#redact?.(event.error.errorMessage) ?? event.error.errorMessage;
    }
    this.#last = [];
    if (event.type === 'error' && event.failure?.kind === 'auth' && this.#advice) {
      event.error.errorMessage = `${event.error.errorMessage?.replace(/\.$/, '')}. ${this.#advice()}`;
    }
    // Nothing after the end is heard; the source may clean up.
    void this.#source?.return?.().then(undefined, () => {});
  }

  readonly #failed = async (thrown: unknown): Promise<Step> => {
    const { ABORTED_MESSAGE, failMessage, MessageBuilder } = await import('./message-builder.ts');
    const redact = await this.#loadRedactor();
    const { signal, model } = this.#request;
    const begun = this.#partial;
    const builder = begun ? undefined : new MessageBuilder(model, this.#clock.now());
    const message = begun ?? (builder as InstanceType<typeof MessageBuilder>).message;
    const ending = signal.aborted
      ? failMessage(message, 'aborted', ABORTED_MESSAGE)
      : failMessage(message, 'error', redact(messageOf(thrown)));
    const locked = !signal.aborted && thrown instanceof Fault && thrown.code === 'no_credentials';
    this.#last = [
      ...(builder ? [builder.start()] : []),
      locked ? { ...ending, failure: { kind: 'auth' as const } } : ending,
    ];
    return this.#remaining(this.#last);
  };
}

// Streams of providers that extensions implement.
import type { ApiRequest, Clock, ExtensionProvider, ModelApi } from '../../contracts/index.ts';
import { completeEvent } from '../../core/extension/index.ts';
import type { AssistantMessage, AssistantMessageEvent } from '../../protocol/index.ts';

/** `undefined` when the provider uses one of the built-in formats. */
export function createExtensionApi(provider: ExtensionProvider, clock: Pick<Clock, 'now'>): ModelApi | undefined {
  const { streamSimple } = provider;
  if (typeof streamSimple !== 'function') return undefined;
  return {
    async *stream(request: ApiRequest) {
      const { model, systemPrompt, messages, tools, signal, apiKey, maxTokens, sessionId, thinkingLevel } = request;
      const { headers = {}, rewriteHeaders, rewriteBody, onResponse } = request;
      const options = {
        signal,
        apiKey,
        maxTokens,
        sessionId,
        headers: rewriteHeaders ? await rewriteHeaders({ ...headers }) : headers,
        ...(rewriteBody ? { onPayload: rewriteBody } : {}),
        ...(onResponse ? { onResponse } : {}),
        ...(thinkingLevel === 'off' ? {} : { reasoning: thinkingLevel }),
      };
      const stream = streamSimple.call(provider, model, { systemPrompt, messages, tools }, options);
      for await (const event of stream as AsyncIterable<AssistantMessageEvent>)
        yield completeEvent(event, model, clock);
    },
  };
}

/** A queue of events that providers of extensions write to. */
export class EventStream<E, R> implements AsyncIterable<E> {
  readonly #isLast: (event: E) => boolean;
  readonly #getResult: (event: E) => R;
  readonly #queue: E[] = [];
  #wake: () => void = () => {};
  #isEnded = false;
  #resolveResult: (result: R) => void = () => {};
  readonly #result = new Promise<R>((resolve) => {
    this.#resolveResult = resolve;
  });

  constructor(isLast: (event: E) => boolean, getResult: (event: E) => R) {
    this.#isLast = isLast;
    this.#getResult = getResult;
  }

  push(event: E): void {
    if (this.#isEnded) return;
    this.#queue.push(event);
    this.#isEnded = this.#isLast(event);
    if (this.#isEnded) this.#resolveResult(this.#getResult(event));
    this.#wake();
  }

  end(result?: R): void {
    this.#isEnded = true;
    if (result !== undefined) this.#resolveResult(result);
    this.#wake();
  }

  result(): Promise<R> {
    return this.#result;
  }

  async *[Symbol.asyncIterator](): AsyncIterator<E> {
    for (;;) {
      const event = this.#queue.shift();
      if (event !== undefined) yield event;
      else if (this.#isEnded) return;
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
  }
}

type LastEvent = Extract<AssistantMessageEvent, { type: 'done' | 'error' }>;

/** An EventStream for one answer of a model. */
export class AssistantMessageEventStream extends EventStream<AssistantMessageEvent, AssistantMessage> {
  constructor() {
    super(
      ({ type }) => type === 'done' || type === 'error',
      (event) => {
        const last = event as LastEvent;
        return last.type === 'done' ? last.message : last.error;
      },
    );
  }
}

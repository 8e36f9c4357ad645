// Streams of providers that extensions implement, and model requests from extensions.
import type { ApiRequest, Clock, ExtensionProvider, ModelApi, ModelRegistry } from '../../contracts/index.ts';
import {
  type AssistantMessage,
  type AssistantMessageEvent,
  createEmptyUsage,
  type Model,
  type ModelMessage,
} from '../../protocol/index.ts';

/** The `Context` type of pi: the input of a model request. */
interface RequestContext {
  systemPrompt?: string;
  messages: ModelMessage[];
  tools?: { name: string; description: string; parameters: Record<string, unknown> }[];
}

interface CallOptions {
  signal?: AbortSignal;
  maxTokens?: number;
  reasoning?: 'minimal' | 'low' | 'medium' | 'high';
  sessionId?: string;
}

/** `undefined` when the provider uses one of the built-in formats. */
export function createExtensionApi(provider: ExtensionProvider, clock: Pick<Clock, 'now'>): ModelApi | undefined {
  const { streamSimple } = provider;
  if (typeof streamSimple !== 'function') return undefined;
  return {
    async *stream(request: ApiRequest) {
      const { model, systemPrompt, messages, tools, signal, apiKey, maxTokens, sessionId, thinkingLevel } = request;
      const options = {
        signal,
        apiKey,
        maxTokens,
        sessionId,
        ...(thinkingLevel === 'off' ? {} : { reasoning: thinkingLevel }),
      };
      const stream = streamSimple.call(provider, model, { systemPrompt, messages, tools }, options);
      for await (const event of stream as AsyncIterable<AssistantMessageEvent>)
        yield completeEvent(event, model, clock);
    },
  };
}

/** Adds fields that an extension may omit and that hosts require. */
function completeEvent(event: AssistantMessageEvent, model: Model, clock: Pick<Clock, 'now'>): AssistantMessageEvent {
  const completeMessage = (message: AssistantMessage): AssistantMessage =>
    Object.assign(message, { ...createEmptyMessage(model, clock.now()), ...message });
  if (event.type === 'done') return { ...event, message: completeMessage(event.message) };
  if (event.type === 'error') return { ...event, error: completeMessage(event.error) };
  return { ...event, partial: completeMessage(event.partial) };
}

function createEmptyMessage(model: Model, timestamp: number): AssistantMessage {
  const { api, provider, id } = model;
  return {
    role: 'assistant',
    content: [],
    api,
    provider,
    model: id,
    usage: createEmptyUsage(),
    stopReason: 'stop',
    timestamp,
  };
}

export function createStreamFunctions(modelRegistry: ModelRegistry, clock: Pick<Clock, 'now'>) {
  const stream = (model: Model, context: RequestContext, options: CallOptions = {}) => {
    const source = modelRegistry.stream({
      model,
      systemPrompt: context.systemPrompt ?? '',
      messages: context.messages,
      tools: context.tools ?? [],
      thinkingLevel: options.reasoning ?? 'off',
      ...(options.maxTokens === undefined ? {} : { maxTokens: options.maxTokens }),
      signal: options.signal ?? new AbortController().signal,
      sessionId: options.sessionId ?? 'extension',
    });
    return Object.assign(source, { result: () => readResult(source, model, clock) });
  };
  const complete = (model: Model, context: RequestContext, options?: CallOptions) =>
    stream(model, context, options).result();
  return { stream, streamSimple: stream, complete, completeSimple: complete };
}

async function readResult(
  source: AsyncIterable<AssistantMessageEvent>,
  model: Model,
  clock: Pick<Clock, 'now'>,
): Promise<AssistantMessage> {
  for await (const event of source) {
    if (event.type === 'done') return event.message;
    if (event.type === 'error') return event.error;
  }
  return { ...createEmptyMessage(model, clock.now()), stopReason: 'error', errorMessage: 'The model gave no answer' };
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

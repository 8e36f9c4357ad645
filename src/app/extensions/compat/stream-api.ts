// The hall: providers of extensions that answer by themselves, and asking a model from inside an extension.
import type { ApiRequest, Clock, ExtensionProvider, ModelApi, Models } from '../../../contracts/index.ts';
import {
  type AssistantMessage,
  type AssistantMessageEvent,
  type Model,
  type ModelMessage,
  noUsage,
} from '../../../protocol/index.ts';

/** What extensions call a context: all that a model is given. */
interface Conversation {
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

/** `undefined` when the provider speaks one of the known formats. */
export function apiOf(provider: ExtensionProvider, clock: Pick<Clock, 'now'>): ModelApi | undefined {
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
      for await (const event of stream as AsyncIterable<AssistantMessageEvent>) yield complete(event, model, clock);
    },
  };
}

/** Fields that an extension may leave out, and hosts rely on. */
function complete(event: AssistantMessageEvent, model: Model, clock: Pick<Clock, 'now'>): AssistantMessageEvent {
  const whole = (message: AssistantMessage): AssistantMessage =>
    Object.assign(message, { ...blank(model, clock.now()), ...message });
  if (event.type === 'done') return { ...event, message: whole(event.message) };
  if (event.type === 'error') return { ...event, error: whole(event.error) };
  return { ...event, partial: whole(event.partial) };
}

function blank(model: Model, timestamp: number): AssistantMessage {
  const { api, provider, id } = model;
  return { role: 'assistant', content: [], api, provider, model: id, usage: noUsage(), stopReason: 'stop', timestamp };
}

export function askingFunctions(models: Models, clock: Pick<Clock, 'now'>) {
  const stream = (model: Model, context: Conversation, options: CallOptions = {}) => {
    const source = models.stream({
      model,
      systemPrompt: context.systemPrompt ?? '',
      messages: context.messages,
      tools: context.tools ?? [],
      thinkingLevel: options.reasoning ?? 'off',
      ...(options.maxTokens === undefined ? {} : { maxTokens: options.maxTokens }),
      signal: options.signal ?? new AbortController().signal,
      sessionId: options.sessionId ?? 'extension',
    });
    return Object.assign(source, { result: () => lastOf(source, model, clock) });
  };
  const ask = (model: Model, context: Conversation, options?: CallOptions) => stream(model, context, options).result();
  return { stream, streamSimple: stream, complete: ask, completeSimple: ask };
}

async function lastOf(
  source: AsyncIterable<AssistantMessageEvent>,
  model: Model,
  clock: Pick<Clock, 'now'>,
): Promise<AssistantMessage> {
  for await (const event of source) {
    if (event.type === 'done') return event.message;
    if (event.type === 'error') return event.error;
  }
  return { ...blank(model, clock.now()), stopReason: 'error', errorMessage: 'The model gave no answer' };
}

/** A stream that is written at one end and read at the other, as extensions' own providers use it. */
export class EventStream<E, R> implements AsyncIterable<E> {
  readonly #isLast: (event: E) => boolean;
  readonly #resultOf: (event: E) => R;
  readonly #waiting: E[] = [];
  #wake: () => void = () => {};
  #over = false;
  #settle: (result: R) => void = () => {};
  readonly #result = new Promise<R>((resolve) => {
    this.#settle = resolve;
  });

  constructor(isLast: (event: E) => boolean, resultOf: (event: E) => R) {
    this.#isLast = isLast;
    this.#resultOf = resultOf;
  }

  push(event: E): void {
    if (this.#over) return;
    this.#waiting.push(event);
    this.#over = this.#isLast(event);
    if (this.#over) this.#settle(this.#resultOf(event));
    this.#wake();
  }

  end(result?: R): void {
    this.#over = true;
    if (result !== undefined) this.#settle(result);
    this.#wake();
  }

  result(): Promise<R> {
    return this.#result;
  }

  async *[Symbol.asyncIterator](): AsyncIterator<E> {
    for (;;) {
      const event = this.#waiting.shift();
      if (event !== undefined) yield event;
      else if (this.#over) return;
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
  }
}

type Last = Extract<AssistantMessageEvent, { type: 'done' | 'error' }>;

/** The same for one answer of a model. */
export class AssistantMessageEventStream extends EventStream<AssistantMessageEvent, AssistantMessage> {
  constructor() {
    super(
      ({ type }) => type === 'done' || type === 'error',
      (event) => {
        const last = event as Last;
        return last.type === 'done' ? last.message : last.error;
      },
    );
  }
}

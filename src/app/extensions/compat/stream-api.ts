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
export class AssistantMessageEventStream implements AsyncIterable<AssistantMessageEvent> {
  readonly #waiting: AssistantMessageEvent[] = [];
  #wake: () => void = () => {};
  #over = false;
  #settle: (message: AssistantMessage) => void = () => {};
  readonly #result = new Promise<AssistantMessage>((resolve) => {
    this.#settle = resolve;
  });

  push(event: AssistantMessageEvent): void {
    if (this.#over) return;
    this.#waiting.push(event);
    if (event.type === 'done') this.#settle(event.message);
    if (event.type === 'error') this.#settle(event.error);
    this.#over = event.type === 'done' || event.type === 'error';
    this.#wake();
  }

  end(): void {
    this.#over = true;
    this.#wake();
  }

  result(): Promise<AssistantMessage> {
    return this.#result;
  }

  async *[Symbol.asyncIterator](): AsyncIterator<AssistantMessageEvent> {
    for (;;) {
      const event = this.#waiting.shift();
      if (event) yield event;
      else if (this.#over) return;
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
  }
}

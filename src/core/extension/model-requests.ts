// Model requests of extensions: `stream` and `complete` of pi. Keys are added by the model registry.
import { createDeferred } from '../../base/index.ts';
import type { Clock, ModelRegistry, ToolDefinition } from '../../contracts/index.ts';
import {
  type AssistantMessage,
  type AssistantMessageEvent,
  createEmptyUsage,
  type Model,
  type ModelMessage,
  type ThinkingLevel,
} from '../../protocol/index.ts';
import { getCurrentSystemPrompt, getCurrentTools, isSystemMessage } from './system-messages.ts';

/** The `Context` type of pi. The system prompt and the tools may also be in system messages. */
interface RequestContext {
  systemPrompt?: string;
  messages: readonly (ModelMessage | { role: 'system' })[];
  tools?: readonly ToolDefinition[];
}

interface RequestOptions {
  signal?: AbortSignal;
  maxTokens?: number;
  reasoning?: ThinkingLevel;
  sessionId?: string;
}

/** Can be read once. `result` reads it if nothing else does. */
interface RequestStream extends AsyncIterable<AssistantMessageEvent> {
  result(): Promise<AssistantMessage>;
}

export function createModelRequests(modelRegistry: ModelRegistry, clock: Pick<Clock, 'now'>) {
  const stream = (model: Model, context: RequestContext, options: RequestOptions = {}): RequestStream => {
    const { systemPrompt = '', tools = [] } = context;
    const added = getCurrentSystemPrompt(context.messages);
    const source = modelRegistry.stream({
      model,
      systemPrompt: [systemPrompt, added].filter((text) => text !== '').join('\n\n'),
      messages: context.messages.filter((message): message is ModelMessage => !isSystemMessage(message)),
      tools: [...tools, ...getCurrentTools(context.messages)],
      thinkingLevel: options.reasoning ?? 'off',
      ...(options.maxTokens === undefined ? {} : { maxTokens: options.maxTokens }),
      signal: options.signal ?? new AbortController().signal,
      sessionId: options.sessionId ?? 'extension',
    });
    return createRequestStream(source, () => createEmptyMessage(model, clock.now()));
  };
  const complete = (model: Model, context: RequestContext, options?: RequestOptions) =>
    stream(model, context, options).result();
  return { stream, streamSimple: stream, complete, completeSimple: complete };
}

function createRequestStream(
  source: AsyncIterable<AssistantMessageEvent>,
  createMessage: () => AssistantMessage,
): RequestStream {
  const last = createDeferred<AssistantMessage>();
  let isRead = false;
  async function* read(): AsyncGenerator<AssistantMessageEvent> {
    isRead = true;
    try {
      for await (const event of source) {
        if (event.type === 'done') last.resolve(event.message);
        if (event.type === 'error') last.resolve(event.error);
        yield event;
      }
    } finally {
      // Has no effect if the last event has been read.
      last.resolve({ ...createMessage(), stopReason: 'error', errorMessage: 'The model gave no answer' });
    }
  }
  return {
    [Symbol.asyncIterator]: read,
    async result() {
      if (!isRead) for await (const _ of read());
      return last.promise;
    },
  };
}

/** Adds fields that an extension may omit and that hosts require. */
export function completeEvent(
  event: AssistantMessageEvent,
  model: Model,
  clock: Pick<Clock, 'now'>,
): AssistantMessageEvent {
  const completeMessage = (message: AssistantMessage): AssistantMessage =>
    Object.assign(message, { ...createEmptyMessage(model, clock.now()), ...message });
  if (event.type === 'done') return { ...event, message: completeMessage(event.message) };
  if (event.type === 'error') return { ...event, error: completeMessage(event.error) };
  return { ...event, partial: completeMessage(event.partial) };
}

export function createEmptyMessage(model: Model, timestamp: number): AssistantMessage {
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

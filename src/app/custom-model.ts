// A model whose answers are produced by a callback of the embedding program.
import { getErrorMessage } from '../base/index.ts';
import type { ModelRegistry, ModelRequest } from '../contracts/index.ts';
import { ABORTED_MESSAGE, MessageBuilder } from '../llm/message-builder.ts';
import type { AssistantMessageEvent, Model, StreamEvent } from '../protocol/index.ts';
import { createClock } from './system-ports/clock.ts';

/** A part of an answer. Consecutive texts are joined into one block. A tool call is passed as a whole. */
export type AnswerPart =
  | string
  | { readonly thinking: string }
  | { readonly call: string; readonly arguments?: Record<string, unknown> };

export interface CustomModelOptions extends Partial<Omit<Model, 'id'>> {
  readonly id: string;
  /** An exception becomes the error of the answer. `request.signal` aborts when the answer is no longer needed. */
  answer(request: ModelRequest): Iterable<AnswerPart> | AsyncIterable<AnswerPart>;
}

/** Returns a registry with only this model, for the `models` option of createAgentSession. */
export function createCustomModel({ answer, ...description }: CustomModelOptions): ModelRegistry {
  const model: Model = {
    name: description.id,
    api: 'own',
    provider: 'own',
    baseUrl: '',
    reasoning: false,
    input: ['text'],
    contextWindow: 128_000,
    maxTokens: 8192,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    ...description,
  };
  return {
    chooseInitial: async () => model,
    find: async (provider, id) => (provider === model.provider && id === model.id ? model : undefined),
    listAvailable: async () => [model],
    listScoped: async () => undefined,
    requireCredentials: async () => {},
    stream: (request) => streamAnswer(request, answer),
  };
}

async function* streamAnswer(
  request: ModelRequest,
  answer: CustomModelOptions['answer'],
): AsyncGenerator<AssistantMessageEvent> {
  const builder = new MessageBuilder(request.model, createClock().now());
  yield builder.start();
  const writer = new AnswerWriter(builder, request);
  try {
    for await (const part of answer(request)) {
      if (request.signal.aborted) break;
      yield* writer.write(part);
    }
    yield* writer.endBlock();
  } catch (thrown) {
    if (!request.signal.aborted) return yield builder.fail('error', getErrorMessage(thrown));
  }
  if (request.signal.aborted) yield builder.fail('aborted', ABORTED_MESSAGE);
  else yield builder.finish(writer.toolCallCount > 0 ? 'toolUse' : 'stop');
}

/** Combines answer parts into message blocks. Only the last block is open. */
class AnswerWriter {
  toolCallCount = 0;
  readonly #builder: MessageBuilder;
  /** Keeps call ids unique in the session, also after a compaction has removed earlier calls from the history. */
  readonly #idPrefix: string;
  readonly #earlierResults: number;
  #openBlock: 'text' | 'thinking' | undefined;

  constructor(builder: MessageBuilder, { messages }: ModelRequest) {
    this.#builder = builder;
    this.#idPrefix = `call_${builder.message.timestamp.toString(36)}`;
    this.#earlierResults = messages.filter(({ role }) => role === 'toolResult').length;
  }

  *write(answerPart: AnswerPart): Generator<StreamEvent> {
    if (typeof answerPart === 'string') {
      yield* this.#beginBlock('text');
      yield this.#builder.appendText(answerPart);
    } else if ('thinking' in answerPart) {
      yield* this.#beginBlock('thinking');
      yield this.#builder.appendThinking(answerPart.thinking);
    } else {
      yield* this.endBlock();
      this.toolCallCount++;
      yield this.#builder.startToolCall(
        `${this.#idPrefix}_${this.#earlierResults + this.toolCallCount}`,
        answerPart.call,
      );
      yield this.#builder.appendToolCall(JSON.stringify(answerPart.arguments ?? {}));
      yield this.#builder.endToolCall();
    }
  }

  *endBlock(): Generator<StreamEvent> {
    if (this.#openBlock === 'text') yield this.#builder.endText();
    if (this.#openBlock === 'thinking') yield this.#builder.endThinking();
    this.#openBlock = undefined;
  }

  *#beginBlock(kind: 'text' | 'thinking'): Generator<StreamEvent> {
    if (this.#openBlock === kind) return;
    yield* this.endBlock();
    this.#openBlock = kind;
    yield kind === 'text' ? this.#builder.startText() : this.#builder.startThinking();
  }
}

// The hall: a model that the embedding program answers for itself. Knows the events of an answer, and no provider.
import { messageOf } from '../base/index.ts';
import type { ModelRequest, Models } from '../contracts/index.ts';
import { ABORTED_MESSAGE, MessageBuilder } from '../llm/message-builder.ts';
import type { AssistantMessageEvent, Model, StreamEvent } from '../protocol/index.ts';
import { createClock } from './system-ports/clock.ts';

/** A piece of an answer. Texts that follow one another become one; a call is made whole. */
export type Said =
  | string
  | { readonly thinking: string }
  | { readonly call: string; readonly arguments?: Record<string, unknown> };

export interface OwnModel extends Partial<Omit<Model, 'id'>> {
  readonly id: string;
  /** What is thrown here becomes the answer's error. `request.signal` says when nobody waits any longer. */
  answer(request: ModelRequest): Iterable<Said> | AsyncIterable<Said>;
}

/** For the `models` of createAgentSession: the only model there is. */
export function ownModel({ answer, ...description }: OwnModel): Models {
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
    initial: async () => model,
    find: async (provider, id) => (provider === model.provider && id === model.id ? model : undefined),
    available: async () => [model],
    scope: async () => undefined,
    ready: async () => {},
    stream: (request) => tell(request, answer),
  };
}

async function* tell(request: ModelRequest, answer: OwnModel['answer']): AsyncGenerator<AssistantMessageEvent> {
  const builder = new MessageBuilder(request.model, createClock().now());
  yield builder.start();
  const speech = new Speech(builder, request);
  try {
    for await (const said of answer(request)) {
      if (request.signal.aborted) break;
      yield* speech.take(said);
    }
    yield* speech.endBlock();
  } catch (thrown) {
    if (!request.signal.aborted) return yield builder.fail('error', messageOf(thrown));
  }
  if (request.signal.aborted) yield builder.fail('aborted', ABORTED_MESSAGE);
  else yield builder.finish(speech.calls > 0 ? 'toolUse' : 'stop');
}

/** Puts pieces into blocks: only the last one is open. */
class Speech {
  calls = 0;
  readonly #builder: MessageBuilder;
  /** Unique in the session, also after a compaction has taken earlier calls out of the history. */
  readonly #idBegins: string;
  readonly #before: number;
  #open: 'text' | 'thinking' | undefined;

  constructor(builder: MessageBuilder, { messages }: ModelRequest) {
    this.#builder = builder;
    this.#idBegins = `call_${builder.message.timestamp.toString(36)}`;
    this.#before = messages.filter(({ role }) => role === 'toolResult').length;
  }

  *take(said: Said): Generator<StreamEvent> {
    if (typeof said === 'string') {
      yield* this.#begin('text');
      yield this.#builder.appendText(said);
    } else if ('thinking' in said) {
      yield* this.#begin('thinking');
      yield this.#builder.appendThinking(said.thinking);
    } else {
      yield* this.endBlock();
      this.calls++;
      yield this.#builder.startToolCall(`${this.#idBegins}_${this.#before + this.calls}`, said.call);
      yield this.#builder.appendToolCall(JSON.stringify(said.arguments ?? {}));
      yield this.#builder.endToolCall();
    }
  }

  *endBlock(): Generator<StreamEvent> {
    if (this.#open === 'text') yield this.#builder.endText();
    if (this.#open === 'thinking') yield this.#builder.endThinking();
    this.#open = undefined;
  }

  *#begin(kind: 'text' | 'thinking'): Generator<StreamEvent> {
    if (this.#open === kind) return;
    yield* this.endBlock();
    this.#open = kind;
    yield kind === 'text' ? this.#builder.startText() : this.#builder.startThinking();
  }
}

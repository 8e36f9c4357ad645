// First floor, llm: from one provider's events to ours. A wire format is a pure `call` and a pure `reader`; the rest is here.
import { flattened, messageOf } from '../../base/index.ts';
import { redact } from '../../base/redaction.ts';
import type { ApiRequest, ModelApi } from '../../contracts/index.ts';
import type { AssistantMessageEvent, StreamEvent } from '../../protocol/index.ts';
import { ABORTED_MESSAGE, type DoneReason, MessageBuilder } from '../message-builder.ts';
import { withLegalTools } from '../tool-name.ts';
import { withoutUserinfo } from './address.ts';
import { ProviderFault } from './failure.ts';
import { type HttpCall, type HttpPorts, post, type ServerEvent } from './post.ts';

/**
 * Follows one answer. Each event must be taken before the message grows any further, because it carries the message as
 * it stands: hence iterables that do their work when they are asked. What cannot be read is thrown.
 */
export interface WireReader {
  read(event: ServerEvent): Iterable<StreamEvent>;
  /** The provider has said its last word; not every connection ends with it. */
  readonly isOver: boolean;
  /** The bytes are over: closes what is open, or throws when the answer is not whole. */
  end(): Generator<StreamEvent, DoneReason>;
}

export interface Wire {
  call(request: ApiRequest): HttpCall;
  reader(builder: MessageBuilder, request: ApiRequest): WireReader;
}

export interface WirePorts extends HttpPorts {
  /** For the formats that are read through a library. */
  fetch: typeof fetch;
}

export function createWireApi(ports: WirePorts, wire: Wire): ModelApi {
  return { stream: (request) => flattened(new Answer(ports, wire, request).batches()) };
}

type Events = Iterable<AssistantMessageEvent>;

class Answer {
  readonly #ports: WirePorts;
  readonly #wire: Wire;
  readonly #request: ApiRequest;
  readonly #builder: MessageBuilder;
  #secrets: readonly string[] = [];
  #begun = false;
  #failed = false;

  constructor(ports: WirePorts, wire: Wire, request: ApiRequest) {
    this.#ports = ports;
    this.#wire = wire;
    const legal = withLegalTools(request);
    this.#request = legal.request;
    this.#builder = new MessageBuilder(request.model, ports.clock.now(), legal.names);
  }

  /** One batch for each piece of the answer that comes from the network. */
  async *batches(): AsyncGenerator<Events> {
    try {
      const planned = this.#wire.call(this.#request);
      this.#secrets = planned.secrets;
      const { rewrite } = this.#request;
      const body = rewrite ? await rewrite(planned.body) : planned.body;
      const call = { ...planned, ...withoutUserinfo(planned.url, planned.headers), body };
      const reader = this.#wire.reader(this.#builder, this.#request);
      const progress = { isOver: () => reader.isOver, count: () => this.#builder.progress };
      for await (const events of post(this.#ports, call, this.#request, progress)) {
        yield this.#follow(reader, events);
        if (this.#failed) return;
      }
      yield this.#end(reader);
    } catch (thrown) {
      yield this.#fail(thrown);
    }
  }

  *#follow(reader: WireReader, events: readonly ServerEvent[]): Generator<AssistantMessageEvent> {
    const { signal } = this.#request;
    yield* this.#start();
    try {
      for (const event of events) {
        if (signal.aborted) throw signal.reason;
        yield* reader.read(event);
      }
    } catch (thrown) {
      yield* this.#fail(thrown);
    }
  }

  *#end(reader: WireReader): Generator<AssistantMessageEvent> {
    try {
      const reason = yield* reader.end();
      yield this.#builder.finish(reason);
    } catch (thrown) {
      yield* this.#fail(thrown);
    }
  }

  *#start(): Generator<AssistantMessageEvent> {
    if (!this.#begun) yield this.#builder.start();
    this.#begun = true;
  }

  *#fail(thrown: unknown): Generator<AssistantMessageEvent> {
    this.#failed = true;
    yield* this.#start();
    if (this.#request.signal.aborted) return yield this.#builder.fail('aborted', ABORTED_MESSAGE);
    const failure = thrown instanceof ProviderFault ? thrown.failure : undefined;
    const words = redact(messageOf(thrown), this.#secrets);
    yield { ...this.#builder.fail('error', words), ...(failure ? { failure } : {}) };
  }
}

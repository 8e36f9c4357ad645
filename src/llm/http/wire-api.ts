// Runs a wire format over HTTP: sends its request and converts the provider's events to AssistantMessageEvents.
import { flattenBatches, getErrorMessage } from '../../base/index.ts';
import { redact } from '../../base/redaction.ts';
import type { ApiRequest, ModelApi } from '../../contracts/index.ts';
import type { AssistantMessageEvent, StreamEvent } from '../../protocol/index.ts';
import { ABORTED_MESSAGE, type DoneReason, MessageBuilder } from '../message-builder.ts';
import { normalizeTools } from '../tool-name.ts';
import { collectSecrets, rewriteHeaders } from './headers.ts';
import {
  createBaseHeaders,
  type HttpPorts,
  type ProviderRequest,
  postForEvents,
  type ServerSentEvent,
} from './post-for-events.ts';
import { ProviderFault } from './provider-fault.ts';
import { moveUserinfoToHeader } from './url-secrets.ts';

/**
 * Reads one answer. Each event refers to the message in its current state and must be consumed before the message grows.
 * Therefore the iterables are lazy. Invalid input throws.
 */
export interface WireReader {
  read(event: ServerSentEvent): Iterable<StreamEvent>;
  /** The provider's final event was read. The connection may stay open after it. */
  readonly isComplete: boolean;
  /** The body has ended: closes the open block, or throws if the answer is incomplete. */
  end(): Generator<StreamEvent, DoneReason>;
}

export interface WireFormat {
  buildRequest(request: ApiRequest): ProviderRequest;
  createReader(builder: MessageBuilder, request: ApiRequest): WireReader;
}

export interface WirePorts extends HttpPorts {
  /** For formats that use the AI SDK. */
  fetch: typeof fetch;
}

export function createWireApi(ports: WirePorts, format: WireFormat): ModelApi {
  return { stream: (request) => flattenBatches(new ResponseStream(ports, format, request).batches()) };
}

type Events = Iterable<AssistantMessageEvent>;

class ResponseStream {
  readonly #ports: WirePorts;
  readonly #format: WireFormat;
  readonly #request: ApiRequest;
  readonly #builder: MessageBuilder;
  #secrets: readonly string[] = [];
  #hasStarted = false;
  #hasFailed = false;

  constructor(ports: WirePorts, format: WireFormat, request: ApiRequest) {
    this.#ports = ports;
    this.#format = format;
    const normalized = normalizeTools(request);
    this.#request = normalized.request;
    this.#builder = new MessageBuilder(request.model, ports.clock.now(), normalized.originalNames);
  }

  /** One batch for each chunk received from the network. */
  async *batches(): AsyncGenerator<Events> {
    try {
      const built = this.#format.buildRequest(this.#request);
      const headers = await this.#buildHeaders(built.headers);
      this.#secrets = [...built.secrets, ...collectSecrets({ headers })];
      const { rewriteBody } = this.#request;
      const body = rewriteBody ? await rewriteBody(built.body) : built.body;
      const target = moveUserinfoToHeader(built.url, headers);
      const providerRequest = { ...target, secrets: this.#secrets, body };
      const reader = this.#format.createReader(this.#builder, this.#request);
      const progress = { isComplete: () => reader.isComplete, countContent: () => this.#builder.progress };
      for await (const events of postForEvents(this.#ports, providerRequest, this.#request, progress)) {
        yield this.#readEvents(reader, events);
        if (this.#hasFailed) return;
      }
      yield this.#end(reader);
    } catch (thrown) {
      yield this.#fail(thrown);
    }
  }

  async #buildHeaders(ownHeaders: ProviderRequest['headers']): Promise<ProviderRequest['headers']> {
    const headers = { ...createBaseHeaders(this.#ports), ...ownHeaders };
    const { rewriteHeaders: hook } = this.#request;
    return hook ? rewriteHeaders(headers, hook) : headers;
  }

  *#readEvents(reader: WireReader, events: readonly ServerSentEvent[]): Generator<AssistantMessageEvent> {
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
    if (!this.#hasStarted) yield this.#builder.start();
    this.#hasStarted = true;
  }

  *#fail(thrown: unknown): Generator<AssistantMessageEvent> {
    this.#hasFailed = true;
    yield* this.#start();
    if (this.#request.signal.aborted) return yield this.#builder.fail('aborted', ABORTED_MESSAGE);
    const failure = thrown instanceof ProviderFault ? thrown.providerFailure : undefined;
    const errorText = redact(getErrorMessage(thrown), this.#secrets);
    yield { ...this.#builder.fail('error', errorText), ...(failure ? { failure } : {}) };
  }
}

// First floor, llm: from one provider's events to ours. A wire format is a pure `call` and a pure `reader`; the rest is here.
import { messageOf } from '../../base/index.ts';
import type { ApiRequest, Clock, ModelApi } from '../../contracts/index.ts';
import type { AssistantMessageEvent, StreamEvent } from '../../protocol/index.ts';
import { ABORTED_MESSAGE, type DoneReason, MessageBuilder } from '../message-builder.ts';
import { ProviderFault, redact } from './failure.ts';
import { type HttpCall, type HttpPorts, post, type ServerEvent } from './post.ts';

/**
 * Follows one answer. Each event must be yielded before the message grows any further, because it carries the message as
 * it stands: hence generators. What cannot be read is thrown.
 */
export interface WireReader {
  read(event: ServerEvent): Iterable<StreamEvent>;
  /** The bytes are over: closes what is open, or throws when the answer is not whole. */
  end(): Generator<StreamEvent, DoneReason>;
}

export interface Wire {
  call(request: ApiRequest): HttpCall;
  reader(builder: MessageBuilder, request: ApiRequest): WireReader;
}

export interface WirePorts extends HttpPorts {
  clock: Pick<Clock, 'after' | 'now'>;
}

export function createWireApi(ports: WirePorts, wire: Wire): ModelApi {
  return { stream: (request) => follow(ports, wire, request) };
}

async function* follow(ports: WirePorts, wire: Wire, request: ApiRequest): AsyncGenerator<AssistantMessageEvent> {
  const builder = new MessageBuilder(request.model, ports.clock.now());
  let secrets: readonly string[] = [];
  let begun = false;
  try {
    const planned = wire.call(request);
    secrets = planned.secrets;
    const call = request.rewrite ? { ...planned, body: await request.rewrite(planned.body) } : planned;
    const reader = wire.reader(builder, request);
    for await (const events of post(ports, call, request.signal)) {
      if (!begun) yield builder.start();
      begun = true;
      for (const event of events) {
        request.signal.throwIfAborted();
        yield* reader.read(event);
      }
    }
    const reason = yield* reader.end();
    yield builder.finish(reason);
  } catch (thrown) {
    if (!begun) yield builder.start();
    if (request.signal.aborted) return yield builder.fail('aborted', ABORTED_MESSAGE);
    const failure = thrown instanceof ProviderFault ? thrown.failure : undefined;
    yield { ...builder.fail('error', redact(messageOf(thrown), secrets)), ...(failure ? { failure } : {}) };
  }
}

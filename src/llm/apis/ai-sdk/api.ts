// First floor, llm: from one language model of the AI SDK to our events. What the providers differ in is their format's to say.
import { Fault, messageOf } from '../../../base/index.ts';
import { redact } from '../../../base/redaction.ts';
import type { ApiRequest, ModelApi, ToolOffer } from '../../../contracts/index.ts';
import type { AssistantMessageEvent } from '../../../protocol/index.ts';
import { ProviderFault } from '../../http/failure.ts';
import { lowerCased } from '../../http/headers.ts';
import type { WirePorts } from '../../http/wire.ts';
import { ABORTED_MESSAGE, MessageBuilder } from '../../message-builder.ts';
import { withLegalTools } from '../../tool-name.ts';
import { failureOf } from './failure.ts';
import type { Prepared, SdkFormat } from './format.ts';
import type { CallOptions, FunctionTool } from './language-model.ts';
import { promptOf } from './prompt.ts';
import { PartReader } from './reader.ts';
import { type WatchedFetch, watchedFetch } from './watched-fetch.ts';

/** `prepare` may read files and ask for a token. What it throws is the answer's failure. */
export function createSdkApi(ports: WirePorts, prepare: (request: ApiRequest) => Promise<Prepared>): ModelApi {
  const newId = callNames(ports);
  return {
    stream(given) {
      const { request, names } = withLegalTools(given);
      const builder = new MessageBuilder(request.model, ports.clock.now(), names);
      return follow(ports, () => prepare(request), request, { builder, newId });
    },
  };
}

/** For models that do not name their calls. The clock tells one run of the program from another. */
function callNames({ clock }: Pick<WirePorts, 'clock'>): () => string {
  let made = 0;
  return () => `call_${clock.now().toString(36)}_${(++made).toString(36)}`;
}

async function* follow(
  ports: WirePorts,
  prepare: () => Promise<Prepared>,
  { model, signal, idle }: ApiRequest,
  { builder, newId }: { builder: MessageBuilder; newId: () => string },
): AsyncGenerator<AssistantMessageEvent> {
  let secrets: readonly string[] = [];
  let line: WatchedFetch | undefined;
  let begun = false;
  try {
    signal.throwIfAborted();
    const { format, request } = await orAborted(prepare(), signal);
    secrets = format.secrets(request);
    const headers = { 'user-agent': ports.userAgent, ...lowerCased(request) };
    line = watchedFetch(ports, { format, secrets, headers }, { signal, idle });
    const asked = format.connect(request, { fetch: line.fetch, newId });
    const { stream } = await asked.doStream(await callOf(request, format, line.signal));
    begun = true;
    // A host that is slow to read is no fault of the provider's.
    line.hold();
    yield builder.start();
    line.resume(false);
    const reader = new PartReader(builder, { model, format, secrets });
    for await (const part of stream) {
      signal.throwIfAborted();
      const before = builder.progress;
      line.hold();
      yield* reader.read(part);
      line.resume(builder.progress !== before);
    }
    if (line.lost) throw line.lost;
    yield builder.finish(yield* reader.end());
  } catch (thrown) {
    if (!begun) yield builder.start();
    if (signal.aborted) return yield builder.fail('aborted', ABORTED_MESSAGE);
    const fault = failureOf(causeOf(thrown, line?.lost), secrets);
    const failure = fault instanceof ProviderFault ? fault.failure : undefined;
    yield { ...builder.fail('error', redact(messageOf(fault), secrets)), ...(failure ? { failure } : {}) };
  } finally {
    line?.end();
  }
}

/** An answer that was cut off at a limit also looks malformed to the SDK. */
function causeOf(thrown: unknown, lost: unknown): unknown {
  if (lost instanceof ProviderFault && lost.failure.kind === 'limit') return lost;
  return thrown instanceof Fault ? thrown : (lost ?? thrown);
}

/** What is awaited may be shared with others, so it goes on without us. */
async function orAborted<T>(awaited: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([awaited, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

async function callOf(request: ApiRequest, format: SdkFormat, abortSignal: AbortSignal): Promise<CallOptions> {
  const { remembers, ...plan } = format.plan(request);
  const planned = {
    prompt: promptOf(request, format, remembers),
    ...plan,
    ...(request.tools.length === 0 ? {} : { tools: request.tools.map(toolOf) }),
    ...(format.errorsAreRaw ? { includeRawChunks: true } : {}),
  };
  const options = request.rewrite ? ((await request.rewrite(planned)) as typeof planned) : planned;
  return { ...options, abortSignal };
}

function toolOf({ name, description, parameters }: ToolOffer): FunctionTool {
  return { type: 'function', name, description, inputSchema: { ...parameters, type: 'object' } };
}

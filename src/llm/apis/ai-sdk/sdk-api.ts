// Runs a model of the AI SDK and converts its stream to AssistantMessageEvents.
import { Fault, getErrorMessage } from '../../../base/index.ts';
import { redact } from '../../../base/redaction.ts';
import type { ApiRequest, ModelApi, ToolDefinition } from '../../../contracts/index.ts';
import type { AssistantMessageEvent } from '../../../protocol/index.ts';
import { lowerCaseHeaders } from '../../http/headers.ts';
import { ProviderFault } from '../../http/provider-fault.ts';
import type { WirePorts } from '../../http/wire-api.ts';
import { ABORTED_MESSAGE, MessageBuilder } from '../../message-builder.ts';
import { normalizeTools } from '../../tool-name.ts';
import { convertSdkError } from './convert-sdk-error.ts';
import type { CallOptions, FunctionTool } from './language-model.ts';
import { createMonitoredFetch, type MonitoredFetch } from './monitored-fetch.ts';
import { PartReader } from './part-reader.ts';
import { buildPrompt } from './prompt.ts';
import type { PreparedRequest, SdkFormat } from './sdk-format.ts';

/** `prepare` may read files and request a token. An error it throws ends the stream with that error. */
export function createSdkApi(ports: WirePorts, prepare: (request: ApiRequest) => Promise<PreparedRequest>): ModelApi {
  const newId = createCallIdGenerator(ports);
  return {
    stream(originalRequest) {
      const { request, originalNames } = normalizeTools(originalRequest);
      const builder = new MessageBuilder(request.model, ports.clock.now(), originalNames);
      return streamResponse(ports, () => prepare(request), request, { builder, newId });
    },
  };
}

/** For models that send no call ids. The time makes the ids of different program runs different. */
function createCallIdGenerator({ clock }: Pick<WirePorts, 'clock'>): () => string {
  let count = 0;
  return () => `call_${clock.now().toString(36)}_${(++count).toString(36)}`;
}

async function* streamResponse(
  ports: WirePorts,
  prepare: () => Promise<PreparedRequest>,
  originalRequest: ApiRequest,
  { builder, newId }: { builder: MessageBuilder; newId: () => string },
): AsyncGenerator<AssistantMessageEvent> {
  const { model, signal } = originalRequest;
  let secrets: readonly string[] = [];
  let monitoredFetch: MonitoredFetch | undefined;
  let hasStarted = false;
  try {
    signal.throwIfAborted();
    const { format, request } = await rejectOnAbort(prepare(), signal);
    secrets = format.collectSecrets(request);
    const headers = { 'user-agent': ports.userAgent, ...lowerCaseHeaders(request) };
    monitoredFetch = createMonitoredFetch(ports, { format, secrets, headers }, originalRequest);
    const languageModel = format.connect(request, { fetch: monitoredFetch.fetch, newId });
    const { stream } = await languageModel.doStream(await buildCallOptions(request, format, monitoredFetch.signal));
    hasStarted = true;
    // Time that the host needs to process events does not count as idle time of the provider.
    monitoredFetch.pause();
    yield builder.start();
    monitoredFetch.resume(false);
    const reader = new PartReader(builder, { model, format, secrets });
    for await (const part of stream) {
      signal.throwIfAborted();
      const before = builder.progress;
      monitoredFetch.pause();
      yield* reader.read(part);
      monitoredFetch.resume(builder.progress !== before);
    }
    if (monitoredFetch.failure) throw monitoredFetch.failure;
    yield builder.finish(yield* reader.end());
  } catch (thrown) {
    if (!hasStarted) yield builder.start();
    if (signal.aborted) return yield builder.fail('aborted', ABORTED_MESSAGE);
    const fault = convertSdkError(selectCause(thrown, monitoredFetch?.failure), secrets);
    const failure = fault instanceof ProviderFault ? fault.providerFailure : undefined;
    yield { ...builder.fail('error', redact(getErrorMessage(fault), secrets)), ...(failure ? { failure } : {}) };
  } finally {
    monitoredFetch?.stop();
  }
}

/** A response that was cut off at a limit also looks malformed to the SDK; report the limit. */
function selectCause(thrown: unknown, failure: unknown): unknown {
  if (failure instanceof ProviderFault && failure.providerFailure.kind === 'limit') return failure;
  return thrown instanceof Fault ? thrown : (failure ?? thrown);
}

/** Other requests may await the same promise, so it is not cancelled. */
async function rejectOnAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  let onAbort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

async function buildCallOptions(
  request: ApiRequest,
  format: SdkFormat,
  abortSignal: AbortSignal,
): Promise<CallOptions> {
  const { replaysThinking, ...plan } = format.planCall(request);
  const built = {
    prompt: buildPrompt(request, format, replaysThinking),
    ...plan,
    ...(request.tools.length === 0 ? {} : { tools: request.tools.map(toFunctionTool) }),
    ...(format.hasErrorsInRawEvents ? { includeRawChunks: true } : {}),
  };
  const options = request.rewriteBody ? ((await request.rewriteBody(built)) as typeof built) : built;
  return { ...options, abortSignal };
}

function toFunctionTool({ name, description, parameters }: ToolDefinition): FunctionTool {
  return { type: 'function', name, description, inputSchema: { ...parameters, type: 'object' } };
}

// Sends a POST request and reads its server-sent events, with idle and total timeouts.
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { getErrorMessage } from '../../base/index.ts';
import { redactExcerpt } from '../../base/redaction.ts';
import type { ApiRequest, Clock, HttpResponse, SendHttp } from '../../contracts/index.ts';
import { describeResponse } from './headers.ts';
import { createHttpFault, createMalformedFault, ProviderFault } from './provider-fault.ts';
import {
  createEventTooLargeFault,
  createIdleTimeoutFault,
  createResponseTooLargeFault,
  createTotalTimeoutFault,
  MAX_EVENT_CHARS,
  MAX_RESPONSE_BYTES,
} from './response-limits.ts';

export interface HttpPorts {
  send: SendHttp;
  clock: Pick<Clock, 'after' | 'now'>;
  userAgent: string;
  /** Milliseconds without content before the request fails. Pings are not content. */
  idleTimeoutMs: number;
  /** Maximum duration of a whole response in milliseconds. */
  totalTimeoutMs: number;
}

export interface ProviderRequest {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: unknown;
  /** Removed from error messages. */
  secrets: readonly string[];
}

export type ServerSentEvent = Pick<EventSourceMessage, 'event' | 'data'>;

/** How long to wait for the end of the body after the last event, so that the connection can be reused. */
const LINGER_MS = 250;

/** State of the response, reported by the reader of the events. */
export interface ResponseProgress {
  /** No more events are needed. */
  isComplete(): boolean;
  /** Changes with every piece of content. */
  countContent(): number;
}

/** Yields the events of each received chunk as one batch. Throws a ProviderFault or an AbortError. */
export async function* postForEvents(
  ports: HttpPorts,
  providerRequest: ProviderRequest,
  { signal, idleTime, onResponse }: Pick<ApiRequest, 'signal' | 'idleTime' | 'onResponse'>,
  progress: ResponseProgress,
): AsyncGenerator<ServerSentEvent[]> {
  const timeout = createRequestTimeout(ports, signal, idleTime);
  const { isComplete } = progress;
  try {
    const response = await sendRequest(ports, providerRequest, timeout.signal);
    if (onResponse) await onResponse(describeResponse(response));
    const body = await openEventStream(response, providerRequest);
    let events: ServerSentEvent[] = [];
    let size = 0;
    const parser = createBoundedParser((event) => events.push(event));
    const decoder = new TextDecoder();
    for await (const bytes of body) {
      size += bytes.length;
      if (size > MAX_RESPONSE_BYTES) throw createResponseTooLargeFault();
      parser.feed(decoder.decode(bytes, { stream: true }));
      if (events.length === 0) continue;
      const before = progress.countContent();
      // Time that the host needs to process events does not count as idle time of the provider.
      timeout.pause();
      yield events;
      events = [];
      if (isComplete()) timeout.linger(LINGER_MS);
      else timeout.resume(progress.countContent() !== before);
      // If the whole response was received before the abort, Node's body neither ends nor fails.
      timeout.signal.throwIfAborted();
    }
    // Some servers close the connection without the blank line after the last event.
    parser.reset({ consume: true });
    if (events.length > 0) yield events;
  } catch (thrown) {
    if (timeout.expired === 'linger' || (isComplete() && !signal.aborted)) return;
    throw toProviderFault(thrown, timeout, signal, ports);
  } finally {
    timeout.stop();
  }
}

function createBoundedParser(onEvent: (event: EventSourceMessage) => void) {
  return createParser({
    onEvent,
    maxBufferSize: MAX_EVENT_CHARS,
    onError({ type }) {
      if (type === 'max-buffer-size-exceeded') throw createEventTooLargeFault();
    },
  });
}

/** The headers of every request that a wire format does not set itself. */
export function createBaseHeaders({ userAgent }: Pick<HttpPorts, 'userAgent'>): Record<string, string> {
  return { 'content-type': 'application/json', accept: 'text/event-stream', 'user-agent': userAgent };
}

async function sendRequest(
  ports: HttpPorts,
  providerRequest: ProviderRequest,
  signal: AbortSignal,
): Promise<HttpResponse> {
  return ports.send(providerRequest.url, {
    method: 'POST',
    headers: providerRequest.headers,
    body: JSON.stringify(providerRequest.body),
    signal,
    redirect: 'error',
  });
}

async function openEventStream(
  response: HttpResponse,
  providerRequest: ProviderRequest,
): Promise<AsyncIterable<Uint8Array>> {
  if (!response.ok) {
    const body = await readErrorBody(response);
    throw createHttpFault(response.status, response.headers, body, providerRequest.secrets);
  }
  const type = response.headers.get('content-type') ?? 'no content type';
  if (/text\/event-stream|application\/x-ndjson/.test(type) && response.body) return response.body;
  const body = redactExcerpt(await readErrorBody(response), providerRequest.secrets, 200);
  throw createMalformedFault(
    `The provider at ${new URL(providerRequest.url).host} answered with ${type} instead of a stream: ${body}`,
  );
}

/** Reads at most 64 Ki characters, because an error body can have any size. */
export async function readErrorBody(response: Pick<HttpResponse, 'body'>): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  if (!response.body) return text;
  for await (const bytes of response.body) {
    text += decoder.decode(bytes, { stream: true });
    if (text.length > 64 * 1024) break;
  }
  return text;
}

export interface RequestTimeout {
  readonly signal: AbortSignal;
  readonly expired: 'idle' | 'total' | 'linger' | undefined;
  /** The host is processing events: no idle time is counted until `resume`. */
  pause(): void;
  /** Waiting for the provider again. Content restarts the idle time. */
  resume(hasContent: boolean): void;
  /** The answer is complete; only the end of the body is expected. */
  linger(ms: number): void;
  stop(): void;
}

/** Uses one timer that checks timestamps, instead of a new timer per chunk. `idle` continues the idle time of an earlier attempt. */
export function createRequestTimeout(
  ports: HttpPorts,
  signal: AbortSignal,
  idle: NonNullable<ApiRequest['idleTime']> = { sinceMs: ports.clock.now() },
): RequestTimeout {
  const { clock, idleTimeoutMs, totalTimeoutMs } = ports;
  const controller = new AbortController();
  const startedAt = clock.now();
  let pausedAt: number | undefined;
  let expired: RequestTimeout['expired'];
  const abort = () => controller.abort(signal.reason);
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort, { once: true });
  const check = (): void => {
    const now = clock.now();
    if (now - startedAt >= totalTimeoutMs) expired = 'total';
    else if (pausedAt === undefined && now - idle.sinceMs >= idleTimeoutMs) expired = 'idle';
    if (expired) controller.abort();
    else cancel = clock.after(computeNextCheckDelay(now), check);
  };
  const computeNextCheckDelay = (now: number): number =>
    Math.max(
      0,
      Math.min((pausedAt === undefined ? idle.sinceMs : now) + idleTimeoutMs, startedAt + totalTimeoutMs) - now,
    );
  let cancel = clock.after(computeNextCheckDelay(startedAt), check);
  return {
    signal: controller.signal,
    get expired() {
      return expired;
    },
    pause() {
      pausedAt = clock.now();
    },
    resume(hasContent) {
      const now = clock.now();
      idle.sinceMs = hasContent ? now : idle.sinceMs + now - (pausedAt ?? now);
      pausedAt = undefined;
    },
    linger(ms) {
      cancel();
      cancel = clock.after(ms, () => {
        expired = 'linger';
        controller.abort();
      });
    },
    stop() {
      cancel();
      signal.removeEventListener('abort', abort);
      // Frees the connection of a response that was not read to its end.
      controller.abort();
    },
  };
}

export function toProviderFault(
  thrown: unknown,
  timeout: RequestTimeout,
  signal: AbortSignal,
  ports: HttpPorts,
): unknown {
  if (thrown instanceof ProviderFault || signal.aborted) return thrown;
  if (timeout.expired === 'idle') return createIdleTimeoutFault(ports.idleTimeoutMs);
  if (timeout.expired === 'total') return createTotalTimeoutFault(ports.totalTimeoutMs);
  const cause = (thrown as { cause?: unknown } | null)?.cause;
  const reason =
    cause === undefined ? getErrorMessage(thrown) : `${getErrorMessage(thrown)}: ${getErrorMessage(cause)}`;
  return new ProviderFault({ kind: 'network' }, `Connection error: ${reason}`, thrown);
}

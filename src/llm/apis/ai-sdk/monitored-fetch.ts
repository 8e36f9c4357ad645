// A fetch function for the AI SDK with our user agent, timeouts, size limits and errors.

import { redactExcerpt } from '../../../base/redaction.ts';
import type { ApiRequest } from '../../../contracts/index.ts';
import { describeResponse, rewriteHeaders } from '../../http/headers.ts';
import { createRequestTimeout, readErrorBody, toProviderFault } from '../../http/post-for-events.ts';
import { createHttpFault, createMalformedFault, type ProviderFault } from '../../http/provider-fault.ts';
import {
  createEventTooLargeFault,
  createResponseTooLargeFault,
  MAX_EVENT_CHARS,
  MAX_RESPONSE_BYTES,
} from '../../http/response-limits.ts';
import { moveUserinfoToHeader } from '../../http/url-secrets.ts';
import type { WirePorts } from '../../http/wire-api.ts';
import type { SdkFormat } from './sdk-format.ts';

export interface MonitoredFetch {
  readonly fetch: typeof fetch;
  /** Aborts when the caller aborts and when a timeout expires. */
  readonly signal: AbortSignal;
  /** The original network failure. The SDK wraps the errors that fetch throws. */
  readonly failure: unknown;
  /** The SDK has read an event, which the host processes now. */
  pause(): void;
  /** Waiting for the provider again. */
  resume(hasContent: boolean): void;
  stop(): void;
}

export interface MonitorOptions {
  format: Pick<SdkFormat, 'streamContentType' | 'refineFault'>;
  secrets: readonly string[];
  /** Override the headers of the SDK. */
  headers: Readonly<Record<string, string>>;
}

type MonitoredRequest = Pick<ApiRequest, 'signal' | 'idleTime' | 'rewriteHeaders' | 'onResponse'>;

export function createMonitoredFetch(
  ports: WirePorts,
  options: MonitorOptions,
  { signal, idleTime, rewriteHeaders: hook, onResponse }: MonitoredRequest,
): MonitoredFetch {
  const timeout = createRequestTimeout(ports, signal, idleTime);
  /** Bytes in total, and since the SDK's last event. The SDK buffers incomplete events. */
  const size = { response: 0, event: 0 };
  let failure: unknown;
  const recordFailure = (thrown: unknown): unknown => {
    failure ??= toProviderFault(thrown, timeout, signal, ports);
    return failure;
  };
  return {
    signal: timeout.signal,
    get failure() {
      return failure;
    },
    pause() {
      size.event = 0;
      timeout.pause();
    },
    resume: timeout.resume,
    stop: timeout.stop,
    fetch: async (url, init) => {
      try {
        const sdkHeaders = Object.fromEntries(new Headers(init?.headers));
        const headers = { ...sdkHeaders, ...options.headers };
        const target = moveUserinfoToHeader(String(url), hook ? await rewriteHeaders(headers, hook) : headers);
        const requestInit = { ...init, headers: target.headers, signal: timeout.signal, redirect: 'error' as const };
        const response = await ports.fetch(target.url, requestInit);
        if (onResponse) await onResponse(describeResponse(response));
        await assertStream(response, target.url, options);
        const { status, headers: responseHeaders } = response;
        const body = monitorBody(response.body as ReadableStream<Uint8Array>, {
          signal: timeout.signal,
          size,
          recordFailure,
        });
        return new Response(body, { status, headers: responseHeaders });
      } catch (thrown) {
        throw recordFailure(thrown);
      }
    },
  };
}

async function assertStream(response: Response, url: string, { format, secrets }: MonitorOptions): Promise<void> {
  if (!response.ok) throw await readErrorFault(response, format, secrets);
  const type = response.headers.get('content-type') ?? 'no content type';
  if (format.streamContentType.test(type) && response.body) return;
  const body = redactExcerpt(await readErrorBody(response), secrets, 200);
  throw createMalformedFault(`The provider at ${new URL(url).host} answered with ${type} instead of a stream: ${body}`);
}

async function readErrorFault(
  response: Response,
  format: MonitorOptions['format'],
  secrets: readonly string[],
): Promise<ProviderFault> {
  const body = await readErrorBody(response);
  const failure = createHttpFault(response.status, response.headers, body, secrets);
  return format.refineFault?.(failure, body) ?? failure;
}

interface BodyMonitor {
  signal: AbortSignal;
  size: { response: number; event: number };
  recordFailure(thrown: unknown): unknown;
}

function checkLimits(size: BodyMonitor['size'], bytes: number): ProviderFault | undefined {
  size.response += bytes;
  size.event += bytes;
  if (size.event > MAX_EVENT_CHARS) return createEventTooLargeFault();
  return size.response > MAX_RESPONSE_BYTES ? createResponseTooLargeFault() : undefined;
}

/**
 * Counts the received bytes. A lost connection closes the stream instead of failing it, because a failed stream discards
 * data that was not read yet. An abort also closes it, because Node's body may then neither end nor fail.
 */
function monitorBody(
  body: ReadableStream<Uint8Array>,
  { signal, size, recordFailure }: BodyMonitor,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let isClosed = false;
  const close = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    if (!isClosed) controller.close();
    isClosed = true;
  };
  const abort = (controller: ReadableStreamDefaultController<Uint8Array>, reason: unknown) => {
    recordFailure(reason);
    close(controller);
    reader.cancel().catch(() => {});
  };
  return new ReadableStream<Uint8Array>({
    start(controller) {
      signal.addEventListener('abort', () => abort(controller, signal.reason), { once: true });
    },
    async pull(controller) {
      const chunk = await reader.read().catch((thrown: unknown) => void recordFailure(thrown));
      if (isClosed) return;
      const limitFault = checkLimits(size, chunk?.value?.length ?? 0);
      if (limitFault) abort(controller, limitFault);
      else if (chunk?.value) controller.enqueue(chunk.value);
      else close(controller);
    },
    cancel(reason) {
      isClosed = true;
      return reader.cancel(reason);
    },
  });
}

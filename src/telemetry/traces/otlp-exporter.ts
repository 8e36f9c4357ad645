// Sends spans to an OTLP/HTTP collector through the network ports, so that the user's proxy settings apply. Failures are only logged.
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { getErrorMessage } from '../../base/index.ts';
import type { Ports } from '../../contracts/index.ts';
import {
  JsonTraceSerializer,
  ProtobufTraceSerializer,
  type ReadableSpan,
  type SpanExporter,
} from '../vendor/open-telemetry.ts';
import type { OtlpOptions } from './trace-options.ts';

/** Delays before the second and the third attempt. */
const RETRY_DELAYS_MS = [1000, 3000];
const MAX_RETRY_AFTER_MS = 10_000;
const RETRIED_STATUS = new Set([429, 502, 503, 504]);
/** Of the SDK: 0 is success, 1 is failure. */
const [SUCCESS, FAILURE] = [0, 1];

type ExportPorts = Pick<Ports, 'clock' | 'fetch' | 'log'>;

interface Failure {
  readonly reason: string;
  /** Whether another attempt may succeed. */
  readonly isTemporary: boolean;
  /** The delay that the collector requests. */
  readonly retryAfterMs?: number | undefined;
}

export class OtlpExporter implements SpanExporter {
  readonly #options: OtlpOptions;
  readonly #ports: ExportPorts;
  readonly #pending = new Set<Promise<void>>();
  /** Aborts when the program ends: what waits for a retry is sent now, and not again. */
  readonly #closing = new AbortController();
  readonly #stopped = new AbortController();
  /** Logged once, until an export succeeds or fails for another reason. */
  #lastReason: string | undefined;

  constructor(options: OtlpOptions, ports: ExportPorts) {
    this.#options = options;
    this.#ports = ports;
  }

  export(spans: ReadableSpan[], onResult: (result: { code: 0 | 1 }) => void): void {
    const work = this.#exportBatch(spans)
      .catch((thrown: unknown): Failure => ({ reason: getErrorMessage(thrown), isTemporary: false }))
      .then((failure) => {
        this.#logOutcome(failure, spans.length);
        onResult({ code: (failure ? FAILURE : SUCCESS) as 0 | 1 });
      });
    this.#pending.add(work);
    void work.finally(() => this.#pending.delete(work));
  }

  /** Sends what waits. Call it before the SDK is shut down. */
  hurry(): void {
    this.#closing.abort();
  }

  async shutdown(): Promise<void> {
    this.hurry();
    await Promise.all(this.#pending);
  }

  /** Ends all requests. */
  stop(): void {
    this.#stopped.abort(new Error('The program ended before the spans were sent'));
  }

  async #exportBatch(spans: ReadableSpan[]): Promise<Failure | undefined> {
    const body = await this.#encode(spans);
    if (!body) return { reason: 'The spans cannot be encoded', isTemporary: false };
    for (let attempt = 0; ; attempt += 1) {
      const failure = await this.#send(body);
      const delayMs = RETRY_DELAYS_MS[attempt];
      if (!failure?.isTemporary || delayMs === undefined || this.#closing.signal.aborted) return failure;
      await this.#ports.clock.sleep(failure.retryAfterMs ?? delayMs, this.#closing.signal);
    }
  }

  async #encode(spans: ReadableSpan[]): Promise<Uint8Array | undefined> {
    const { protocol, isCompressed } = this.#options;
    const serializer = protocol === 'http/json' ? JsonTraceSerializer : ProtobufTraceSerializer;
    const bytes = serializer.serializeRequest(spans);
    return bytes && isCompressed ? promisify(gzip)(bytes) : bytes;
  }

  async #send(body: Uint8Array): Promise<Failure | undefined> {
    const { url, headers, protocol, isCompressed, timeoutMs } = this.#options;
    const timeout = new AbortController();
    const cancel = this.#ports.clock.after(timeoutMs, () => timeout.abort(new Error(`No reply in ${timeoutMs} ms`)));
    try {
      const response = await this.#ports.fetch(url, {
        method: 'POST',
        headers: {
          ...headers,
          'content-type': protocol === 'http/json' ? 'application/json' : 'application/x-protobuf',
          ...(isCompressed ? { 'content-encoding': 'gzip' } : {}),
        },
        body: body as Uint8Array<ArrayBuffer>,
        redirect: 'error',
        signal: AbortSignal.any([timeout.signal, this.#stopped.signal]),
      });
      // The connection is used again only after the body has been read.
      await response.arrayBuffer();
      return response.ok ? undefined : describeStatus(response);
    } catch (thrown) {
      return { reason: describeNetworkError(thrown), isTemporary: true };
    } finally {
      cancel();
    }
  }

  #logOutcome(failure: Failure | undefined, spans: number): void {
    if (failure && failure.reason !== this.#lastReason)
      this.#ports.log('traces not exported', { reason: failure.reason, spans });
    if (!failure && this.#lastReason !== undefined) this.#ports.log('traces exported again', { spans });
    this.#lastReason = failure?.reason;
  }
}

function describeStatus({ status, headers }: Response): Failure {
  const reason = `The collector replied with status ${status}`;
  if (!RETRIED_STATUS.has(status)) return { reason, isTemporary: false };
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  const retryAfterMs = seconds >= 0 ? Math.min(seconds * 1000, MAX_RETRY_AFTER_MS) : undefined;
  return { reason, isTemporary: true, retryAfterMs };
}

/** `fetch` hides the reason in `cause`. */
function describeNetworkError(thrown: unknown): string {
  const cause = (thrown as { cause?: unknown } | undefined)?.cause;
  return cause === undefined ? getErrorMessage(thrown) : getErrorMessage(cause) || getErrorMessage(thrown);
}

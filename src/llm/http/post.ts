// First floor, llm: one POST whose answer is a stream of server-sent events. Knows HTTP and patience, no provider.
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { messageOf } from '../../base/index.ts';
import { redactedExcerpt } from '../../base/redaction.ts';
import type { ApiRequest, Clock, HttpAnswer, Send } from '../../contracts/index.ts';
import { httpFailure, malformed, ProviderFault } from './failure.ts';
import { answerTooLarge, answerTooSlow, eventTooLarge, idleTooLong, MAX_ANSWER, MAX_EVENT } from './limits.ts';

export interface HttpPorts {
  send: Send;
  clock: Pick<Clock, 'after' | 'now'>;
  userAgent: string;
  /** Milliseconds without content before the request is given up. Pings are not content. */
  idleTimeoutMs: number;
  /** Milliseconds that a whole answer may take. */
  totalTimeoutMs: number;
}

export interface HttpCall {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: unknown;
  /** Never shown in an error text. */
  secrets: readonly string[];
}

export type ServerEvent = Pick<EventSourceMessage, 'event' | 'data'>;

/** How long a connection may stay open after the last word, so that it can be used again. */
const LINGER_MS = 250;

/** What the reader of the events knows of the answer. */
export interface AnswerProgress {
  /** No more events are needed. */
  isOver(): boolean;
  /** Changes with every piece of content. */
  count(): number;
}

/** The events of the answer, as many at a time as one piece of it holds. Throws a ProviderFault, or an AbortError. */
export async function* post(
  ports: HttpPorts,
  call: HttpCall,
  { signal, idle }: Pick<ApiRequest, 'signal' | 'idle'>,
  progress: AnswerProgress,
): AsyncGenerator<ServerEvent[]> {
  const patience = createPatience(ports, signal, idle);
  const { isOver } = progress;
  try {
    const response = await send(ports, call, patience.signal);
    const body = await eventsOf(response, call);
    let events: ServerEvent[] = [];
    let size = 0;
    const parser = boundedParser((event) => events.push(event));
    const decoder = new TextDecoder();
    for await (const bytes of body) {
      size += bytes.length;
      if (size > MAX_ANSWER) throw answerTooLarge();
      parser.feed(decoder.decode(bytes, { stream: true }));
      if (events.length === 0) continue;
      const before = progress.count();
      // A host that is slow to read is no fault of the provider's.
      patience.hold();
      yield events;
      events = [];
      if (isOver()) patience.linger(LINGER_MS);
      else patience.resume(progress.count() !== before);
      // An answer that was all here before the abort would otherwise never end: Node's body then neither ends nor fails.
      patience.signal.throwIfAborted();
    }
    // A last event without its blank line still counts: some servers close right after it.
    parser.reset({ consume: true });
    if (events.length > 0) yield events;
  } catch (thrown) {
    if (patience.lost === 'linger' || (isOver() && !signal.aborted)) return;
    throw explain(thrown, patience, signal, ports);
  } finally {
    patience.end();
  }
}

function boundedParser(onEvent: (event: EventSourceMessage) => void) {
  return createParser({
    onEvent,
    maxBufferSize: MAX_EVENT,
    onError({ type }) {
      if (type === 'max-buffer-size-exceeded') throw eventTooLarge();
    },
  });
}

async function send(ports: HttpPorts, call: HttpCall, signal: AbortSignal): Promise<HttpAnswer> {
  return ports.send(call.url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'text/event-stream',
      'user-agent': ports.userAgent,
      ...call.headers,
    },
    body: JSON.stringify(call.body),
    signal,
    redirect: 'error',
  });
}

async function eventsOf(response: HttpAnswer, call: HttpCall): Promise<AsyncIterable<Uint8Array>> {
  if (!response.ok) {
    const body = await bounded(response);
    throw httpFailure(response.status, response.headers, body, call.secrets);
  }
  const type = response.headers.get('content-type') ?? 'no content type';
  if (/text\/event-stream|application\/x-ndjson/.test(type) && response.body) return response.body;
  const body = redactedExcerpt(await bounded(response), call.secrets, 200);
  throw malformed(`The provider at ${new URL(call.url).host} answered with ${type} instead of a stream: ${body}`);
}

/** An error body can be anything, a gigabyte included. */
export async function bounded(response: Pick<HttpAnswer, 'body'>): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  if (!response.body) return text;
  for await (const bytes of response.body) {
    text += decoder.decode(bytes, { stream: true });
    if (text.length > 64 * 1024) break;
  }
  return text;
}

export interface Patience {
  readonly signal: AbortSignal;
  readonly lost: 'idle' | 'total' | 'linger' | undefined;
  /** The host is busy: from here to `resume` no time counts as idle. */
  hold(): void;
  /** The provider is waited for again. Content starts the idle time anew. */
  resume(hasContent: boolean): void;
  /** Nothing is expected any more, only the end. */
  linger(ms: number): void;
  end(): void;
}

/** One timer that is looked at, not re-armed, for every piece that arrives. `idle` goes on where an earlier attempt ended. */
export function createPatience(
  ports: HttpPorts,
  signal: AbortSignal,
  idle: NonNullable<ApiRequest['idle']> = { since: ports.clock.now() },
): Patience {
  const { clock, idleTimeoutMs, totalTimeoutMs } = ports;
  const controller = new AbortController();
  const begun = clock.now();
  let heldAt: number | undefined;
  let lost: Patience['lost'];
  const abort = () => controller.abort(signal.reason);
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort, { once: true });
  const look = (): void => {
    const now = clock.now();
    if (now - begun >= totalTimeoutMs) lost = 'total';
    else if (heldAt === undefined && now - idle.since >= idleTimeoutMs) lost = 'idle';
    if (lost) controller.abort();
    else cancel = clock.after(untilNextLook(now), look);
  };
  const untilNextLook = (now: number): number =>
    Math.max(0, Math.min((heldAt === undefined ? idle.since : now) + idleTimeoutMs, begun + totalTimeoutMs) - now);
  let cancel = clock.after(untilNextLook(begun), look);
  return {
    signal: controller.signal,
    get lost() {
      return lost;
    },
    hold() {
      heldAt = clock.now();
    },
    resume(hasContent) {
      const now = clock.now();
      idle.since = hasContent ? now : idle.since + now - (heldAt ?? now);
      heldAt = undefined;
    },
    linger(ms) {
      cancel();
      cancel = clock.after(ms, () => {
        lost = 'linger';
        controller.abort();
      });
    },
    end() {
      cancel();
      signal.removeEventListener('abort', abort);
      // Frees the connection of an answer that nobody reads to its end.
      controller.abort();
    },
  };
}

export function explain(thrown: unknown, patience: Patience, signal: AbortSignal, ports: HttpPorts): unknown {
  if (thrown instanceof ProviderFault || signal.aborted) return thrown;
  if (patience.lost === 'idle') return idleTooLong(ports.idleTimeoutMs);
  if (patience.lost === 'total') return answerTooSlow(ports.totalTimeoutMs);
  const cause = (thrown as { cause?: unknown } | null)?.cause;
  const reason = cause === undefined ? messageOf(thrown) : `${messageOf(thrown)}: ${messageOf(cause)}`;
  return new ProviderFault({ kind: 'network' }, `Connection error: ${reason}`, thrown);
}

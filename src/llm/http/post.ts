// First floor, llm: one POST whose answer is a stream of server-sent events. Knows HTTP and patience, no provider.
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { messageOf } from '../../base/index.ts';
import type { Clock, HttpAnswer, Send } from '../../contracts/index.ts';
import { httpFailure, malformed, ProviderFault } from './failure.ts';

export interface HttpPorts {
  send: Send;
  clock: Pick<Clock, 'after' | 'now'>;
  userAgent: string;
  /** Milliseconds without a byte before the request is given up. */
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

/**
 * The events of the answer, as many at a time as one piece of it holds. `isOver` says that no more are needed. Throws a
 * ProviderFault, or an AbortError.
 */
export async function* post(
  ports: HttpPorts,
  call: HttpCall,
  signal: AbortSignal,
  isOver: () => boolean,
): AsyncGenerator<ServerEvent[]> {
  const patience = createPatience(ports, signal);
  try {
    const response = await send(ports, call, patience.signal);
    const body = await eventsOf(response, call);
    let events: ServerEvent[] = [];
    const parser = createParser({ onEvent: (event) => events.push(event) });
    const decoder = new TextDecoder();
    for await (const bytes of body) {
      patience.renew();
      parser.feed(decoder.decode(bytes, { stream: true }));
      if (events.length === 0) continue;
      // A host that is slow to read is no fault of the provider's.
      patience.hold();
      yield events;
      events = [];
      if (isOver()) patience.linger(LINGER_MS);
      else patience.renew();
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
  const body = (await bounded(response)).slice(0, 200);
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
  /** Something was heard, or is waited for again. */
  renew(): void;
  /** Nobody waits for the provider. */
  hold(): void;
  /** Nothing is expected any more, only the end. */
  linger(ms: number): void;
  end(): void;
}

/** One timer that is looked at, not re-armed, for every piece that arrives. */
export function createPatience(ports: HttpPorts, signal: AbortSignal): Patience {
  const { clock, idleTimeoutMs, totalTimeoutMs } = ports;
  const controller = new AbortController();
  const begun = clock.now();
  let heard = begun;
  let held = false;
  let lost: Patience['lost'];
  const abort = () => controller.abort(signal.reason);
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort, { once: true });
  const look = (): void => {
    const now = clock.now();
    if (now - begun >= totalTimeoutMs) lost = 'total';
    else if (!held && now - heard >= idleTimeoutMs) lost = 'idle';
    if (lost) controller.abort();
    else cancel = clock.after(Math.min((held ? now : heard) + idleTimeoutMs, begun + totalTimeoutMs) - now, look);
  };
  let cancel = clock.after(Math.min(idleTimeoutMs, totalTimeoutMs), look);
  return {
    signal: controller.signal,
    get lost() {
      return lost;
    },
    renew() {
      heard = clock.now();
      held = false;
    },
    hold() {
      held = true;
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
  if (patience.lost === 'idle') {
    return new ProviderFault(
      { kind: 'timeout' },
      `The provider sent nothing for ${ports.idleTimeoutMs / 1000} seconds`,
    );
  }
  if (patience.lost === 'total') {
    return new ProviderFault({ kind: 'timeout' }, `The answer took longer than ${ports.totalTimeoutMs / 1000} seconds`);
  }
  const cause = (thrown as { cause?: unknown } | null)?.cause;
  const reason = cause === undefined ? messageOf(thrown) : `${messageOf(thrown)}: ${messageOf(cause)}`;
  return new ProviderFault({ kind: 'network' }, `Connection error: ${reason}`, thrown);
}

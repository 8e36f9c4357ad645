// Starts and ends spans with the times of the clock, and ends those that are still open when the program ends.
import type { Clock } from '../../contracts/index.ts';
import {
  type Attributes,
  type Context,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '../vendor/open-telemetry.ts';
import type { ContentRecorder } from './message-content.ts';

export interface OpenSpan {
  readonly span: Span;
  /** For spans inside this one. */
  readonly context: Context;
}

export interface SpanStart {
  readonly name: string;
  readonly parent: Context;
  readonly attributes: Attributes;
  /** Milliseconds since 1970. Default: now. */
  readonly startMs?: number | undefined;
  /** The work is done by another server. */
  readonly isRemote?: boolean | undefined;
}

export interface SpanEnd {
  readonly attributes?: Attributes | undefined;
  /** The span failed. A short name of the reason, never a text of the conversation. */
  readonly errorType?: string | undefined;
  /** Only if the user wants content in traces. */
  readonly errorMessage?: string | undefined;
}

export class SpanRecorder {
  /** Absent: no content is recorded. */
  readonly content: ContentRecorder | undefined;
  readonly clock: Pick<Clock, 'now'>;
  readonly #tracer: Tracer;
  readonly #open = new Set<Span>();

  constructor(tracer: Tracer, clock: Pick<Clock, 'now'>, content: ContentRecorder | undefined) {
    this.#tracer = tracer;
    this.clock = clock;
    this.content = content;
  }

  start({ name, parent, attributes, startMs = this.clock.now(), isRemote }: SpanStart): OpenSpan {
    const kind = isRemote ? SpanKind.CLIENT : SpanKind.INTERNAL;
    const span = this.#tracer.startSpan(name, { kind, startTime: toTime(startMs), attributes }, parent);
    this.#open.add(span);
    return { span, context: trace.setSpan(parent, span) };
  }

  addEvent({ span }: OpenSpan, name: string, attributes: Attributes): void {
    span.addEvent(name, attributes, toTime(this.clock.now()));
  }

  end({ span }: OpenSpan, end: SpanEnd = {}): void {
    this.#endSpan(span, end);
  }

  #endSpan(span: Span, { attributes = {}, errorType, errorMessage }: SpanEnd): void {
    if (!this.#open.delete(span)) return;
    span.setAttributes(attributes);
    if (errorType !== undefined) {
      span.setAttribute('error.type', errorType);
      const message = errorMessage === undefined ? undefined : this.content?.describeError(errorMessage);
      span.setStatus({ code: SpanStatusCode.ERROR, ...(message === undefined ? {} : { message }) });
    }
    span.end(toTime(this.clock.now()));
  }

  /** Runs and calls that the end of the program interrupts. */
  endAll(): void {
    for (const span of [...this.#open].reverse()) this.#endSpan(span, { errorType: 'interrupted' });
  }
}

/** Seconds and nanoseconds: the SDK takes a plain number for a time since the start of the process if it is small. */
function toTime(ms: number): [seconds: number, nanoseconds: number] {
  const seconds = Math.floor(ms / 1000);
  return [seconds, Math.round((ms - seconds * 1000) * 1e6)];
}

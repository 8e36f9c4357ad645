// First floor, core: whether and when to ask again. Pure; knows no provider by name.
import type { AssistantMessage, Failure } from '../../protocol/index.ts';

export interface RetrySettings {
  enabled: boolean;
  maxRetries: number;
  baseDelayMs: number;
  maxDelayMs: number;
}

const TRANSIENT: ReadonlySet<Failure['kind']> = new Set([
  'overloaded',
  'rate_limit',
  'server',
  'network',
  'timeout',
  'malformed',
]);

/** For failures that only have words: those of extensions, and of formats that do not say more. */
const TRANSIENT_WORDS =
  /overloaded|rate.?limit|too many requests|\b(429|500|502|503|504|529)\b|service.?unavailable|server.?error|internal.?error|connection.?(error|refused|reset)|other side closed|fetch failed|upstream connect|reset before headers|terminated|retry delay|timed? ?out/i;

/** Asking again may help: the same request could be answered a moment later. */
export function isTransient(answer: AssistantMessage, failure: Failure | undefined): boolean {
  if (answer.stopReason !== 'error') return false;
  return failure ? TRANSIENT.has(failure.kind) : TRANSIENT_WORDS.test(answer.errorMessage ?? '');
}

/** Doubles with each attempt, from 1. What the provider asks for counts, up to the longest wait. */
export function delayBefore(attempt: number, settings: RetrySettings, failure: Failure | undefined): number {
  const own = settings.baseDelayMs * 2 ** (attempt - 1);
  // A header that says nonsense says nothing.
  const asked = Number.isFinite(failure?.retryAfterMs) ? (failure?.retryAfterMs ?? 0) : 0;
  return Math.max(0, Math.min(Math.max(own, asked), settings.maxDelayMs));
}

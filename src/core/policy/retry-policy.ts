// Decides whether and when a failed model request is repeated. Pure.
import type { AssistantMessage, ProviderFailure } from '../../protocol/index.ts';

export interface RetrySettings {
  enabled: boolean;
  maxRetries: number;
  baseDelayMs: number;
  maxDelayMs: number;
}

const TRANSIENT_KINDS: ReadonlySet<ProviderFailure['kind']> = new Set([
  'overloaded',
  'rate_limit',
  'server',
  'network',
  'timeout',
  'malformed',
]);

/** For failures without a kind: those of extensions, and of APIs that only return a text. */
const TRANSIENT_PATTERN =
  /overloaded|rate.?limit|too many requests|\b(429|500|502|503|504|529)\b|service.?unavailable|server.?error|internal.?error|connection.?(error|refused|reset)|other side closed|fetch failed|upstream connect|reset before headers|terminated|retry delay|timed? ?out/i;

/** True if the same request could succeed later. */
export function isTransient(answer: AssistantMessage, providerFailure: ProviderFailure | undefined): boolean {
  if (answer.stopReason !== 'error') return false;
  return providerFailure
    ? TRANSIENT_KINDS.has(providerFailure.kind)
    : TRANSIENT_PATTERN.test(answer.errorMessage ?? '');
}

/** Doubles with each attempt, starting at attempt 1. A longer delay requested by the provider is used, up to `maxDelayMs`. */
export function computeRetryDelay(
  attempt: number,
  settings: RetrySettings,
  providerFailure: ProviderFailure | undefined,
): number {
  const backoff = settings.baseDelayMs * 2 ** (attempt - 1);
  // Ignore an unparsable Retry-After header.
  const requested = Number.isFinite(providerFailure?.retryAfterMs) ? (providerFailure?.retryAfterMs ?? 0) : 0;
  return Math.max(0, Math.min(Math.max(backoff, requested), settings.maxDelayMs));
}

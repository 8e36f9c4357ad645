// Classifies provider errors by HTTP status and error text.
import { Fault } from '../../base/index.ts';
import { redactExcerpt } from '../../base/redaction.ts';
import type { HttpResponse } from '../../contracts/index.ts';
import type { ProviderFailure } from '../../protocol/index.ts';
import { extractErrorText } from './error-body.ts';

/** Thrown inside llm only. It becomes the `error` event at the end of a stream. */
export class ProviderFault extends Fault {
  readonly providerFailure: ProviderFailure;

  constructor(providerFailure: ProviderFailure, message: string, cause?: unknown) {
    super(providerFailure.kind === 'auth' ? 'no_credentials' : 'internal', message, { cause });
    this.providerFailure = providerFailure;
  }
}

/** Maximum length of a provider's error text in messages. */
const MAX_TEXT_LENGTH = 2000;

/** The message consists of the status and the provider's own message. */
export function createHttpFault(
  status: number,
  headers: HttpResponse['headers'],
  body: string,
  secrets: readonly string[],
): ProviderFault {
  // Classify by the whole body, because the extracted message may lack the error type.
  const kind = classifyStatus(status, redactExcerpt(body.trim(), secrets, MAX_TEXT_LENGTH));
  const text = redactExcerpt(extractErrorText(body.trim()), secrets, MAX_TEXT_LENGTH);
  const retryAfterMs = parseRetryAfter(headers);
  const providerFailure: ProviderFailure = { kind, status, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
  return new ProviderFault(
    providerFailure,
    text === '' ? `${status} ${headers.get('x-error') ?? KIND_DESCRIPTIONS[kind]}` : `${status} ${text}`,
  );
}

/** An error event inside a stream that started successfully. */
export function createStreamFault(
  type: string,
  message: string,
  raw: string,
  secrets: readonly string[],
): ProviderFault {
  const kind = classifyText(`${type} ${message}`) ?? 'server';
  return new ProviderFault({ kind }, redactExcerpt(extractErrorText(raw), secrets, MAX_TEXT_LENGTH));
}

export function createMalformedFault(message: string, cause?: unknown): ProviderFault {
  return new ProviderFault({ kind: 'malformed' }, message, cause);
}

const KIND_DESCRIPTIONS: Record<ProviderFailure['kind'], string> = {
  overloaded: 'the provider is overloaded',
  rate_limit: 'too many requests',
  server: 'server error',
  network: 'connection error',
  timeout: 'timed out',
  malformed: 'unreadable answer',
  auth: 'the key was not accepted',
  quota: 'the quota is used up',
  overflow: 'the context is too long',
  filter: 'blocked by the content filter',
  refused: 'the request was refused',
  limit: 'a limit was exceeded',
};

function classifyStatus(status: number, text: string): ProviderFailure['kind'] {
  const textKind = classifyText(text);
  if (status === 401 || status === 403) return textKind === 'quota' ? textKind : 'auth';
  if (status === 402) return 'quota';
  if (status === 413) return 'overflow';
  if (status === 429) return textKind === 'quota' ? textKind : 'rate_limit';
  if (status === 408 || status === 504) return 'timeout';
  if (status === 529 || status === 503) return 'overloaded';
  if (status >= 500) return textKind === 'overloaded' ? textKind : 'server';
  return textKind ?? 'refused';
}

const OVERFLOW_PATTERN =
  /context[_ ]length|context window|maximum context|prompt is too long|too many tokens|input is too long|exceeds? context limit|exceeds? the (model'?s )?(maximum|limit|available context)|request too large|token limit|reduce the length/i;

/** Billing limits. Retrying after a pause does not help. */
const QUOTA_PATTERN =
  /insufficient[_ ](user[_ ])?(quota|balance|credit|fund)|exceeded (your )?current quota|exceeded_current_quota|billing|credit balance|(used|spent) all (available )?credits|spending limit|payment required|usage limit|arrearage/i;

/** The first match wins. The order matters, because providers use similar texts for different errors. */
const KIND_PATTERNS: readonly [ProviderFailure['kind'], RegExp][] = [
  ['overflow', OVERFLOW_PATTERN],
  ['quota', QUOTA_PATTERN],
  ['filter', /content[_ ]filter|content management policy|content[_ ]policy|safety|responsible ai/i],
  ['overloaded', /overloaded|capacity|temporarily unavailable|service unavailable/i],
  ['rate_limit', /rate[_ ]limit|too many requests|tokens per min/i],
  ['auth', /invalid[_ ](x-)?api[_ -]?key|authentication|unauthorized|permission[_ ](denied|error)|incorrect api key/i],
  ['server', /internal server error|server[_ ]error|api_error|bad gateway/i],
];

function classifyText(text: string): ProviderFailure['kind'] | undefined {
  return KIND_PATTERNS.find(([, pattern]) => pattern.test(text))?.[0];
}

/** Accepts seconds, or an HTTP date relative to the response's `date` header. Invalid values give `undefined`. */
function parseRetryAfter(headers: HttpResponse['headers']): number | undefined {
  const ms = parseNonNegative(headers.get('retry-after-ms'));
  if (ms !== undefined) return ms;
  const value = headers.get('retry-after');
  const seconds = parseNonNegative(value);
  if (seconds !== undefined) return seconds * 1000;
  const waitMs = Date.parse(value ?? '') - Date.parse(headers.get('date') ?? '');
  // Date.parse accepts texts like `-1` as a year; require letters.
  return /[a-z]/i.test(value ?? '') && Number.isFinite(waitMs) ? Math.max(0, waitMs) : undefined;
}

function parseNonNegative(text: string | null): number | undefined {
  const number = text?.trim() ? Number(text) : Number.NaN;
  return Number.isFinite(number) && number >= 0 ? number : undefined;
}

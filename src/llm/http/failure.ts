// First floor, llm: why a provider gave no answer. Reads statuses and error texts; knows no provider's request.
import { Fault } from '../../base/index.ts';
import { redactedExcerpt } from '../../base/redaction.ts';
import type { HttpAnswer } from '../../contracts/index.ts';
import type { Failure } from '../../protocol/index.ts';
import { errorText } from './error-body.ts';

/** Thrown inside llm only; it becomes the `error` at the end of a stream. */
export class ProviderFault extends Fault {
  readonly failure: Failure;

  constructor(failure: Failure, message: string, cause?: unknown) {
    super(failure.kind === 'auth' ? 'no_credentials' : 'internal', message, { cause });
    this.failure = failure;
  }
}

/** Longest piece of a provider's words that is repeated to people. */
const LONGEST = 2000;

/** The text is the status and the provider's own message. */
export function httpFailure(
  status: number,
  headers: HttpAnswer['headers'],
  body: string,
  secrets: readonly string[],
): ProviderFault {
  // Read from the whole body: what is left out of the text still says what kind of failure it is.
  const kind = kindOfStatus(status, redactedExcerpt(body.trim(), secrets, LONGEST));
  const words = redactedExcerpt(errorText(body.trim()), secrets, LONGEST);
  const retryAfterMs = retryAfter(headers);
  const failure: Failure = { kind, status, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
  return new ProviderFault(
    failure,
    words === '' ? `${status} ${headers.get('x-error') ?? NAMES[kind]}` : `${status} ${words}`,
  );
}

/** An error that came inside a stream that had begun well. */
export function streamFailure(type: string, message: string, raw: string, secrets: readonly string[]): ProviderFault {
  const kind = kindOfWords(`${type} ${message}`) ?? 'server';
  return new ProviderFault({ kind }, redactedExcerpt(errorText(raw), secrets, LONGEST));
}

export function malformed(message: string, cause?: unknown): ProviderFault {
  return new ProviderFault({ kind: 'malformed' }, message, cause);
}

const NAMES: Record<Failure['kind'], string> = {
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

function kindOfStatus(status: number, words: string): Failure['kind'] {
  const said = kindOfWords(words);
  if (status === 401 || status === 403) return said === 'quota' ? said : 'auth';
  if (status === 402) return 'quota';
  if (status === 413) return 'overflow';
  if (status === 429) return said === 'quota' ? said : 'rate_limit';
  if (status === 408 || status === 504) return 'timeout';
  if (status === 529 || status === 503) return 'overloaded';
  if (status >= 500) return said === 'overloaded' ? said : 'server';
  return said ?? 'refused';
}

const OVERFLOW =
  /context[_ ]length|context window|maximum context|prompt is too long|too many tokens|input is too long|exceeds? context limit|exceeds? the (model'?s )?(maximum|limit|available context)|request too large|token limit|reduce the length/i;

/** Money, not speed: nothing comes back by waiting. */
const QUOTA =
  /insufficient[_ ](user[_ ])?(quota|balance|credit|fund)|exceeded (your )?current quota|exceeded_current_quota|billing|credit balance|(used|spent) all (available )?credits|spending limit|payment required|usage limit|arrearage/i;

/** The first that fits; the order matters, because providers repeat each other's words. */
const WORDS: readonly [Failure['kind'], RegExp][] = [
  ['overflow', OVERFLOW],
  ['quota', QUOTA],
  ['filter', /content[_ ]filter|content management policy|content[_ ]policy|safety|responsible ai/i],
  ['overloaded', /overloaded|capacity|temporarily unavailable|service unavailable/i],
  ['rate_limit', /rate[_ ]limit|too many requests|tokens per min/i],
  ['auth', /invalid[_ ](x-)?api[_ -]?key|authentication|unauthorized|permission[_ ](denied|error)|incorrect api key/i],
  ['server', /internal server error|server[_ ]error|api_error|bad gateway/i],
];

function kindOfWords(words: string): Failure['kind'] | undefined {
  return WORDS.find(([, pattern]) => pattern.test(words))?.[0];
}

/** Seconds, or a date by the sender's own clock, as HTTP says; nonsense is no answer. */
function retryAfter(headers: HttpAnswer['headers']): number | undefined {
  const ms = amount(headers.get('retry-after-ms'));
  if (ms !== undefined) return ms;
  const value = headers.get('retry-after');
  const seconds = amount(value);
  if (seconds !== undefined) return seconds * 1000;
  const wait = Date.parse(value ?? '') - Date.parse(headers.get('date') ?? '');
  // What is no number and yet no date (`-1`) some parsers take for a year.
  return /[a-z]/i.test(value ?? '') && Number.isFinite(wait) ? Math.max(0, wait) : undefined;
}

function amount(text: string | null): number | undefined {
  const number = text?.trim() ? Number(text) : Number.NaN;
  return Number.isFinite(number) && number >= 0 ? number : undefined;
}

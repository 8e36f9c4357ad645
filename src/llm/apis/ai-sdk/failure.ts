// First floor, llm: what the AI SDK throws and puts into its streams, as failures like all others. Knows the names of its errors.
import { Fault, isRecord, messageOf, ownValue } from '../../../base/index.ts';
import { redact, redactedExcerpt } from '../../../base/redaction.ts';
import { httpFailure, malformed, ProviderFault, streamFailure } from '../../http/failure.ts';

const LONGEST_EVENT = 200;

/** `raw` is the event in which an error came that does not say its name itself. */
export function failureOf(error: unknown, secrets: readonly string[], raw?: unknown): Fault {
  if (error instanceof Fault) return error;
  const facts = isRecord(error) ? error : {};
  const name = typeof facts.name === 'string' ? facts.name : '';
  if (name === 'AI_APICallError') return callFailure(facts, secrets);
  if (name === 'AI_JSONParseError') return unreadable(facts.text, secrets, error);
  if (name === 'AI_TypeValidationError') return unreadable(facts.value, secrets, error);
  // What the SDK refuses to send is not better the next time.
  if (name.startsWith('AI_')) return new ProviderFault({ kind: 'refused' }, redact(messageOf(error), secrets), error);
  if (error instanceof Error) return malformed(`The provider sent an unreadable stream: ${error.message}`, error);
  return namedFailure(facts, secrets, raw);
}

function callFailure(facts: Record<string, unknown>, secrets: readonly string[]): ProviderFault {
  const { statusCode, responseBody, responseHeaders } = facts;
  const words = typeof responseBody === 'string' && responseBody !== '' ? responseBody : String(facts.message);
  if (typeof statusCode !== 'number') return streamFailure('', words, words, secrets);
  return httpFailure(
    statusCode,
    new Headers(isRecord(responseHeaders) ? textsIn(responseHeaders) : {}),
    words,
    secrets,
  );
}

function textsIn(headers: Record<string, unknown>): [string, string][] {
  return Object.entries(headers).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : []));
}

function unreadable(event: unknown, secrets: readonly string[], cause: unknown): ProviderFault {
  const text = typeof event === 'string' ? event : (JSON.stringify(event) ?? '');
  const words = redactedExcerpt(text, secrets, LONGEST_EVENT);
  return malformed(`The provider sent an unreadable event: ${words}`, cause);
}

/** `{ throttlingException: { message } }`: the name of such an error is the key under which it stands. */
function namedFailure(facts: Record<string, unknown>, secrets: readonly string[], raw: unknown): ProviderFault {
  const name = (isRecord(raw) ? Object.keys(raw)[0] : undefined) ?? 'error';
  const words = typeof facts.message === 'string' && facts.message ? facts.message : 'The provider gave no reason';
  const said = streamFailure(name, words, `${name}: ${words}`, secrets);
  const kind = ownValue(KINDS, name);
  // Words say more than names: too long a conversation is a `validationException` like any other mistake.
  return said.failure.kind === 'server' && kind ? new ProviderFault({ kind }, said.message) : said;
}

const KINDS: Readonly<Record<string, ProviderFault['failure']['kind']>> = {
  validationException: 'refused',
  throttlingException: 'rate_limit',
  serviceUnavailableException: 'overloaded',
};

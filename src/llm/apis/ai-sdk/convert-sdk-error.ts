// Converts errors of the AI SDK to ProviderFaults.
import { Fault, getErrorMessage, getOwnValue, isRecord } from '../../../base/index.ts';
import { redact, redactExcerpt } from '../../../base/redaction.ts';
import { createHttpFault, createMalformedFault, createStreamFault, ProviderFault } from '../../http/provider-fault.ts';

const MAX_EXCERPT = 200;

/** `raw` is the raw event of an error that does not contain its own name. */
export function convertSdkError(error: unknown, secrets: readonly string[], raw?: unknown): Fault {
  if (error instanceof Fault) return error;
  const fields = isRecord(error) ? error : {};
  const name = typeof fields.name === 'string' ? fields.name : '';
  if (name === 'AI_APICallError') return convertCallError(fields, secrets);
  if (name === 'AI_JSONParseError') return createUnreadableEventFault(fields.text, secrets, error);
  if (name === 'AI_TypeValidationError') return createUnreadableEventFault(fields.value, secrets, error);
  // The SDK refuses to send the request; a retry would fail in the same way.
  if (name.startsWith('AI_'))
    return new ProviderFault({ kind: 'refused' }, redact(getErrorMessage(error), secrets), error);
  if (error instanceof Error)
    return createMalformedFault(`The provider sent an unreadable stream: ${error.message}`, error);
  return convertNamedError(fields, secrets, raw);
}

function convertCallError(fields: Record<string, unknown>, secrets: readonly string[]): ProviderFault {
  const { statusCode, responseBody, responseHeaders } = fields;
  const text = typeof responseBody === 'string' && responseBody !== '' ? responseBody : String(fields.message);
  if (typeof statusCode !== 'number') return createStreamFault('', text, text, secrets);
  return createHttpFault(
    statusCode,
    new Headers(isRecord(responseHeaders) ? filterTextHeaders(responseHeaders) : {}),
    text,
    secrets,
  );
}

function filterTextHeaders(headers: Record<string, unknown>): [string, string][] {
  return Object.entries(headers).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : []));
}

function createUnreadableEventFault(event: unknown, secrets: readonly string[], cause: unknown): ProviderFault {
  const text = typeof event === 'string' ? event : (JSON.stringify(event) ?? '');
  const excerpt = redactExcerpt(text, secrets, MAX_EXCERPT);
  return createMalformedFault(`The provider sent an unreadable event: ${excerpt}`, cause);
}

/** `{ throttlingException: { message } }`: the key is the name of the error. */
function convertNamedError(fields: Record<string, unknown>, secrets: readonly string[], raw: unknown): ProviderFault {
  const name = (isRecord(raw) ? Object.keys(raw)[0] : undefined) ?? 'error';
  const text = typeof fields.message === 'string' && fields.message ? fields.message : 'The provider gave no reason';
  const fault = createStreamFault(name, text, `${name}: ${text}`, secrets);
  const kind = getOwnValue(KIND_BY_NAME, name);
  // The text is more specific than the name: an overlong conversation is a `validationException` like other invalid requests.
  return fault.providerFailure.kind === 'server' && kind ? new ProviderFault({ kind }, fault.message) : fault;
}

const KIND_BY_NAME: Readonly<Record<string, ProviderFault['providerFailure']['kind']>> = {
  validationException: 'refused',
  throttlingException: 'rate_limit',
  serviceUnavailableException: 'overloaded',
};

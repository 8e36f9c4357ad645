// Extracts the error message from a provider's JSON or HTML error body.
import { isRecord, tryParseJson } from '../../base/index.ts';

/** The title is expected within this many characters of an HTML page. */
const MAX_HTML_HEAD = 2000;
const TITLE = /<title>([^<]*)/i;

/** `TYPE: MESSAGE` if the body has these fields in one of the usual places; otherwise the body itself. */
export function extractErrorText(body: string): string {
  if (body.startsWith('<')) return TITLE.exec(body.slice(0, MAX_HTML_HEAD))?.[1]?.trim() || body;
  const parsed = parseJsonBody(body);
  if (!isRecord(parsed)) return body;
  const error = isRecord(parsed.error) ? parsed.error : parsed;
  const candidates = [
    error.message,
    parsed.error_description,
    parsed.error,
    parsed.message,
    parsed.Message,
    parsed.detail,
  ];
  const message = findFirstText(...candidates);
  if (message === undefined) return body;
  const type = error.type === 'error' ? undefined : error.type;
  const kind = findFirstText(type, error.code, error.status, parsed.error, parsed.__type);
  const upstream = isRecord(error.metadata) ? findFirstText(error.metadata.raw) : undefined;
  const text = kind === undefined || message.includes(kind) ? message : `${kind}: ${message}`;
  const fullText = upstream === undefined ? text : `${text} (${extractErrorText(upstream)})`;
  // The user needs the request id to report the problem to the provider.
  const requestId = findFirstText(parsed.request_id, error.request_id);
  return requestId === undefined ? fullText : `${fullText} (request ${requestId})`;
}

function parseJsonBody(body: string): unknown {
  if (!/^[[{]/.test(body)) return undefined;
  const value = tryParseJson(body);
  return Array.isArray(value) ? value[0] : value;
}

function findFirstText(...values: readonly unknown[]): string | undefined {
  return values.find((value): value is string => typeof value === 'string' && value.trim() !== '')?.trim();
}

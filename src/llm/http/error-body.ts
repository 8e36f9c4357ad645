// What a provider's error body says, without its JSON or HTML. Pure; the text is foreign and may be anything.
import { isRecord } from '../../base/index.ts';

/** HTML is looked at no further: what comes later is no title. */
const LONGEST_HEAD = 2000;
const TITLE = /<title>([^<]*)/i;

/** `TYPE: MESSAGE` where the body has them in one of the usual places; otherwise the body itself. */
export function errorText(body: string): string {
  if (body.startsWith('<')) return TITLE.exec(body.slice(0, LONGEST_HEAD))?.[1]?.trim() || body;
  const parsed = parse(body);
  if (!isRecord(parsed)) return body;
  const error = isRecord(parsed.error) ? parsed.error : parsed;
  const said = [error.message, parsed.error_description, parsed.error, parsed.message, parsed.Message, parsed.detail];
  const message = firstText(...said);
  if (message === undefined) return body;
  const type = error.type === 'error' ? undefined : error.type;
  const kind = firstText(type, error.code, error.status, parsed.error, parsed.__type);
  const upstream = isRecord(error.metadata) ? firstText(error.metadata.raw) : undefined;
  const text = kind === undefined || message.includes(kind) ? message : `${kind}: ${message}`;
  const whole = upstream === undefined ? text : `${text} (${errorText(upstream)})`;
  // Who asks the provider about it needs the number.
  const request = firstText(parsed.request_id, error.request_id);
  return request === undefined ? whole : `${whole} (request ${request})`;
}

function parse(body: string): unknown {
  if (!/^[[{]/.test(body)) return undefined;
  try {
    const value: unknown = JSON.parse(body);
    return Array.isArray(value) ? value[0] : value;
  } catch {
    return undefined;
  }
}

function firstText(...values: readonly unknown[]): string | undefined {
  return values.find((value): value is string => typeof value === 'string' && value.trim() !== '')?.trim();
}

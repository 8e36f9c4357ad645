// First floor, llm: one server-sent event of the Responses format, checked as far as the reader relies on it. Pure.
import type { ResponseErrorEvent, ResponseStreamEvent } from 'openai/resources/responses/responses';
import { isRecord, ownValue } from '../../../base/index.ts';
import { redactedExcerpt } from '../../../base/redaction.ts';
import type { Failure } from '../../../protocol/index.ts';
import { malformed, ProviderFault, streamFailure } from '../../http/failure.ts';

export interface WireError {
  code?: string | null;
  type?: string | null;
  message?: string | null;
}

/** Documented flat; sent nested as well. */
type ErrorFrame = Partial<ResponseErrorEvent> & { type: 'error'; error?: WireError };

export type Frame = Exclude<ResponseStreamEvent, ResponseErrorEvent> | ErrorFrame;

const PARTS: Readonly<Record<string, string>> = {
  'response.output_item.added': 'item',
  'response.output_item.done': 'item',
  'response.completed': 'response',
  'response.incomplete': 'response',
  'response.failed': 'response',
};

/** `undefined` for what says nothing. Kinds that are not known here pass; their names are for the reader to ignore. */
export function readFrame(data: string, secrets: readonly string[]): Frame | undefined {
  // Some gateways end every format's stream this way.
  if (data === '[DONE]') return undefined;
  let frame: unknown;
  try {
    frame = JSON.parse(data);
  } catch (thrown) {
    throw unreadable(data, secrets, thrown);
  }
  if (!isRecord(frame)) throw unreadable(data, secrets);
  if (frame.type === undefined && isRecord(frame.error)) return { type: 'error', error: frame.error };
  if (typeof frame.type !== 'string') throw unreadable(data, secrets);
  const part = ownValue(PARTS, frame.type);
  if (part !== undefined && !isRecord(frame[part])) throw unreadable(data, secrets);
  return frame as unknown as Frame;
}

function unreadable(data: string, secrets: readonly string[], cause?: unknown): ProviderFault {
  return malformed(`The provider sent an unreadable event: ${redactedExcerpt(data, secrets, 200)}`, cause);
}

const FILTERED = /^(invalid_prompt|\w+_policy|\w+_policy_violation)$/;
/** The request itself is at fault: asking again would not help. */
const REFUSED = /^(invalid_|unsupported_|image_|empty_image_|failed_to_download_|data_residency_)/;

export function failureIn({ code, type, message }: WireError, secrets: readonly string[]): ProviderFault {
  const name = code || type || 'error';
  const words = message || 'The provider gave no reason';
  const said = streamFailure(name, words, `${name}: ${words}`, secrets);
  const kind = kindOf(name, said.failure.kind);
  const retryAfterMs = waitIn(words);
  return new ProviderFault({ kind, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }, said.message);
}

function kindOf(name: string, said: Failure['kind']): Failure['kind'] {
  if (FILTERED.test(name)) return 'filter';
  return said === 'server' && REFUSED.test(name) ? 'refused' : said;
}

/** Inside a stream there are no headers; how long to wait is said in words: "Please try again in 1.898s". */
function waitIn(words: string): number | undefined {
  const [, minutes, amount, unit] = /try again in (?:(\d+)m(?!s))?(?:(\d+(?:\.\d+)?)(ms|s))?/i.exec(words) ?? [];
  if (minutes === undefined && amount === undefined) return undefined;
  const ms = Number(amount ?? 0) * (unit === 'ms' ? 1 : 1000);
  return Math.ceil(Number(minutes ?? 0) * 60_000 + ms);
}

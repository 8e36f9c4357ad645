// Parses and checks the server-sent events of the OpenAI Responses format.
import type { ResponseErrorEvent, ResponseStreamEvent } from 'openai/resources/responses/responses';
import { getOwnValue, isRecord } from '../../../base/index.ts';
import { redactExcerpt } from '../../../base/redaction.ts';
import type { ProviderFailure } from '../../../protocol/index.ts';
import { createMalformedFault, createStreamFault, ProviderFault } from '../../http/provider-fault.ts';

export interface WireError {
  code?: string | null;
  type?: string | null;
  message?: string | null;
}

/** The documentation shows a flat event; servers also send a nested one. */
type ErrorFrame = Partial<ResponseErrorEvent> & { type: 'error'; error?: WireError };

export type Frame = Exclude<ResponseStreamEvent, ResponseErrorEvent> | ErrorFrame;

const REQUIRED_OBJECTS: Readonly<Record<string, string>> = {
  'response.output_item.added': 'item',
  'response.output_item.done': 'item',
  'response.completed': 'response',
  'response.incomplete': 'response',
  'response.failed': 'response',
};

/** `undefined` for events without content. Unknown event types are returned; the reader ignores them. */
export function parseFrame(data: string, secrets: readonly string[]): Frame | undefined {
  // Some gateways end the stream of every format this way.
  if (data === '[DONE]') return undefined;
  let frame: unknown;
  try {
    frame = JSON.parse(data);
  } catch (thrown) {
    throw createUnreadableEventFault(data, secrets, thrown);
  }
  if (!isRecord(frame)) throw createUnreadableEventFault(data, secrets);
  if (frame.type === undefined && isRecord(frame.error)) return { type: 'error', error: frame.error };
  if (typeof frame.type !== 'string') throw createUnreadableEventFault(data, secrets);
  const requiredField = getOwnValue(REQUIRED_OBJECTS, frame.type);
  if (requiredField !== undefined && !isRecord(frame[requiredField])) throw createUnreadableEventFault(data, secrets);
  return frame as unknown as Frame;
}

function createUnreadableEventFault(data: string, secrets: readonly string[], cause?: unknown): ProviderFault {
  return createMalformedFault(`The provider sent an unreadable event: ${redactExcerpt(data, secrets, 200)}`, cause);
}

const FILTER_CODE = /^(invalid_prompt|\w+_policy|\w+_policy_violation)$/;
/** The request is invalid; a retry would fail too. */
const REFUSED_CODE = /^(invalid_|unsupported_|image_|empty_image_|failed_to_download_|data_residency_)/;

export function createErrorFrameFault({ code, type, message }: WireError, secrets: readonly string[]): ProviderFault {
  const name = code || type || 'error';
  const text = message || 'The provider gave no reason';
  const fault = createStreamFault(name, text, `${name}: ${text}`, secrets);
  const kind = refineKind(name, fault.providerFailure.kind);
  const retryAfterMs = parseRetryDelay(text);
  return new ProviderFault({ kind, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }, fault.message);
}

function refineKind(name: string, kind: ProviderFailure['kind']): ProviderFailure['kind'] {
  if (FILTER_CODE.test(name)) return 'filter';
  return kind === 'server' && REFUSED_CODE.test(name) ? 'refused' : kind;
}

/** A stream has no headers, so the retry delay is part of the error text: "Please try again in 1.898s". */
function parseRetryDelay(text: string): number | undefined {
  const [, minutes, amount, unit] = /try again in (?:(\d+)m(?!s))?(?:(\d+(?:\.\d+)?)(ms|s))?/i.exec(text) ?? [];
  if (minutes === undefined && amount === undefined) return undefined;
  const ms = Number(amount ?? 0) * (unit === 'ms' ? 1 : 1000);
  return Math.ceil(Number(minutes ?? 0) * 60_000 + ms);
}

// First floor, llm: one server-sent event of the Messages format, checked as far as the reader relies on it. Pure.
import type { RawMessageStreamEvent } from '@anthropic-ai/sdk/resources/messages';
import { isRecord, ownValue } from '../../../base/index.ts';
import { redactedExcerpt } from '../../../base/redaction.ts';
import { httpFailure, malformed, type ProviderFault, streamFailure } from '../../http/failure.ts';

interface ErrorFrame {
  type: 'error';
  error: { type?: string; message?: string };
}

export type Frame = RawMessageStreamEvent | ErrorFrame | { type: 'ping' };

const PARTS: Readonly<Record<string, string>> = {
  message_start: 'message',
  message_delta: 'delta',
  content_block_start: 'content_block',
  content_block_delta: 'delta',
  error: 'error',
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
  if (!isRecord(frame) || typeof frame.type !== 'string') throw unreadable(data, secrets);
  const part = ownValue(PARTS, frame.type);
  if (part !== undefined && !isRecord(frame[part])) throw unreadable(data, secrets);
  return frame as unknown as Frame;
}

function unreadable(data: string, secrets: readonly string[], cause?: unknown): ProviderFault {
  return malformed(`The provider sent an unreadable event: ${redactedExcerpt(data, secrets, 200)}`, cause);
}

/** The status that the same error has when it comes before the stream. */
const STATUSES: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  api_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
};

export function failureIn({ error }: ErrorFrame, data: string, secrets: readonly string[]): ProviderFault {
  const { type = 'error', message = '' } = error;
  const status = Object.hasOwn(STATUSES, type) ? STATUSES[type] : undefined;
  if (status === undefined) return streamFailure(type, message, data, secrets);
  return httpFailure(status, new Headers(), data, secrets);
}

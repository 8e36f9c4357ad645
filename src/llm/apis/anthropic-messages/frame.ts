// Parses and checks the server-sent events of the Anthropic Messages format.
import type { RawMessageStreamEvent } from '@anthropic-ai/sdk/resources/messages';
import { getOwnValue, isRecord } from '../../../base/index.ts';
import { redactExcerpt } from '../../../base/redaction.ts';
import {
  createHttpFault,
  createMalformedFault,
  createStreamFault,
  type ProviderFault,
} from '../../http/provider-fault.ts';

interface ErrorFrame {
  type: 'error';
  error: { type?: string; message?: string };
}

export type Frame = RawMessageStreamEvent | ErrorFrame | { type: 'ping' };

const REQUIRED_OBJECTS: Readonly<Record<string, string>> = {
  message_start: 'message',
  message_delta: 'delta',
  content_block_start: 'content_block',
  content_block_delta: 'delta',
  error: 'error',
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
  if (!isRecord(frame) || typeof frame.type !== 'string') throw createUnreadableEventFault(data, secrets);
  const requiredField = getOwnValue(REQUIRED_OBJECTS, frame.type);
  if (requiredField !== undefined && !isRecord(frame[requiredField])) throw createUnreadableEventFault(data, secrets);
  return frame as unknown as Frame;
}

function createUnreadableEventFault(data: string, secrets: readonly string[], cause?: unknown): ProviderFault {
  return createMalformedFault(`The provider sent an unreadable event: ${redactExcerpt(data, secrets, 200)}`, cause);
}

/** The HTTP status of the same error outside of a stream. */
const STATUS_BY_ERROR_TYPE: Readonly<Record<string, number>> = {
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

export function createErrorFrameFault({ error }: ErrorFrame, data: string, secrets: readonly string[]): ProviderFault {
  const { type = 'error', message = '' } = error;
  const status = Object.hasOwn(STATUS_BY_ERROR_TYPE, type) ? STATUS_BY_ERROR_TYPE[type] : undefined;
  if (status === undefined) return createStreamFault(type, message, data, secrets);
  return createHttpFault(status, new Headers(), data, secrets);
}

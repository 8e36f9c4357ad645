// Parses the server-sent events of the Chat Completions format.
import type { ChatCompletionChunk } from 'openai/resources/chat/completions';
import { isRecord } from '../../../base/index.ts';
import { redactExcerpt } from '../../../base/redaction.ts';
import type { ServerSentEvent } from '../../http/post-for-events.ts';
import {
  createHttpFault,
  createMalformedFault,
  createStreamFault,
  type ProviderFault,
} from '../../http/provider-fault.ts';
import type { ThinkingField } from './signature.ts';

/** Many different servers use this format, so the types of all values are checked. */
export type Delta = {
  [field in keyof ChatCompletionChunk.Choice.Delta | ThinkingField | 'reasoning_details']?: unknown;
};

export interface Chunk {
  delta: Delta | undefined;
  finish: string | undefined;
  usage: Record<string, unknown> | undefined;
}

/** `undefined` for empty events. Throws if the event contains an error. */
export function parseChunk({ event, data }: ServerSentEvent, secrets: readonly string[]): Chunk | undefined {
  if (data === '') return undefined;
  const chunk = parseObject(data, secrets);
  const choice: unknown = Array.isArray(chunk.choices) ? chunk.choices[0] : undefined;
  const firstChoice = isRecord(choice) ? choice : undefined;
  const error =
    chunk.error ??
    firstChoice?.error ??
    findBaseRespError(chunk) ??
    (event === 'error' || chunk.object === 'error' ? chunk : undefined);
  if (error) throw createChunkFault(error, secrets);
  const finish = firstChoice?.finish_reason;
  return {
    delta: isRecord(firstChoice?.delta) ? firstChoice.delta : undefined,
    finish: typeof finish === 'string' && finish !== '' ? finish : undefined,
    usage: findUsage(chunk, firstChoice),
  };
}

function findUsage(chunk: Record<string, unknown>, choice: Record<string, unknown> | undefined) {
  if (isRecord(chunk.usage)) return chunk.usage;
  if (isRecord(choice?.usage)) return choice.usage;
  return isRecord(chunk.x_groq) && isRecord(chunk.x_groq.usage) ? chunk.x_groq.usage : undefined;
}

function parseObject(data: string, secrets: readonly string[]): Record<string, unknown> {
  const createFault = (cause?: unknown) =>
    createMalformedFault(`The provider sent an unreadable chunk: ${redactExcerpt(data, secrets, 200)}`, cause);
  try {
    const chunk: unknown = JSON.parse(data);
    if (isRecord(chunk)) return chunk;
  } catch (thrown) {
    throw createFault(thrown);
  }
  throw createFault();
}

/** MiniMax reports errors in `base_resp` with HTTP status 200. */
function findBaseRespError({ base_resp: baseResp }: Record<string, unknown>): Record<string, unknown> | undefined {
  return isRecord(baseResp) && typeof baseResp.status_code === 'number' && baseResp.status_code !== 0
    ? baseResp
    : undefined;
}

/** Gateways put the HTTP status of the original error into `code`. */
function createChunkFault(error: unknown, secrets: readonly string[]): ProviderFault {
  const { type, code, status_code: status, message } = isRecord(error) ? error : { message: error };
  const text = JSON.stringify({ error });
  const httpStatus = [code, status].map(Number).find((number) => number >= 400 && number < 600);
  if (httpStatus !== undefined) return createHttpFault(httpStatus, new Headers(), text, secrets);
  return createStreamFault(
    `${String(type)} ${String(code)}`,
    typeof message === 'string' ? message : text,
    text,
    secrets,
  );
}

// First floor, llm: one server-sent event of the Chat Completions format, or the failure that it tells. Pure.
import type { ChatCompletionChunk } from 'openai/resources/chat/completions';
import { isRecord } from '../../../base/index.ts';
import { redactedExcerpt } from '../../../base/redaction.ts';
import { httpFailure, malformed, type ProviderFault, streamFailure } from '../../http/failure.ts';
import type { ServerEvent } from '../../http/post.ts';
import type { ThinkingField } from './signature.ts';

/** Servers of all makes speak this format, so only names are taken for granted, never what stands under them. */
export type Delta = {
  [field in keyof ChatCompletionChunk.Choice.Delta | ThinkingField | 'reasoning_details']?: unknown;
};

export interface Chunk {
  delta: Delta | undefined;
  finish: string | undefined;
  usage: Record<string, unknown> | undefined;
}

/** `undefined` for what says nothing. Throws the failure that came in place of an answer. */
export function readChunk({ event, data }: ServerEvent, secrets: readonly string[]): Chunk | undefined {
  if (data === '') return undefined;
  const chunk = parsed(data, secrets);
  const choice: unknown = Array.isArray(chunk.choices) ? chunk.choices[0] : undefined;
  const known = isRecord(choice) ? choice : undefined;
  const error =
    chunk.error ??
    known?.error ??
    complaint(chunk) ??
    (event === 'error' || chunk.object === 'error' ? chunk : undefined);
  if (error) throw failureIn(error, secrets);
  const finish = known?.finish_reason;
  return {
    delta: isRecord(known?.delta) ? known.delta : undefined,
    finish: typeof finish === 'string' && finish !== '' ? finish : undefined,
    usage: usageIn(chunk, known),
  };
}

function usageIn(chunk: Record<string, unknown>, choice: Record<string, unknown> | undefined) {
  if (isRecord(chunk.usage)) return chunk.usage;
  if (isRecord(choice?.usage)) return choice.usage;
  return isRecord(chunk.x_groq) && isRecord(chunk.x_groq.usage) ? chunk.x_groq.usage : undefined;
}

function parsed(data: string, secrets: readonly string[]): Record<string, unknown> {
  const unreadable = (cause?: unknown) =>
    malformed(`The provider sent an unreadable chunk: ${redactedExcerpt(data, secrets, 200)}`, cause);
  try {
    const chunk: unknown = JSON.parse(data);
    if (isRecord(chunk)) return chunk;
  } catch (thrown) {
    throw unreadable(thrown);
  }
  throw unreadable();
}

/** MiniMax says everything with status 200. */
function complaint({ base_resp: said }: Record<string, unknown>): Record<string, unknown> | undefined {
  return isRecord(said) && typeof said.status_code === 'number' && said.status_code !== 0 ? said : undefined;
}

/** Gateways pass on the status that the same error would have had before the stream. */
function failureIn(error: unknown, secrets: readonly string[]): ProviderFault {
  const { type, code, status_code: status, message } = isRecord(error) ? error : { message: error };
  const text = JSON.stringify({ error });
  const known = [code, status].map(Number).find((number) => number >= 400 && number < 600);
  if (known !== undefined) return httpFailure(known, new Headers(), text, secrets);
  return streamFailure(`${String(type)} ${String(code)}`, typeof message === 'string' ? message : text, text, secrets);
}

// First floor, llm: what is kept of a Responses item so that it can be sent back as the model knows it. Pure text, both ways.
import type {
  ResponseInputItem,
  ResponseOutputMessage,
  ResponseReasoningItem,
} from 'openai/resources/responses/responses';
import { isRecord } from '../../../base/index.ts';

/** Ids of other shapes are refused when they come back, also by the provider that made them. */
const ID = /^[\w-]{1,64}$/;
const CALL = /^([\w-]{1,64})\|([\w-]{1,64})$/;

export type TextMark = Pick<ResponseOutputMessage, 'id' | 'phase'>;

function idOf(item: { id?: unknown }): string | undefined {
  return typeof item.id === 'string' && ID.test(item.id) ? item.id : undefined;
}

/** The id alone, or with the phase, without which newer models take their remarks between two calls for final answers. */
export function textSignature(item: { id?: unknown; phase?: unknown }): string | undefined {
  const id = idOf(item);
  if (id === undefined || typeof item.phase !== 'string') return id;
  return JSON.stringify({ v: 1, id, phase: item.phase });
}

export function readTextSignature(signature: string | undefined): TextMark | undefined {
  if (signature === undefined) return undefined;
  if (!signature.startsWith('{')) return ID.test(signature) ? { id: signature } : undefined;
  const mark = parsed(signature);
  const id = mark && idOf(mark);
  if (id === undefined) return undefined;
  return mark?.phase === 'commentary' || mark?.phase === 'final_answer' ? { id, phase: mark.phase } : { id };
}

/** `undefined` when the provider would not know the item again: it keeps none, so all of it must be in the item. */
export function reasoningSignature(item: unknown): string | undefined {
  const known = replayable(item);
  return known && JSON.stringify(known);
}

/** Pictures and outputs of some hosted tools are larger than a history should carry. */
const LONGEST_HOSTED = 256 * 1024;

/** An item of one of the provider's own tools, as it is sent back. */
export function hostedSignature(item: unknown): string | undefined {
  if (!isRecord(item) || idOf(item) === undefined) return undefined;
  const text = JSON.stringify(item);
  return text.length > LONGEST_HOSTED ? undefined : text;
}

/** What a thinking block stands for: reasoning, or an item of one of the provider's own tools. */
export function readHidden(signature: string | undefined): ResponseInputItem | undefined {
  const item = signature === undefined ? undefined : parsed(signature);
  if (!item || typeof item.type !== 'string') return undefined;
  if (item.type === 'reasoning') return replayable(item);
  return HOSTED.test(item.type) && idOf(item) !== undefined ? (item as unknown as ResponseInputItem) : undefined;
}

/** `web_search_call`, `mcp_list_tools`, …; never a message or a call of a function. */
const HOSTED = /^(?!function_|custom_tool_)\w+_(call|call_output|list_tools|approval_request)$/;

function replayable(item: unknown): ResponseReasoningItem | undefined {
  if (!isRecord(item)) return undefined;
  const id = idOf(item);
  const { encrypted_content: sealed, summary, content } = item as Partial<ResponseReasoningItem>;
  const isSealed = typeof sealed === 'string' && sealed !== '';
  // Open models behind this format show their reasoning instead of sealing it.
  const isShown = Array.isArray(content) && content.length > 0;
  if (id === undefined || !(isSealed || isShown)) return undefined;
  return {
    type: 'reasoning',
    id,
    // Required, also when there is none.
    summary: Array.isArray(summary) ? summary : [],
    ...(isShown ? { content } : {}),
    ...(isSealed ? { encrypted_content: sealed } : {}),
  };
}

/** Our id of a call holds both of the provider's: the one that its result names, and that of the item. */
export function joinCallId(callId: string, item: { id?: unknown } | undefined): string {
  const id = item && idOf(item);
  return id === undefined ? callId : `${callId}|${id}`;
}

export function splitCallId(id: string): { callId: string; itemId?: string | undefined } {
  const [, callId, itemId] = CALL.exec(id) ?? [];
  return callId === undefined ? { callId: id } : { callId, itemId };
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

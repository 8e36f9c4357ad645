// Encodes the parts of Responses items that must be sent back unchanged, as signatures of content blocks.
import type {
  ResponseInputItem,
  ResponseOutputMessage,
  ResponseReasoningItem,
} from 'openai/resources/responses/responses';
import { isRecord, tryParseObject } from '../../../base/index.ts';

/** The API rejects other ids in input items, even ids that it created itself. */
const VALID_ID = /^[\w-]{1,64}$/;
const JOINED_ID = /^([\w-]{1,64})\|([\w-]{1,64})$/;

export type TextSignature = Pick<ResponseOutputMessage, 'id' | 'phase'>;

function getValidId(item: { id?: unknown }): string | undefined {
  return typeof item.id === 'string' && VALID_ID.test(item.id) ? item.id : undefined;
}

/** The id, or the id with the phase. Without the phase newer models treat text between two calls as final answers. */
export function encodeTextSignature(item: { id?: unknown; phase?: unknown }): string | undefined {
  const id = getValidId(item);
  if (id === undefined || typeof item.phase !== 'string') return id;
  return JSON.stringify({ v: 1, id, phase: item.phase });
}

export function decodeTextSignature(signature: string | undefined): TextSignature | undefined {
  if (signature === undefined) return undefined;
  if (!signature.startsWith('{')) return VALID_ID.test(signature) ? { id: signature } : undefined;
  const fields = tryParseObject(signature);
  const id = fields && getValidId(fields);
  if (id === undefined) return undefined;
  return fields?.phase === 'commentary' || fields?.phase === 'final_answer' ? { id, phase: fields.phase } : { id };
}

/** `undefined` when the item cannot be sent back. The provider stores nothing, so the item must be complete. */
export function encodeReasoningSignature(item: unknown): string | undefined {
  const replayable = toReplayableItem(item);
  return replayable && JSON.stringify(replayable);
}

/** Images and outputs of some hosted tools are too large to store in the history. */
const MAX_HOSTED_LENGTH = 256 * 1024;

/** Encodes an item of a tool that the provider runs itself. */
export function encodeHostedSignature(item: unknown): string | undefined {
  if (!isRecord(item) || getValidId(item) === undefined) return undefined;
  const text = JSON.stringify(item);
  return text.length > MAX_HOSTED_LENGTH ? undefined : text;
}

/** Decodes a reasoning item or an item of a hosted tool. */
export function decodeThinkingSignature(signature: string | undefined): ResponseInputItem | undefined {
  const item = signature === undefined ? undefined : tryParseObject(signature);
  if (!item || typeof item.type !== 'string') return undefined;
  if (item.type === 'reasoning') return toReplayableItem(item);
  return HOSTED_TYPE.test(item.type) && getValidId(item) !== undefined
    ? (item as unknown as ResponseInputItem)
    : undefined;
}

/** `web_search_call`, `mcp_list_tools`, …; never a message or a function call. */
const HOSTED_TYPE = /^(?!function_|custom_tool_)\w+_(call|call_output|list_tools|approval_request)$/;

function toReplayableItem(item: unknown): ResponseReasoningItem | undefined {
  if (!isRecord(item)) return undefined;
  const id = getValidId(item);
  const { encrypted_content: encrypted, summary, content } = item as Partial<ResponseReasoningItem>;
  const isEncrypted = typeof encrypted === 'string' && encrypted !== '';
  // Open models with this format return plain instead of encrypted reasoning.
  const hasContent = Array.isArray(content) && content.length > 0;
  if (id === undefined || !(isEncrypted || hasContent)) return undefined;
  return {
    type: 'reasoning',
    id,
    // Required by the API, even if empty.
    summary: Array.isArray(summary) ? summary : [],
    ...(hasContent ? { content } : {}),
    ...(isEncrypted ? { encrypted_content: encrypted } : {}),
  };
}

/** The call id contains two ids of the provider: the one that the result refers to, and the item id. */
export function joinCallId(callId: string, item: { id?: unknown } | undefined): string {
  const id = item && getValidId(item);
  return id === undefined ? callId : `${callId}|${id}`;
}

export function splitCallId(id: string): { callId: string; itemId?: string | undefined } {
  const [, callId, itemId] = JOINED_ID.exec(id) ?? [];
  return callId === undefined ? { callId: id } : { callId, itemId };
}

// Encodes messages as chunks. Text that has arrived as deltas is not sent again.
import type { ContentBlock, SessionUpdate } from '@agentclientprotocol/sdk';
import type { AssistantMessage, StreamEvent } from '../../../protocol/index.ts';
import { type ContentItem, toImageBlocks } from './tool-content.ts';

export type ChunkType = 'user_message_chunk' | 'agent_message_chunk' | 'agent_thought_chunk';

/** Characters of one chunk. A longer text is sent in several chunks. */
const MAX_CHUNK_LENGTH = 32_000;

export function createTextChunks(type: ChunkType, text: string, messageId: string, meta?: object): SessionUpdate[] {
  return splitText(text).map((part) => createChunk(type, { type: 'text', text: part }, messageId, meta));
}

/** The text and the images of a message of the user or of an extension. */
export function createMessageChunks(
  content: string | readonly ContentItem[],
  messageId: string,
  meta?: object,
): SessionUpdate[] {
  if (typeof content === 'string') return createTextChunks('user_message_chunk', content, messageId, meta);
  return content.flatMap((block) => {
    if (typeof block.text === 'string') return createTextChunks('user_message_chunk', block.text, messageId, meta);
    return toImageBlocks(block).map((image) => createChunk('user_message_chunk', image, messageId, meta));
  });
}

type AssistantBlock = AssistantMessage['content'][number];

/** The chunks of the text or thinking block; none for a tool call and for redacted thinking. */
export function createBlockChunks(block: AssistantBlock, messageId: string): SessionUpdate[] {
  const { type, text } = readBlock(block);
  return type === undefined ? [] : createTextChunks(type, text, messageId);
}

/** Encodes the answers of the model, one after another. Call `start` when an answer starts. */
export class AnswerEncoder {
  #messageId = '';
  /** What has been sent of each content block. A growing string shares its parts, so that nothing is copied per delta. */
  #sent: string[] = [];

  start(messageId: string): void {
    this.#messageId = messageId;
    this.#sent = [];
  }

  encode(event: StreamEvent): SessionUpdate[] {
    switch (event.type) {
      case 'text_delta':
        return this.#encodeDelta('agent_message_chunk', event);
      case 'thinking_delta':
        return this.#encodeDelta('agent_thought_chunk', event);
      case 'text_end':
        return this.#encodeRest('agent_message_chunk', event.contentIndex, event.content);
      case 'thinking_end':
        return this.#encodeRest('agent_thought_chunk', event.contentIndex, event.content);
      default:
        return [];
    }
  }

  /** What has not arrived as deltas. */
  end({ content }: AssistantMessage): SessionUpdate[] {
    return content.flatMap((block, index) => {
      const { type, text } = readBlock(block);
      return type === undefined ? [] : this.#encodeRest(type, index, text);
    });
  }

  #encodeDelta(type: ChunkType, { contentIndex, delta }: { contentIndex: number; delta: string }): SessionUpdate[] {
    if (delta === '') return [];
    this.#sent[contentIndex] = (this.#sent[contentIndex] ?? '') + delta;
    return createTextChunks(type, delta, this.#messageId);
  }

  /** A provider may correct a text at its end. What the client shows cannot be changed, so only an addition is sent. */
  #encodeRest(type: ChunkType, index: number, text: string): SessionUpdate[] {
    const sent = this.#sent[index] ?? '';
    if (text.length <= sent.length || !text.startsWith(sent)) return [];
    this.#sent[index] = text;
    return createTextChunks(type, text.slice(sent.length), this.#messageId);
  }
}

/** Stored blocks may have been written by other programs, so their texts are checked. */
function readBlock(block: AssistantBlock): { type: ChunkType | undefined; text: string } {
  if (block.type === 'text') return { type: 'agent_message_chunk', text: toText(block.text) };
  if (block.type === 'thinking' && !block.redacted)
    return { type: 'agent_thought_chunk', text: toText(block.thinking) };
  return { type: undefined, text: '' };
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function createChunk(type: ChunkType, content: ContentBlock, messageId: string, meta?: object): SessionUpdate {
  return { sessionUpdate: type, messageId, content, ...(meta ? { _meta: { parley: meta } } : {}) };
}

/** Splits between characters, never inside a surrogate pair. */
function splitText(text: string): string[] {
  if (text.length <= MAX_CHUNK_LENGTH) return text === '' ? [] : [text];
  const parts: string[] = [];
  for (let at = 0; at < text.length; ) {
    const end = at + MAX_CHUNK_LENGTH;
    const splitsPair = isHighSurrogate(text.charCodeAt(end - 1));
    parts.push(text.slice(at, splitsPair ? end - 1 : end));
    at = splitsPair ? end - 1 : end;
  }
  return parts;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

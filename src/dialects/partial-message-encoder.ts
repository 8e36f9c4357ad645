// Encodes a growing assistant message as JSON without serializing the same text twice.
import { AppendOnlyBuffer, escapeSeparators, toJson, toJsonStringBody } from '../base/index.ts';
import type { Chunk } from '../contracts/index.ts';
import type { AssistantMessage, StreamEvent } from '../protocol/index.ts';

type Block = AssistantMessage['content'][number];

const MESSAGE_START = '{"role":"assistant","content":[';

/**
 * Encodes one message during its stream. Text that can only grow is in an append-only buffer, and frames reference slices
 * of it. Parts that may still change (the open tool call, usage) are a short suffix. If blocks are interleaved, or if a
 * text differs from the sum of its deltas, every later frame is serialized as a whole.
 */
export class PartialMessageEncoder {
  #buffer = new AppendOnlyBuffer();
  #closedBlocks = 0;
  /** UTF-16 length of the open text or thinking block. Detects text that did not arrive as deltas. */
  #openLength: number | undefined;
  /** Detects that the block was replaced by another object, whose text may have the same length. */
  #openBlock: Block | undefined;
  #usesFallback = false;
  #cachedSuffix = { usage: undefined as unknown, stopReason: '', text: '' };
  #cachedToolCall = { block: undefined as unknown, args: undefined as unknown, text: '' };

  constructor() {
    this.#buffer.append(MESSAGE_START);
  }

  /** Returns the whole message after this event, as pieces of JSON. */
  encode(event: StreamEvent): Chunk[] {
    const { partial } = event;
    const block = partial.content[event.contentIndex];
    if (!this.#usesFallback && block && this.#appendEvent(event, block)) return this.#getChunks(partial, block);
    this.#usesFallback = true;
    return [toJson(partial)];
  }

  /** Returns false when the blocks are interleaved or the text does not match the deltas. */
  #appendEvent(event: StreamEvent, block: Block): boolean {
    const isLast = event.contentIndex === event.partial.content.length - 1;
    if (!isLast || event.contentIndex !== this.#closedBlocks) return false;
    switch (event.type) {
      case 'text_start':
      case 'thinking_start':
        return this.#openTextBlock(block);
      case 'text_delta':
      case 'thinking_delta':
        return this.#appendDelta(event.delta, block);
      case 'text_end':
      case 'thinking_end':
        return this.#closeTextBlock(block);
      case 'toolcall_start':
      case 'toolcall_delta':
        return block.type === 'toolCall';
      case 'toolcall_end':
        this.#appendSeparator();
        this.#buffer.append(toJson(block));
        this.#closedBlocks++;
        return true;
    }
  }

  #openTextBlock(block: Block): boolean {
    if (block.type === 'toolCall' || this.#openLength !== undefined) return false;
    this.#appendSeparator();
    const text = getBlockText(block);
    this.#buffer.append(`{"type":"${block.type}","${getTextKey(block)}":"${toJsonStringBody(text)}`);
    this.#openLength = text.length;
    this.#openBlock = block;
    return true;
  }

  #appendDelta(delta: string, block: Block): boolean {
    if (this.#openLength === undefined) return false;
    this.#buffer.append(toJsonStringBody(delta));
    this.#openLength += delta.length;
    return this.#openLength === getBlockText(block).length;
  }

  #closeTextBlock(block: Block): boolean {
    if (this.#openBlock !== block || this.#openLength !== getBlockText(block).length) return false;
    this.#buffer.append(encodeBlockEnd(block));
    this.#openLength = undefined;
    this.#closedBlocks++;
    return true;
  }

  #appendSeparator(): void {
    if (this.#closedBlocks > 0) this.#buffer.append(',');
  }

  #getChunks(partial: AssistantMessage, block: Block): Chunk[] {
    let open = '';
    if (this.#openLength !== undefined) open = encodeBlockEnd(block);
    else if (this.#closedBlocks < partial.content.length)
      open = `${this.#closedBlocks > 0 ? ',' : ''}${this.#encodeOpenBlock(block)}`;
    return [this.#buffer.slice(), `${open}${this.#encodeSuffix(partial)}`];
  }

  /** The arguments object of an open call is replaced each time it is parsed, so comparing references is enough. */
  #encodeOpenBlock(block: Block): string {
    if (block.type !== 'toolCall') return toJson(block);
    const { arguments: args } = block;
    if (this.#cachedToolCall.block !== block || this.#cachedToolCall.args !== args)
      this.#cachedToolCall = { block, args, text: toJson(block) };
    return this.#cachedToolCall.text;
  }

  #encodeSuffix(partial: AssistantMessage): string {
    const { role: _role, content: _content, ...rest } = partial;
    if (this.#cachedSuffix.usage !== rest.usage || this.#cachedSuffix.stopReason !== rest.stopReason) {
      this.#cachedSuffix = { usage: rest.usage, stopReason: rest.stopReason, text: `],${toJson(rest).slice(1)}` };
    }
    return this.#cachedSuffix.text;
  }
}

function getTextKey(block: Block): string {
  return block.type === 'thinking' ? 'thinking' : 'text';
}

function getBlockText(block: Block): string {
  if (block.type === 'thinking') return block.thinking;
  return block.type === 'text' ? block.text : '';
}

/** The JSON after the text of a block: the closing quote, the remaining fields and the closing brace. */
function encodeBlockEnd(block: Block): string {
  const {
    type: _type,
    [getTextKey(block) as 'text']: _text,
    ...rest
  } = block as Record<string, unknown> & { type: string };
  const others = escapeSeparators(JSON.stringify(rest));
  return others === '{}' ? '"}' : `",${others.slice(1)}`;
}

// First floor, dialects: the JSON of an assistant message while it grows, without ever writing the same text twice.
import { escapeSeparators, GrowingBytes, jsonStringBody, toJson } from '../base/index.ts';
import type { Chunk } from '../contracts/index.ts';
import type { AssistantMessage, StreamEvent } from '../protocol/index.ts';

type Block = AssistantMessage['content'][number];

const HEAD = '{"role":"assistant","content":[';

/**
 * Follows one message through its stream. The text that can only grow sits in an append-only buffer that frames point
 * into; what may still change (the open tool call, usage) is a short tail. Blocks that do not come one after another,
 * or text that did not grow by its deltas, fall back to plain serialisation.
 */
export class GrowingMessage {
  #bytes = new GrowingBytes();
  #blocks = 0;
  /** UTF-16 length of the open text or thinking block, to notice text that did not come as deltas. */
  #openLength: number | undefined;
  /** Another object in its place has another text, which may be as long. */
  #openBlock: Block | undefined;
  #plain = false;
  #suffix = { usage: undefined as unknown, stopReason: '', text: '' };
  #call = { block: undefined as unknown, args: undefined as unknown, text: '' };

  constructor() {
    this.#bytes.append(HEAD);
  }

  /** The whole message after this event, as pieces of JSON. */
  after(event: StreamEvent): Chunk[] {
    const { partial } = event;
    const block = partial.content[event.contentIndex];
    if (!this.#plain && block && this.#follow(event, block)) return this.#snapshot(partial, block);
    this.#plain = true;
    return [toJson(partial)];
  }

  /** Returns false when the event does not fit the one-after-another shape. */
  #follow(event: StreamEvent, block: Block): boolean {
    const isLast = event.contentIndex === event.partial.content.length - 1;
    if (!isLast || event.contentIndex !== this.#blocks) return false;
    switch (event.type) {
      case 'text_start':
      case 'thinking_start':
        return this.#open(block);
      case 'text_delta':
      case 'thinking_delta':
        return this.#grow(event.delta, block);
      case 'text_end':
      case 'thinking_end':
        return this.#close(block);
      case 'toolcall_start':
      case 'toolcall_delta':
        return block.type === 'toolCall';
      case 'toolcall_end':
        this.#separate();
        this.#bytes.append(toJson(block));
        this.#blocks++;
        return true;
    }
  }

  #open(block: Block): boolean {
    if (block.type === 'toolCall' || this.#openLength !== undefined) return false;
    this.#separate();
    const text = textIn(block);
    this.#bytes.append(`{"type":"${block.type}","${keyOf(block)}":"${jsonStringBody(text)}`);
    this.#openLength = text.length;
    this.#openBlock = block;
    return true;
  }

  #grow(delta: string, block: Block): boolean {
    if (this.#openLength === undefined) return false;
    this.#bytes.append(jsonStringBody(delta));
    this.#openLength += delta.length;
    return this.#openLength === textIn(block).length;
  }

  #close(block: Block): boolean {
    if (this.#openBlock !== block || this.#openLength !== textIn(block).length) return false;
    this.#bytes.append(closing(block));
    this.#openLength = undefined;
    this.#blocks++;
    return true;
  }

  #separate(): void {
    if (this.#blocks > 0) this.#bytes.append(',');
  }

  #snapshot(partial: AssistantMessage, block: Block): Chunk[] {
    let open = '';
    if (this.#openLength !== undefined) open = closing(block);
    else if (this.#blocks < partial.content.length) open = `${this.#blocks > 0 ? ',' : ''}${this.#openCall(block)}`;
    return [this.#bytes.slice(), `${open}${this.#suffixOf(partial)}`];
  }

  /** The arguments of an open call are a new object each time they were parsed again. */
  #openCall(block: Block): string {
    if (block.type !== 'toolCall') return toJson(block);
    const { arguments: args } = block;
    if (this.#call.block !== block || this.#call.args !== args) this.#call = { block, args, text: toJson(block) };
    return this.#call.text;
  }

  #suffixOf(partial: AssistantMessage): string {
    const { role: _role, content: _content, ...rest } = partial;
    if (this.#suffix.usage !== rest.usage || this.#suffix.stopReason !== rest.stopReason) {
      this.#suffix = { usage: rest.usage, stopReason: rest.stopReason, text: `],${toJson(rest).slice(1)}` };
    }
    return this.#suffix.text;
  }
}

function keyOf(block: Block): string {
  return block.type === 'thinking' ? 'thinking' : 'text';
}

function textIn(block: Block): string {
  if (block.type === 'thinking') return block.thinking;
  return block.type === 'text' ? block.text : '';
}

/** What stands after the text of a block: its end, with the fields that come last. */
function closing(block: Block): string {
  const { type: _type, [keyOf(block) as 'text']: _text, ...rest } = block as Record<string, unknown> & { type: string };
  const others = escapeSeparators(JSON.stringify(rest));
  return others === '{}' ? '"}' : `",${others.slice(1)}`;
}

// The rows of a conversation: each is small enough to be drawn on its own. Pure, except for the parsers of texts that it keeps.
import type { AgentMessage } from '../../../src/protocol/index.ts';
import { type MarkdownChunk, MarkdownStream } from '../markdown/markdown-stream.ts';
import type { Conversation, NoticeView } from '../store/conversation.ts';
import type { StreamedBlock, StreamedMessage } from '../store/stream-message.ts';

interface RowBase {
  /** Unique in the conversation, and the same while the message grows. */
  readonly key: string;
  /** The index of the message. */
  readonly index: number;
}

export type Row =
  /** A message that is not loaded. */
  | (RowBase & { readonly kind: 'gap' })
  | (RowBase & { readonly kind: 'message'; readonly message: AgentMessage })
  /** A part of the text of an answer. */
  | (RowBase & {
      readonly kind: 'text';
      readonly chunk: MarkdownChunk;
      readonly isFirst: boolean;
      readonly isStreaming: boolean;
    })
  | (RowBase & {
      readonly kind: 'thinking';
      readonly text: string;
      readonly isRedacted: boolean;
      readonly isStreaming: boolean;
    })
  | (RowBase & { readonly kind: 'call'; readonly block: Extract<StreamedBlock, { type: 'toolCall' }> })
  /** How an answer ended, if not in the usual way. */
  | (RowBase & { readonly kind: 'end'; readonly message: AgentMessage })
  | (RowBase & { readonly kind: 'notice'; readonly notice: NoticeView })
  /** The model has been asked and has not sent anything. */
  | (RowBase & { readonly kind: 'waiting' });

interface CachedRows {
  readonly message: object;
  readonly rows: readonly Row[];
  readonly isComplete: boolean;
}

interface BuiltRows {
  readonly rows: readonly Row[];
  readonly hasMore: boolean;
}

/** In milliseconds. Longer texts are parsed in several updates. */
const PARSE_TIME_MS = 8;

/** Builds the rows of one conversation. Keeps the rows of messages that did not change. */
export class ConversationRows {
  readonly #streams = new Map<string, MarkdownStream>();
  #cache: (CachedRows | undefined)[] = [];
  #generation = -1;
  #deadline = 0;
  #last: { readonly conversation: Conversation; readonly built: BuiltRows } | undefined;
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** `hasMore` says that a long text was not parsed completely: call `build` again. */
  build(conversation: Conversation): BuiltRows {
    if (conversation === this.#last?.conversation && !this.#last.built.hasMore) return this.#last.built;
    if (conversation.generation !== this.#generation) this.#reset(conversation.generation);
    this.#deadline = this.#now() + PARSE_TIME_MS;
    const rows: Row[] = [];
    let hasMore = false;
    let nextNotice = 0;
    const { messages, notices, openMessage } = conversation;
    for (let index = 0; index <= messages.length; index++) {
      for (; nextNotice < notices.length && (notices[nextNotice]?.position ?? 0) <= index; nextNotice++) {
        const notice = notices[nextNotice] as NoticeView;
        rows.push({ kind: 'notice', key: `n${notice.id}`, index, notice });
      }
      if (index === messages.length) break;
      const cached = this.#getRows(conversation, index);
      hasMore ||= !cached.isComplete;
      for (const row of cached.rows) rows.push(row);
    }
    if (openMessage) {
      const { rows: open, isComplete } = this.#buildAnswer(openMessage, messages.length, true);
      hasMore ||= !isComplete;
      rows.push(...open);
    }
    this.#last = { conversation, built: { rows, hasMore } };
    return this.#last.built;
  }

  #reset(generation: number): void {
    this.#generation = generation;
    this.#cache = [];
    this.#streams.clear();
  }

  #getRows(conversation: Conversation, index: number): CachedRows {
    const message = conversation.messages[index];
    if (!message) return getGapRows(index);
    const cached = this.#cache[index];
    if (cached?.message === message && cached.isComplete) return cached;
    const built = this.#buildRows(conversation, message, index);
    this.#cache[index] = built;
    return built;
  }

  #buildRows(conversation: Conversation, message: AgentMessage, index: number): CachedRows {
    if (message.role === 'assistant') return this.#buildAnswer(message, index, false);
    const isHidden = message.role === 'toolResult' ? hasCall(conversation, index) : isHiddenMessage(message);
    const rows: Row[] = isHidden ? [] : [{ kind: 'message', key: `m${index}`, index, message }];
    return { message, rows, isComplete: true };
  }

  #buildAnswer(message: StreamedMessage, index: number, isStreaming: boolean): CachedRows {
    const rows: Row[] = [];
    let isComplete = true;
    message.content.forEach((block, at) => {
      const key = `m${index}.${at}`;
      const isOpen = isStreaming && at === message.content.length - 1;
      if (block.type === 'text') {
        const stream = this.#getStream(key);
        const chunks = stream.update(block.text, () => this.#now() < this.#deadline);
        isComplete &&= !stream.hasMore;
        chunks.forEach((chunk, position) => {
          const isLast = position === chunks.length - 1;
          const isFirst = position === 0;
          rows.push({ kind: 'text', key: `${key}.${chunk.id}`, index, chunk, isFirst, isStreaming: isOpen && isLast });
        });
      } else if (block.type === 'thinking') {
        const isRedacted = 'redacted' in block && block.redacted === true;
        if (block.thinking.trim() === '' && !isOpen && !isRedacted) return;
        rows.push({ kind: 'thinking', key, index, text: block.thinking, isRedacted, isStreaming: isOpen });
      } else rows.push({ kind: 'call', key, index, block });
    });
    if (isStreaming && rows.length === 0) rows.push({ kind: 'waiting', key: `m${index}.w`, index });
    if (!isStreaming) {
      // The texts of a complete message do not change, so their parsers are not needed any more.
      if (isComplete) message.content.forEach((_, at) => void this.#streams.delete(`m${index}.${at}`));
      if (hasUnusualEnd(message))
        rows.push({ kind: 'end', key: `m${index}.e`, index, message: message as AgentMessage });
    }
    return { message, rows, isComplete };
  }

  #getStream(key: string): MarkdownStream {
    const stream = this.#streams.get(key) ?? new MarkdownStream();
    this.#streams.set(key, stream);
    return stream;
  }
}

const gapRows: CachedRows[] = [];

function getGapRows(index: number): CachedRows {
  gapRows[index] ??= { message: {}, rows: [{ kind: 'gap', key: `g${index}`, index }], isComplete: true };
  return gapRows[index] as CachedRows;
}

function hasUnusualEnd({ stopReason, errorMessage }: StreamedMessage): boolean {
  return errorMessage !== undefined || stopReason === 'error' || stopReason === 'aborted' || stopReason === 'length';
}

function isHiddenMessage(message: AgentMessage): boolean {
  return message.role === 'custom' && !message.display;
}

/** Whether the answer before the result is loaded and contains its call: then the card of the call shows the result. */
function hasCall({ messages }: Conversation, index: number): boolean {
  const result = messages[index];
  if (result?.role !== 'toolResult') return false;
  for (let at = index - 1; at >= 0; at--) {
    const message = messages[at];
    if (!message) return true;
    if (message.role === 'toolResult') continue;
    if (message.role !== 'assistant') return false;
    return message.content.some((block) => block.type === 'toolCall' && block.id === result.toolCallId);
  }
  return false;
}

/** The result of a call of the message at `index`, if it is loaded. */
export function findResult({ messages }: Conversation, index: number, callId: string) {
  for (let at = index + 1; at < messages.length; at++) {
    const message = messages[at];
    if (message?.role === 'assistant' || message?.role === 'user') return undefined;
    if (message?.role === 'toolResult' && message.toolCallId === callId) return message;
  }
  return undefined;
}

// Frames of session/update notifications.
import type { SessionUpdate } from '@agentclientprotocol/sdk';
import { toJson, toJsonStringBody } from '../../../base/index.ts';
import type { Frame } from '../../../contracts/index.ts';
import { createRpcFrame } from '../../json-rpc.ts';

/** One session/update notification. Text chunks of the same message fold while the client reads slowly; no text is serialized twice. */
export function createUpdateFrame(sessionId: string, update: SessionUpdate): Frame {
  if ('content' in update && update.content && 'text' in update.content && isPlainText(update.content)) {
    const { content, ...head } = update;
    return TextFrame.of(sessionId, head, update.content.text);
  }
  const frame = createRpcFrame({ method: 'session/update', params: { sessionId, update } });
  return isProgress(update) ? new ProgressFrame(frame, `${sessionId}\n${update.toolCallId}`) : frame;
}

function isPlainText(content: { type?: string; text?: unknown }): content is { type: 'text'; text: string } {
  return content.type === 'text' && typeof content.text === 'string' && Object.keys(content).length === 2;
}

type ToolCallUpdate = Extract<SessionUpdate, { sessionUpdate: 'tool_call_update' }>;

/** An update that only replaces the content of a running call. */
function isProgress(update: SessionUpdate): update is ToolCallUpdate {
  if (update.sessionUpdate !== 'tool_call_update' || !update.content) return false;
  const { sessionUpdate: _type, toolCallId: _id, content: _content, status, _meta, ...others } = update;
  return status === 'in_progress' && Object.keys(others).length === 0;
}

class TextFrame implements Frame {
  readonly chunks: readonly string[];
  readonly bytes: number;
  readonly #head: string;
  readonly #body: string;

  constructor(head: string, body: string) {
    this.#head = head;
    this.#body = body;
    const line = `${head}${body}"}}}}\n`;
    this.chunks = [line];
    this.bytes = line.length;
  }

  static of(sessionId: string, update: object, text: string): TextFrame {
    const fields = toJson(update).slice(0, -1);
    const params = `"params":{"sessionId":${toJson(sessionId)},"update":${fields},"content":{"type":"text","text":"`;
    return new TextFrame(`{"jsonrpc":"2.0","method":"session/update",${params}`, toJsonStringBody(text));
  }

  fold(next: Frame): Frame | undefined {
    if (!(next instanceof TextFrame) || next.#head !== this.#head) return undefined;
    return new TextFrame(this.#head, this.#body + next.#body);
  }
}

/** Content is cumulative, so later content of the same call replaces it. */
class ProgressFrame implements Frame {
  readonly chunks: Frame['chunks'];
  readonly bytes: number;
  readonly #call: string;

  constructor({ chunks, bytes }: Frame, call: string) {
    this.chunks = chunks;
    this.bytes = bytes;
    this.#call = call;
  }

  fold(next: Frame): Frame | undefined {
    return next instanceof ProgressFrame && next.#call === this.#call ? next : undefined;
  }
}

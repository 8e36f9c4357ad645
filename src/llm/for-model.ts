// First floor, llm: makes a history that other models wrote fit for this one. Pure; formats say what they accept.
import type { AssistantMessage, ImageContent, Model, ModelMessage, TextContent } from '../protocol/index.ts';

export interface Fitting {
  /** Tool-call ids as this format accepts them. The same id always becomes the same other one. */
  callId(id: string): string;
}

const NO_IMAGE = '[An image was left out: this model cannot see images.]';

/** Signatures are opaque to every model but the one that made them: foreign ones go, with the thinking they vouch for. */
export function forModel(messages: readonly ModelMessage[], model: Model, fitting: Fitting): ModelMessage[] {
  const sees = model.input.includes('image');
  return messages.map((message) => {
    if (message.role === 'assistant') return answerFor(message, model, fitting);
    const content = sees || typeof message.content === 'string' ? message.content : withoutImages(message.content);
    if (message.role === 'user') return content === message.content ? message : { ...message, content };
    return {
      ...message,
      content: content as (TextContent | ImageContent)[],
      toolCallId: fitting.callId(message.toolCallId),
    };
  });
}

function answerFor(message: AssistantMessage, model: Model, fitting: Fitting): AssistantMessage {
  const own = message.api === model.api && message.provider === model.provider && message.model === model.id;
  const content = message.content.flatMap((block): AssistantMessage['content'] => {
    if (block.type === 'thinking') return own ? [block] : [];
    if (block.type === 'text') {
      if (own || block.textSignature === undefined) return [block];
      return [{ type: 'text', text: block.text }];
    }
    const { thoughtSignature, ...call } = block;
    const id = fitting.callId(call.id);
    return [own && thoughtSignature !== undefined ? { ...call, id, thoughtSignature } : { ...call, id }];
  });
  return { ...message, content };
}

function withoutImages(content: readonly (TextContent | ImageContent)[]): (TextContent | ImageContent)[] {
  return content.map((block) => (block.type === 'image' ? { type: 'text', text: NO_IMAGE } : block));
}

// Adapts messages written by other models to the model and wire format of the next request.

import type { AssistantMessage, ImageContent, Model, ModelMessage, TextContent } from '../protocol/index.ts';
import { findImageProblem } from './image-limits.ts';
import { normalizeToolName } from './tool-name.ts';

export interface HistoryFormat {
  /** Converts a tool-call id to one that this wire format accepts. Deterministic: equal ids give equal results. */
  normalizeCallId(id: string): string;
}

const NO_VISION_NOTE = '[An image was left out: this model cannot see images.]';

/**
 * Signatures are opaque to every model except the one that created them. Signatures of other models are removed, together
 * with the thinking blocks they sign.
 */
export function adaptHistory(messages: readonly ModelMessage[], model: Model, format: HistoryFormat): ModelMessage[] {
  return messages.map((message) => {
    if (message.role === 'assistant') return adaptAssistantMessage(message, model, format);
    const content =
      typeof message.content === 'string' ? message.content : replaceUnsupportedImages(model, message.content);
    if (message.role === 'user') return content === message.content ? message : { ...message, content };
    return {
      ...message,
      content: content as (TextContent | ImageContent)[],
      toolCallId: format.normalizeCallId(message.toolCallId),
      toolName: normalizeToolName(message.toolName),
    };
  });
}

function adaptAssistantMessage(
  message: AssistantMessage,
  model: Model,
  historyFormat: HistoryFormat,
): AssistantMessage {
  const isSameModel = message.api === model.api && message.provider === model.provider && message.model === model.id;
  const content = message.content.flatMap((block): AssistantMessage['content'] => {
    if (block.type === 'thinking') return isSameModel ? [block] : [];
    if (block.type === 'text') {
      if (isSameModel || block.textSignature === undefined) return [block];
      return [{ type: 'text', text: block.text }];
    }
    const { thoughtSignature, ...call } = block;
    const normalizedCall = { ...call, id: historyFormat.normalizeCallId(call.id), name: normalizeToolName(call.name) };
    return [isSameModel && thoughtSignature !== undefined ? { ...normalizedCall, thoughtSignature } : normalizedCall];
  });
  return { ...message, content };
}

type Content = (TextContent | ImageContent)[];

/** Returns `content` itself when nothing has to be replaced. */
function replaceUnsupportedImages(model: Model, content: Content): Content {
  if (!content.some(({ type }) => type === 'image')) return content;
  const hasVision = model.input.includes('image');
  return content.map((block) => {
    if (block.type !== 'image') return block;
    if (!hasVision) return { type: 'text', text: NO_VISION_NOTE };
    const problem = 'data' in block ? findImageProblem(model, block) : undefined;
    return problem === undefined ? block : { type: 'text', text: `[An image was left out: it ${problem}.]` };
  });
}

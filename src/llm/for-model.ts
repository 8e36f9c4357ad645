// First floor, llm: makes a history that other models wrote fit for this one. Pure; formats say what they accept.

import type { AssistantMessage, ImageContent, Model, ModelMessage, TextContent } from '../protocol/index.ts';
import { imageProblem } from './image-limits.ts';
import { legalToolName } from './tool-name.ts';

export interface Fitting {
  /** Tool-call ids as this format accepts them. The same id always becomes the same other one. */
  callId(id: string): string;
}

const NO_IMAGE = '[An image was left out: this model cannot see images.]';

/** Signatures are opaque to every model but the one that made them: foreign ones go, with the thinking they vouch for. */
export function forModel(messages: readonly ModelMessage[], model: Model, fitting: Fitting): ModelMessage[] {
  return messages.map((message) => {
    if (message.role === 'assistant') return answerFor(message, model, fitting);
    const content = typeof message.content === 'string' ? message.content : seenBy(model, message.content);
    if (message.role === 'user') return content === message.content ? message : { ...message, content };
    return {
      ...message,
      content: content as (TextContent | ImageContent)[],
      toolCallId: fitting.callId(message.toolCallId),
      toolName: legalToolName(message.toolName),
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
    const { thoughtSignature, ...given } = block;
    const call = { ...given, id: fitting.callId(given.id), name: legalToolName(given.name) };
    return [own && thoughtSignature !== undefined ? { ...call, thoughtSignature } : call];
  });
  return { ...message, content };
}

type Content = (TextContent | ImageContent)[];

/** The list itself when the model sees all of it. */
function seenBy(model: Model, content: Content): Content {
  if (!content.some(({ type }) => type === 'image')) return content;
  const sees = model.input.includes('image');
  return content.map((block) => {
    if (block.type !== 'image') return block;
    if (!sees) return { type: 'text', text: NO_IMAGE };
    const problem = 'data' in block ? imageProblem(model, block) : undefined;
    return problem === undefined ? block : { type: 'text', text: `[An image was left out: it ${problem}.]` };
  });
}

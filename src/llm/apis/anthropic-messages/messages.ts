// First floor, llm: our history as the Messages format wants it. Pure; the order and bytes of what was sent before never change.
import type {
  ContentBlockParam,
  ImageBlockParam,
  TextBlockParam,
  ToolResultBlockParam,
} from '@anthropic-ai/sdk/resources/messages';
import type { ModelRequest } from '../../../contracts/index.ts';
import type {
  AssistantMessage,
  ImageContent,
  ModelMessage,
  TextContent,
  ToolResultMessage,
} from '../../../protocol/index.ts';
import { callId } from '../../call-id.ts';
import { forModel } from '../../for-model.ts';

export interface WireMessage {
  role: 'user' | 'assistant';
  content: ContentBlockParam[];
}

/** Messages of one side that follow one another become one, with the tool results first. */
export function wireMessages(request: Pick<ModelRequest, 'messages' | 'model'>, withThinking: boolean): WireMessage[] {
  const wire: WireMessage[] = [];
  for (const message of forModel(request.messages, request.model, { callId })) {
    const content = contentOf(message, withThinking);
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    const last = wire.at(-1);
    if (content.length === 0) continue;
    if (last?.role === role) last.content.push(...content);
    else wire.push({ role, content });
  }
  return wire.map((message, index) =>
    message.role === 'user' ? { ...message, content: resultsFirst(message.content, wire[index - 1]) } : message,
  );
}

/**
 * Whether the turn that goes on (its last message answers tool calls) began with thinking. A model with a thinking budget
 * refuses to go on with a turn that did not: the level was changed, or another model began it.
 */
export function goesOnThinking(messages: readonly WireMessage[]): boolean {
  let first: WireMessage | undefined;
  for (let at = messages.length - 1; at > 0 && messages[at]?.content.some(isResult); at -= 2) first = messages[at - 1];
  const begun = first?.content[0]?.type;
  return first === undefined || begun === 'thinking' || begun === 'redacted_thinking';
}

function contentOf(message: ModelMessage, withThinking: boolean): ContentBlockParam[] {
  if (message.role === 'toolResult') return [resultOf(message)];
  if (message.role === 'assistant') return message.content.flatMap((block) => answerBlock(block, withThinking));
  const { content } = message;
  return typeof content === 'string' ? said(content) : content.flatMap(givenBlock);
}

/** The format refuses text without a visible character. */
function said(text: string): TextBlockParam[] {
  return text.trim() === '' ? [] : [{ type: 'text', text }];
}

function answerBlock(block: AssistantMessage['content'][number], withThinking: boolean): ContentBlockParam[] {
  if (block.type === 'text') return said(block.text);
  if (block.type === 'toolCall') return [{ type: 'tool_use', id: block.id, name: block.name, input: block.arguments }];
  const { thinking, thinkingSignature: signature, redacted } = block;
  if (!withThinking || !signature) return [];
  return redacted ? [{ type: 'redacted_thinking', data: signature }] : [{ type: 'thinking', thinking, signature }];
}

function givenBlock(block: TextContent | ImageContent): (TextBlockParam | ImageBlockParam)[] {
  return block.type === 'text' ? said(block.text) : [imageOf(block)];
}

function resultOf(message: ToolResultMessage): ToolResultBlockParam {
  const content = message.content.flatMap(givenBlock);
  // An error must say something.
  if (content.length === 0 && message.isError)
    content.push({ type: 'text', text: 'The tool failed and said nothing.' });
  return {
    type: 'tool_result',
    tool_use_id: message.toolCallId,
    ...(content.length > 0 ? { content } : {}),
    ...(message.isError ? { is_error: true } : {}),
  };
}

const MEDIA_TYPES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'] as const;
const DATA_URL = /^data:([^;,]+);base64,(.*)$/s;

/** What cannot be sent becomes a note: a refusal would come back with every later request of the session. */
function imageOf(image: ImageContent): ImageBlockParam | TextBlockParam {
  if ('data' in image) return inlineImage(image.mimeType, image.data);
  const { url } = image.source;
  const [, mimeType, data] = DATA_URL.exec(url) ?? [];
  if (mimeType !== undefined && data !== undefined) return inlineImage(mimeType, data);
  if (/^https:/i.test(url)) return { type: 'image', source: { type: 'url', url } };
  return leftOut('only https addresses can be sent to this model');
}

function inlineImage(mimeType: string, data: string): ImageBlockParam | TextBlockParam {
  const name = mimeType.toLowerCase() === 'image/jpg' ? 'image/jpeg' : mimeType.toLowerCase();
  const media_type = MEDIA_TYPES.find((known) => known === name);
  if (media_type && data !== '') return { type: 'image', source: { type: 'base64', media_type, data } };
  return leftOut(data === '' ? 'it is empty' : `this model does not read ${mimeType}`);
}

function leftOut(reason: string): TextBlockParam {
  return { type: 'text', text: `[An image was left out: ${reason}.]` };
}

function isResult(block: ContentBlockParam): block is ToolResultBlockParam {
  return block.type === 'tool_result';
}

function resultsFirst(content: ContentBlockParam[], before: WireMessage | undefined): ContentBlockParam[] {
  const order = (before?.content ?? []).flatMap((block) => (block.type === 'tool_use' ? [block.id] : []));
  const place = new Map(order.map((id, index) => [id, index]));
  const placeOf = (result: ToolResultBlockParam) => place.get(result.tool_use_id) ?? order.length;
  const results = content.filter(isResult).sort((a, b) => placeOf(a) - placeOf(b));
  return [...results, ...content.filter((block) => !isResult(block))];
}

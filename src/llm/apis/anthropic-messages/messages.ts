// Converts messages to the Anthropic Messages format. Earlier messages always convert to the same bytes, for prompt caching.
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
import { adaptHistory } from '../../adapt-history.ts';
import { normalizeCallId } from '../../call-id.ts';

export interface WireMessage {
  role: 'user' | 'assistant';
  content: ContentBlockParam[];
}

/** Consecutive messages of the same role are merged, with the tool results first. */
export function buildMessages(request: Pick<ModelRequest, 'messages' | 'model'>, withThinking: boolean): WireMessage[] {
  const wire: WireMessage[] = [];
  for (const message of adaptHistory(request.messages, request.model, { normalizeCallId })) {
    const content = toContent(message, withThinking);
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    const last = wire.at(-1);
    if (content.length === 0) continue;
    if (last?.role === role) last.content.push(...content);
    else wire.push({ role, content });
  }
  return wire.map((message, index) =>
    message.role === 'user' ? { ...message, content: sortResultsFirst(message.content, wire[index - 1]) } : message,
  );
}

/**
 * Whether the current turn (its last message contains tool results) started with thinking. A model with a thinking budget
 * refuses to continue a turn that did not, for example after a change of level or model.
 */
export function canContinueThinking(messages: readonly WireMessage[]): boolean {
  let turnStart: WireMessage | undefined;
  for (let index = messages.length - 1; index > 0 && messages[index]?.content.some(isToolResult); index -= 2)
    turnStart = messages[index - 1];
  const firstType = turnStart?.content[0]?.type;
  return turnStart === undefined || firstType === 'thinking' || firstType === 'redacted_thinking';
}

function toContent(message: ModelMessage, withThinking: boolean): ContentBlockParam[] {
  if (message.role === 'toolResult') return [toToolResult(message)];
  if (message.role === 'assistant') return message.content.flatMap((block) => toAssistantBlocks(block, withThinking));
  const { content } = message;
  return typeof content === 'string' ? toTextBlocks(content) : content.flatMap(toUserBlocks);
}

/** The API rejects text blocks that contain only white space. */
function toTextBlocks(text: string): TextBlockParam[] {
  return text.trim() === '' ? [] : [{ type: 'text', text }];
}

function toAssistantBlocks(block: AssistantMessage['content'][number], withThinking: boolean): ContentBlockParam[] {
  if (block.type === 'text') return toTextBlocks(block.text);
  if (block.type === 'toolCall') return [{ type: 'tool_use', id: block.id, name: block.name, input: block.arguments }];
  const { thinking, thinkingSignature: signature, redacted } = block;
  if (!withThinking || !signature) return [];
  return redacted ? [{ type: 'redacted_thinking', data: signature }] : [{ type: 'thinking', thinking, signature }];
}

function toUserBlocks(block: TextContent | ImageContent): (TextBlockParam | ImageBlockParam)[] {
  return block.type === 'text' ? toTextBlocks(block.text) : [toImageBlock(block)];
}

function toToolResult(message: ToolResultMessage): ToolResultBlockParam {
  const content = message.content.flatMap(toUserBlocks);
  // The API requires content in an error result.
  if (content.length === 0 && message.isError) content.push({ type: 'text', text: 'The tool failed without output.' });
  return {
    type: 'tool_result',
    tool_use_id: message.toolCallId,
    ...(content.length > 0 ? { content } : {}),
    ...(message.isError ? { is_error: true } : {}),
  };
}

const MEDIA_TYPES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'] as const;
const DATA_URL = /^data:([^;,]+);base64,(.*)$/s;

/** An unsupported image becomes a note, because the API would reject every later request of the session. */
function toImageBlock(image: ImageContent): ImageBlockParam | TextBlockParam {
  if ('data' in image) return toInlineImage(image.mimeType, image.data);
  const { url } = image.source;
  const [, mimeType, data] = DATA_URL.exec(url) ?? [];
  if (mimeType !== undefined && data !== undefined) return toInlineImage(mimeType, data);
  if (/^https:/i.test(url)) return { type: 'image', source: { type: 'url', url } };
  return createOmissionNote('only https addresses can be sent to this model');
}

function toInlineImage(mimeType: string, data: string): ImageBlockParam | TextBlockParam {
  const name = mimeType.toLowerCase() === 'image/jpg' ? 'image/jpeg' : mimeType.toLowerCase();
  const media_type = MEDIA_TYPES.find((supported) => supported === name);
  if (media_type && data !== '') return { type: 'image', source: { type: 'base64', media_type, data } };
  return createOmissionNote(data === '' ? 'it is empty' : `this model does not read ${mimeType}`);
}

function createOmissionNote(reason: string): TextBlockParam {
  return { type: 'text', text: `[An image was left out: ${reason}.]` };
}

function isToolResult(block: ContentBlockParam): block is ToolResultBlockParam {
  return block.type === 'tool_result';
}

function sortResultsFirst(content: ContentBlockParam[], previous: WireMessage | undefined): ContentBlockParam[] {
  const order = (previous?.content ?? []).flatMap((block) => (block.type === 'tool_use' ? [block.id] : []));
  const indexById = new Map(order.map((id, index) => [id, index]));
  const getIndex = (result: ToolResultBlockParam) => indexById.get(result.tool_use_id) ?? order.length;
  const results = content.filter(isToolResult).sort((a, b) => getIndex(a) - getIndex(b));
  return [...results, ...content.filter((block) => !isToolResult(block))];
}

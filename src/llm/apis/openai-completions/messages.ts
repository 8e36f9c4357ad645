// Converts messages to the Chat Completions format. Earlier messages always convert to the same bytes, for prompt caching.
import type {
  ChatCompletionContentPartImage,
  ChatCompletionContentPartText,
  ChatCompletionDeveloperMessageParam,
  ChatCompletionSystemMessageParam,
  ChatCompletionToolMessageParam,
  ChatCompletionUserMessageParam,
} from 'openai/resources/chat/completions';
import type { ModelRequest } from '../../../contracts/index.ts';
import type { ImageContent, TextContent, ToolResultMessage, UserMessage } from '../../../protocol/index.ts';
import { adaptHistory } from '../../adapt-history.ts';
import type { Compat } from '../../providers/compat.ts';
import { type AssistantParam, toAssistantParam } from './assistant-param.ts';
import { createCallIdNormalizer } from './call-id.ts';
import { usesClaudeRules } from './resolve-compat.ts';

export type ContentPart = ChatCompletionContentPartText | ChatCompletionContentPartImage;
type UserParam = Omit<ChatCompletionUserMessageParam, 'content'> & { content: string | ContentPart[] };
type ToolParam = ChatCompletionToolMessageParam & { name?: string };
export type WireMessage =
  | ChatCompletionSystemMessageParam
  | ChatCompletionDeveloperMessageParam
  | UserParam
  | AssistantParam
  | ToolParam;

const NO_OUTPUT = '(no output)';
const FAILED_WITHOUT_OUTPUT = 'The tool failed without output.';
const IMAGE_FOLLOWS = '(the image follows)';
const BRIDGE_TEXT = 'I have seen the results.';

export function buildMessages(request: ModelRequest, compat: Compat): WireMessage[] {
  const { model, systemPrompt, messages } = request;
  const style = compat.requiresMistralToolIds ? 'mistral' : usesClaudeRules(model, compat) ? 'strict' : 'loose';
  const wire: WireMessage[] = [];
  let pendingImages: ContentPart[] = [];
  const flushImages = () => {
    if (pendingImages.length > 0) appendUser(wire, { role: 'user', content: pendingImages }, compat);
    pendingImages = [];
  };
  if (systemPrompt.trim() !== '') {
    const role = compat.supportsDeveloperRole && model.reasoning ? 'developer' : 'system';
    wire.push({ role, content: systemPrompt });
  }
  for (const message of adaptHistory(messages, model, { normalizeCallId: createCallIdNormalizer(style) })) {
    if (message.role === 'toolResult') {
      wire.push(toToolParam(message, compat));
      pendingImages.push(...collectImages(message));
      continue;
    }
    // Tool results cannot contain images in this format, and no message may stand between the results of one answer.
    flushImages();
    const param = message.role === 'user' ? toUserParam(message) : toAssistantParam(message, request, compat);
    if (param?.role === 'user') appendUser(wire, param, compat);
    else if (param) appendAssistant(wire, param, compat);
  }
  flushImages();
  return wire;
}

function appendUser(wire: WireMessage[], message: UserParam, compat: Compat): void {
  const last = wire.at(-1);
  if (last?.role === 'user' && compat.requiresAlternatingRoles) {
    wire[wire.length - 1] = {
      role: 'user',
      content: joinContent(last.content as UserParam['content'], message.content),
    };
    return;
  }
  if (last?.role === 'tool' && compat.requiresAssistantAfterToolResult)
    wire.push({ role: 'assistant', content: BRIDGE_TEXT });
  wire.push(message);
}

/** Merges consecutive answers, for example an aborted answer and the next one. */
function appendAssistant(wire: WireMessage[], message: AssistantParam, compat: Compat): void {
  const last = wire.at(-1);
  if (last?.role !== 'assistant' || !compat.requiresAlternatingRoles) {
    wire.push(message);
    return;
  }
  // An aborted answer has no thinking fields, and an answer with calls is followed by tool messages.
  wire[wire.length - 1] = {
    ...message,
    content: joinAssistantContent((last as AssistantParam).content, message.content),
  };
}

function joinAssistantContent(
  first: AssistantParam['content'],
  second: AssistantParam['content'],
): AssistantParam['content'] {
  if (first === null || second === null) return first ?? second;
  if (typeof first === 'string' && typeof second === 'string') return `${first}\n\n${second}`;
  return [first, second].flatMap((content) => (typeof content === 'string' ? [toTextPart(content)] : content));
}

function joinContent(first: string | ContentPart[], second: string | ContentPart[]): string | ContentPart[] {
  if (typeof first === 'string' && typeof second === 'string') return `${first}\n\n${second}`;
  return [first, second].flatMap((content) => (typeof content === 'string' ? [toTextPart(content)] : content));
}

function toUserParam({ content }: UserMessage): UserParam | undefined {
  const parts = typeof content === 'string' ? [toTextPart(content)] : content.map(toPart);
  const visibleParts = parts.filter((part) => part.type !== 'text' || part.text.trim() !== '');
  return visibleParts.length === 0 ? undefined : { role: 'user', content: flattenText(visibleParts) };
}

/** Some servers do not accept a list, so it is sent only for images. */
function flattenText(parts: ContentPart[]): string | ContentPart[] {
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  return texts.length === parts.length ? texts.join('\n') : parts;
}

function toToolParam(message: ToolResultMessage, compat: Compat): ToolParam {
  const parts = message.content.map(toPart);
  const text = parts.flatMap((part) => (part.type === 'text' && part.text !== '' ? [part.text] : [])).join('\n');
  const placeholder = parts.some(({ type }) => type === 'image_url')
    ? IMAGE_FOLLOWS
    : message.isError
      ? FAILED_WITHOUT_OUTPUT
      : NO_OUTPUT;
  return {
    role: 'tool',
    tool_call_id: message.toolCallId,
    ...(compat.requiresToolResultName ? { name: message.toolName } : {}),
    // Several providers reject an empty result.
    content: text.trim() === '' ? placeholder : text,
  };
}

function collectImages({ toolName, toolCallId, content }: ToolResultMessage): ContentPart[] {
  const images = content.filter((block) => block.type === 'image').map(toImagePart);
  const sent = images.filter(({ type }) => type === 'image_url');
  return sent.length === 0 ? [] : [toTextPart(`Shown by ${toolName} (${toolCallId}):`), ...sent];
}

function toPart(block: TextContent | ImageContent): ContentPart {
  return block.type === 'text' ? toTextPart(block.text) : toImagePart(block);
}

function toTextPart(text: string): ChatCompletionContentPartText {
  return { type: 'text', text };
}

const SUPPORTED_DATA_URL = /^data:image\/(png|jpeg|gif|webp);base64,./i;

/** An unsupported image becomes a note, because the API would reject every later request of the session. */
function toImagePart(image: ImageContent): ContentPart {
  const url =
    'data' in image ? `data:${image.mimeType.replace(/jpg$/i, 'jpeg')};base64,${image.data}` : image.source.url;
  if (SUPPORTED_DATA_URL.test(url) || /^https?:\/\//i.test(url)) return { type: 'image_url', image_url: { url } };
  const reason = 'data' in image ? `this model does not read ${image.mimeType}` : 'only web addresses can be sent';
  return toTextPart(`[An image was left out: ${reason}.]`);
}

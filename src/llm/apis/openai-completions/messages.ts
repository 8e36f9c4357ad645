// First floor, llm: our history as Chat Completions wants it. Pure; the order and bytes of what was sent before never change.
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
import { forModel } from '../../for-model.ts';
import type { Compat } from '../../providers/compat.ts';
import { type AnswerParam, answerParam } from './answer.ts';
import { callIds } from './call-id.ts';
import { isClaude } from './compat.ts';

export type Part = ChatCompletionContentPartText | ChatCompletionContentPartImage;
type UserParam = Omit<ChatCompletionUserMessageParam, 'content'> & { content: string | Part[] };
type ToolParam = ChatCompletionToolMessageParam & { name?: string };
export type WireMessage =
  | ChatCompletionSystemMessageParam
  | ChatCompletionDeveloperMessageParam
  | UserParam
  | AnswerParam
  | ToolParam;

const NO_OUTPUT = '(no output)';
const FAILED = 'The tool failed and said nothing.';
const SEE_BELOW = '(the image follows)';
const BRIDGE = 'I have seen the results.';

export function wireMessages(request: ModelRequest, compat: Compat): WireMessage[] {
  const { model, systemPrompt, messages } = request;
  const style = compat.requiresMistralToolIds ? 'mistral' : isClaude(model, compat) ? 'strict' : 'loose';
  const wire: WireMessage[] = [];
  let shown: Part[] = [];
  const show = () => {
    if (shown.length > 0) addUser(wire, { role: 'user', content: shown }, compat);
    shown = [];
  };
  if (systemPrompt.trim() !== '') {
    const role = compat.supportsDeveloperRole && model.reasoning ? 'developer' : 'system';
    wire.push({ role, content: systemPrompt });
  }
  for (const message of forModel(messages, model, { callId: callIds(style) })) {
    if (message.role === 'toolResult') {
      wire.push(resultParam(message, compat));
      shown.push(...imagesOf(message));
      continue;
    }
    // A tool's result holds no images here, and nothing may stand between the results of one answer.
    show();
    const param = message.role === 'user' ? userParam(message) : answerParam(message, request, compat);
    if (param?.role === 'user') addUser(wire, param, compat);
    else if (param) addAnswer(wire, param, compat);
  }
  show();
  return wire;
}

function addUser(wire: WireMessage[], message: UserParam, compat: Compat): void {
  const last = wire.at(-1);
  if (last?.role === 'user' && compat.requiresAlternatingRoles) {
    wire[wire.length - 1] = { role: 'user', content: joined(last.content as UserParam['content'], message.content) };
    return;
  }
  if (last?.role === 'tool' && compat.requiresAssistantAfterToolResult)
    wire.push({ role: 'assistant', content: BRIDGE });
  wire.push(message);
}

/** An answer that was stopped and the one after it, when no question stands between them. */
function addAnswer(wire: WireMessage[], message: AnswerParam, compat: Compat): void {
  const last = wire.at(-1);
  if (last?.role !== 'assistant' || !compat.requiresAlternatingRoles) {
    wire.push(message);
    return;
  }
  // The thinking of an answer that was stopped is gone by now, and calls stand before their results.
  wire[wire.length - 1] = { ...message, content: joinedAnswers((last as AnswerParam).content, message.content) };
}

function joinedAnswers(first: AnswerParam['content'], second: AnswerParam['content']): AnswerParam['content'] {
  if (first === null || second === null) return first ?? second;
  if (typeof first === 'string' && typeof second === 'string') return `${first}\n\n${second}`;
  return [first, second].flatMap((content) => (typeof content === 'string' ? [textPart(content)] : content));
}

function joined(first: string | Part[], second: string | Part[]): string | Part[] {
  if (typeof first === 'string' && typeof second === 'string') return `${first}\n\n${second}`;
  return [first, second].flatMap((content) => (typeof content === 'string' ? [textPart(content)] : content));
}

function userParam({ content }: UserMessage): UserParam | undefined {
  const parts = typeof content === 'string' ? [textPart(content)] : content.map(partOf);
  const said = parts.filter((part) => part.type !== 'text' || part.text.trim() !== '');
  return said.length === 0 ? undefined : { role: 'user', content: plain(said) };
}

/** Not every server takes a list, so it is sent only where an image needs it. */
function plain(parts: Part[]): string | Part[] {
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  return texts.length === parts.length ? texts.join('\n') : parts;
}

function resultParam(message: ToolResultMessage, compat: Compat): ToolParam {
  const parts = message.content.map(partOf);
  const text = parts.flatMap((part) => (part.type === 'text' && part.text !== '' ? [part.text] : [])).join('\n');
  const silence = parts.some(({ type }) => type === 'image_url') ? SEE_BELOW : message.isError ? FAILED : NO_OUTPUT;
  return {
    role: 'tool',
    tool_call_id: message.toolCallId,
    ...(compat.requiresToolResultName ? { name: message.toolName } : {}),
    // Several hosts refuse a result without words.
    content: text.trim() === '' ? silence : text,
  };
}

function imagesOf({ toolName, toolCallId, content }: ToolResultMessage): Part[] {
  const images = content.filter((block) => block.type === 'image').map(imagePart);
  const sent = images.filter(({ type }) => type === 'image_url');
  return sent.length === 0 ? [] : [textPart(`Shown by ${toolName} (${toolCallId}):`), ...sent];
}

function partOf(block: TextContent | ImageContent): Part {
  return block.type === 'text' ? textPart(block.text) : imagePart(block);
}

function textPart(text: string): ChatCompletionContentPartText {
  return { type: 'text', text };
}

const READABLE = /^data:image\/(png|jpeg|gif|webp);base64,./i;

/** What cannot be sent becomes a note: a refusal would come back with every later request of the session. */
function imagePart(image: ImageContent): Part {
  const url =
    'data' in image ? `data:${image.mimeType.replace(/jpg$/i, 'jpeg')};base64,${image.data}` : image.source.url;
  if (READABLE.test(url) || /^https?:\/\//i.test(url)) return { type: 'image_url', image_url: { url } };
  const what = 'data' in image ? `this model does not read ${image.mimeType}` : 'only web addresses can be sent';
  return textPart(`[An image was left out: ${what}.]`);
}

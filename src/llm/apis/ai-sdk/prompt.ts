// First floor, llm: our history as the AI SDK's prompts want it. Pure; the order and bytes of what was sent before never change.
import type { ApiRequest } from '../../../contracts/index.ts';
import type {
  AssistantMessage,
  ImageContent,
  TextContent,
  ToolResultMessage,
  UserMessage,
} from '../../../protocol/index.ts';
import { forModel } from '../../for-model.ts';
import type { SdkFormat } from './format.ts';
import { shown } from './images.ts';
import type { AnswerPart, Prompt, PromptMessage, ResultPart, UserPart } from './language-model.ts';

type ToolMessage = Extract<PromptMessage, { role: 'tool' }>;

const NO_OUTPUT = '(no output)';
const FAILED = 'The tool failed and said nothing.';
const AN_IMAGE = '(an image)';
const SEE_BELOW = '(the image follows)';

/** All results of one answer stand in one message, right after it. */
export function promptOf(request: ApiRequest, format: SdkFormat, withThinking: boolean): Prompt {
  const { model, systemPrompt } = request;
  const prompt: Prompt = systemPrompt.trim() === '' ? [] : [{ role: 'system', content: systemPrompt }];
  const inside = format.showsInResults(model);
  let results: ToolMessage | undefined;
  let following: UserPart[] = [];
  const show = () => {
    if (following.length > 0) prompt.push({ role: 'user', content: following });
    following = [];
    results = undefined;
  };
  for (const message of forModel(request.messages, model, { callId: format.callId(model) })) {
    if (message.role === 'toolResult') {
      results ??= begun(prompt);
      results.content.push(resultOf(message, format, inside));
      if (!inside) following.push(...imagesAfter(message, format));
      continue;
    }
    show();
    const next = message.role === 'user' ? questionOf(message, format) : answerOf(message, format, withThinking);
    if (next.content.length > 0) prompt.push(next);
  }
  show();
  return marked(prompt, format.cacheMark?.(model));
}

function begun(prompt: Prompt): ToolMessage {
  const results: ToolMessage = { role: 'tool', content: [] };
  prompt.push(results);
  return results;
}

/**
 * Marks the system prompt and the ends of the last two turns of the user's side: the last one writes the cache, the one
 * before is where the previous request wrote it.
 */
function marked(prompt: Prompt, mark: PromptMessage['providerOptions']): Prompt {
  if (!mark) return prompt;
  const ends = prompt.flatMap(({ role }, at) => (isAsking(role) && !isAsking(prompt[at + 1]?.role) ? [at] : []));
  const last = ends.slice(-2);
  return prompt.map((message, at) =>
    message.role === 'system' || last.includes(at) ? { ...message, providerOptions: mark } : message,
  );
}

function isAsking(role: PromptMessage['role'] | undefined): boolean {
  return role === 'user' || role === 'tool';
}

function questionOf({ content }: UserMessage, format: SdkFormat): PromptMessage {
  const blocks = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
  return { role: 'user', content: blocks.flatMap((block) => userPart(block, format)) };
}

function userPart(block: TextContent | ImageContent, format: SdkFormat): UserPart[] {
  if (block.type === 'text') return said(block.text);
  const image = shown(block, format.imageTypes);
  return 'leftOut' in image ? said(image.leftOut) : [{ type: 'file', ...image }];
}

/** Providers refuse text without a visible character. */
function said(text: string): { type: 'text'; text: string }[] {
  return text.trim() === '' ? [] : [{ type: 'text', text }];
}

function answerOf({ content }: AssistantMessage, format: SdkFormat, withThinking: boolean): PromptMessage {
  return { role: 'assistant', content: content.flatMap((block) => answerPart(block, format, withThinking)) };
}

function answerPart(
  block: AssistantMessage['content'][number],
  format: SdkFormat,
  withThinking: boolean,
): AnswerPart[] {
  const sealed = (signature: string | undefined, redacted = false) =>
    signature === undefined ? undefined : format.unseal({ signature, redacted });
  if (block.type === 'text') {
    const providerOptions = sealed(block.textSignature);
    return said(block.text).map((part) => ({ ...part, ...(providerOptions ? { providerOptions } : {}) }));
  }
  if (block.type === 'thinking') {
    const { thinking: text, thinkingSignature, redacted } = block;
    const providerOptions = withThinking ? sealed(thinkingSignature, redacted) : undefined;
    return providerOptions ? [{ type: 'reasoning', text, providerOptions }] : [];
  }
  const providerOptions = sealed(block.thoughtSignature);
  const { id: toolCallId, name: toolName, arguments: input } = block;
  return [{ type: 'tool-call', toolCallId, toolName, input, ...(providerOptions ? { providerOptions } : {}) }];
}

/** One text and the images: with two texts, some providers would be told of two results. */
function resultOf(message: ToolResultMessage, format: SdkFormat, inside: boolean): ResultPart {
  const { toolCallId, toolName, isError } = message;
  const parts = message.content.flatMap((block) => userPart(block, format));
  const images = parts.flatMap((part) => (part.type === 'file' ? [part] : []));
  const text = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  const silence = images.length > 0 ? (inside ? AN_IMAGE : SEE_BELOW) : isError ? FAILED : NO_OUTPUT;
  const words = text === '' ? silence : text;
  const result = { type: 'tool-result' as const, toolCallId, toolName };
  if (images.length === 0 || !inside)
    return { ...result, output: { type: isError ? 'error-text' : 'text', value: words } };
  const pictures = images.map(({ data, mediaType }) => ({
    type: 'image-data' as const,
    data: String(data),
    mediaType,
  }));
  return { ...result, output: { type: 'content', value: [{ type: 'text', text: words }, ...pictures] } };
}

function imagesAfter(message: ToolResultMessage, format: SdkFormat): UserPart[] {
  const images = message.content.flatMap((block) => (block.type === 'image' ? userPart(block, format) : []));
  const seen = images.filter(({ type }) => type === 'file');
  return seen.length === 0 ? [] : [{ type: 'text', text: `Shown by ${message.toolName}:` }, ...seen];
}

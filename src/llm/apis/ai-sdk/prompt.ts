// Converts messages to the AI SDK's prompt format. Earlier messages always convert to the same bytes, for prompt caching.

import type { ApiRequest } from '../../../contracts/index.ts';
import type {
  AssistantMessage,
  ImageContent,
  TextContent,
  ToolResultMessage,
  UserMessage,
} from '../../../protocol/index.ts';
import { adaptHistory } from '../../adapt-history.ts';
import type { AssistantPart, Prompt, PromptMessage, ResultPart, UserPart } from './language-model.ts';
import type { SdkFormat } from './sdk-format.ts';

type ToolMessage = Extract<PromptMessage, { role: 'tool' }>;

const NO_OUTPUT = '(no output)';
const FAILED_WITHOUT_OUTPUT = 'The tool failed without output.';
const IMAGE_ATTACHED = '(an image)';
const IMAGE_FOLLOWS = '(the image follows)';

/** All tool results of one answer are in one message directly after it. */
export function buildPrompt(request: ApiRequest, format: SdkFormat, withThinking: boolean): Prompt {
  const { model, systemPrompt } = request;
  const prompt: Prompt = systemPrompt.trim() === '' ? [] : [{ role: 'system', content: systemPrompt }];
  const canInlineImages = format.supportsImagesInResults(model);
  let results: ToolMessage | undefined;
  let pendingImages: UserPart[] = [];
  const flushImages = () => {
    if (pendingImages.length > 0) prompt.push({ role: 'user', content: pendingImages });
    pendingImages = [];
    results = undefined;
  };
  for (const message of adaptHistory(request.messages, model, {
    normalizeCallId: format.createCallIdNormalizer(model),
  })) {
    if (message.role === 'toolResult') {
      results ??= startToolMessage(prompt);
      results.content.push(toResultPart(message, format, canInlineImages));
      if (!canInlineImages) pendingImages.push(...collectImages(message, format));
      continue;
    }
    flushImages();
    const next =
      message.role === 'user' ? toUserMessage(message, format) : toAssistantMessage(message, format, withThinking);
    if (next.content.length > 0) prompt.push(next);
  }
  flushImages();
  return addCacheMarkers(prompt, format.buildCacheMarker?.(model));
}

function startToolMessage(prompt: Prompt): ToolMessage {
  const results: ToolMessage = { role: 'tool', content: [] };
  prompt.push(results);
  return results;
}

/**
 * Marks the system prompt and the ends of the last two user turns. The last mark writes the cache; the one before is
 * where the previous request wrote it.
 */
function addCacheMarkers(prompt: Prompt, marker: PromptMessage['providerOptions']): Prompt {
  if (!marker) return prompt;
  const turnEnds = prompt.flatMap(({ role }, index) =>
    isUserSide(role) && !isUserSide(prompt[index + 1]?.role) ? [index] : [],
  );
  const marked = turnEnds.slice(-2);
  return prompt.map((message, index) =>
    message.role === 'system' || marked.includes(index) ? { ...message, providerOptions: marker } : message,
  );
}

function isUserSide(role: PromptMessage['role'] | undefined): boolean {
  return role === 'user' || role === 'tool';
}

function toUserMessage({ content }: UserMessage, format: SdkFormat): PromptMessage {
  const blocks = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
  return { role: 'user', content: blocks.flatMap((block) => toUserParts(block, format)) };
}

function toUserParts(block: TextContent | ImageContent, format: SdkFormat): UserPart[] {
  if (block.type === 'text') return toTextParts(block.text);
  const image = toSdkImage(block, format.imageTypes);
  return 'omissionNote' in image ? toTextParts(image.omissionNote) : [{ type: 'file', ...image }];
}

/** Providers reject text parts that contain only white space. */
function toTextParts(text: string): { type: 'text'; text: string }[] {
  return text.trim() === '' ? [] : [{ type: 'text', text }];
}

function toAssistantMessage({ content }: AssistantMessage, format: SdkFormat, withThinking: boolean): PromptMessage {
  return { role: 'assistant', content: content.flatMap((block) => toAssistantParts(block, format, withThinking)) };
}

function toAssistantParts(
  block: AssistantMessage['content'][number],
  format: SdkFormat,
  withThinking: boolean,
): AssistantPart[] {
  const toSignatureOptions = (signature: string | undefined, redacted = false) =>
    signature === undefined ? undefined : format.writeSignature({ signature, redacted });
  if (block.type === 'text') {
    const providerOptions = toSignatureOptions(block.textSignature);
    return toTextParts(block.text).map((part) => ({ ...part, ...(providerOptions ? { providerOptions } : {}) }));
  }
  if (block.type === 'thinking') {
    const { thinking: text, thinkingSignature, redacted } = block;
    const providerOptions = withThinking ? toSignatureOptions(thinkingSignature, redacted) : undefined;
    return providerOptions ? [{ type: 'reasoning', text, providerOptions }] : [];
  }
  const providerOptions = toSignatureOptions(block.thoughtSignature);
  const { id: toolCallId, name: toolName, arguments: input } = block;
  return [{ type: 'tool-call', toolCallId, toolName, input, ...(providerOptions ? { providerOptions } : {}) }];
}

/** One text part followed by the images. Some providers treat two text parts as two results. */
function toResultPart(message: ToolResultMessage, format: SdkFormat, inlineImages: boolean): ResultPart {
  const { toolCallId, toolName, isError } = message;
  const parts = message.content.flatMap((block) => toUserParts(block, format));
  const images = parts.flatMap((part) => (part.type === 'file' ? [part] : []));
  const text = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  const placeholder =
    images.length > 0 ? (inlineImages ? IMAGE_ATTACHED : IMAGE_FOLLOWS) : isError ? FAILED_WITHOUT_OUTPUT : NO_OUTPUT;
  const resultText = text === '' ? placeholder : text;
  const result = { type: 'tool-result' as const, toolCallId, toolName };
  if (images.length === 0 || !inlineImages)
    return { ...result, output: { type: isError ? 'error-text' : 'text', value: resultText } };
  const imageParts = images.map(({ data, mediaType }) => ({
    type: 'image-data' as const,
    data: String(data),
    mediaType,
  }));
  return { ...result, output: { type: 'content', value: [{ type: 'text', text: resultText }, ...imageParts] } };
}

function collectImages(message: ToolResultMessage, format: SdkFormat): UserPart[] {
  const images = message.content.flatMap((block) => (block.type === 'image' ? toUserParts(block, format) : []));
  const files = images.filter(({ type }) => type === 'file');
  return files.length === 0 ? [] : [{ type: 'text', text: `Shown by ${message.toolName}:` }, ...files];
}

/** The image data, or a note why it is left out. */
type SdkImage = { data: string; mediaType: string } | { omissionNote: string };

const DATA_URL = /^data:([^;,]+);base64,(.*)$/s;

/** An unsupported image becomes a note, because the provider would reject every later request of the session. */
function toSdkImage(image: ImageContent, acceptedTypes: readonly string[]): SdkImage {
  if ('data' in image) return toInlineImage(image.mimeType, image.data, acceptedTypes);
  const [, mediaType, data] = DATA_URL.exec(image.source.url) ?? [];
  if (mediaType !== undefined && data !== undefined) return toInlineImage(mediaType, data, acceptedTypes);
  return createOmissionNote('this model accepts only inline images');
}

function toInlineImage(mimeType: string, data: string, acceptedTypes: readonly string[]): SdkImage {
  const mediaType = mimeType.toLowerCase().replace(/^image\/jpg$/, 'image/jpeg');
  if (data === '') return createOmissionNote('it is empty');
  return acceptedTypes.includes(mediaType)
    ? { data, mediaType }
    : createOmissionNote(`this model does not read ${mimeType}`);
}

function createOmissionNote(reason: string): SdkImage {
  return { omissionNote: `[An image was left out: ${reason}.]` };
}

// Schemas of message content: text, thinking, tool calls, images and attachments.
import {
  array,
  type InferOutput,
  literal,
  nullable,
  number,
  object,
  optional,
  pipe,
  record,
  string,
  transform,
  union,
  unknown,
  variant,
} from 'valibot';

export const textContent = object({
  type: literal('text'),
  text: string(),
  /** Opaque provider signature; stored and sent back to the same provider. */
  textSignature: optional(string()),
});

export const thinkingContent = object({
  type: literal('thinking'),
  thinking: string(),
  thinkingSignature: optional(string()),
  /** The provider redacted the text; only the signature is meaningful. */
  redacted: optional(literal(true)),
});

export const toolCall = object({
  type: literal('toolCall'),
  id: string(),
  name: string(),
  arguments: record(string(), unknown()),
  thoughtSignature: optional(string()),
});

const flatImage = object({ type: literal('image'), data: string(), mimeType: string() });
const urlImage = object({ type: literal('image'), source: object({ type: literal('url'), url: string() }) });
const sourceImage = object({
  type: literal('image'),
  source: variant('type', [
    object({ type: literal('base64'), mediaType: string(), data: string() }),
    urlImage.entries.source,
  ]),
});

/** An image inside a message: bytes are always kept flat, a URL stays a URL. */
export const imageContent = union([flatImage, urlImage]);

/** An image as hosts send it: flat, base64 `source`, or URL `source`; read into the flat or the URL form. */
export const incomingImage = union([
  flatImage,
  pipe(
    sourceImage,
    transform(({ type, source }) =>
      source.type === 'url' ? { type, source } : { type, data: source.data, mimeType: source.mediaType },
    ),
  ),
]);

/** Files that legacy hosts send beside the text. */
export const attachment = object({
  id: string(),
  type: union([literal('image'), literal('document')]),
  fileName: string(),
  mimeType: string(),
  size: number(),
  content: string(),
  extractedText: optional(nullable(string())),
  preview: optional(nullable(string())),
});

export const userContent = array(union([textContent, imageContent]));
export const assistantContent = array(union([textContent, thinkingContent, toolCall]));

export type TextContent = InferOutput<typeof textContent>;
export type ThinkingContent = InferOutput<typeof thinkingContent>;
export type ImageContent = InferOutput<typeof imageContent>;
export type ToolCall = InferOutput<typeof toolCall>;
export type Attachment = InferOutput<typeof attachment>;

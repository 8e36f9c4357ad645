// First floor, core: files that a host sent beside its words, in a model's terms. Pure.
import type { Attachment, ImageContent, TextContent, UserMessage } from '../../protocol/index.ts';

/** The message as the model reads it: images as images, documents as their text with their name. */
export function withAttachments(message: UserMessage): UserMessage {
  const { attachments = [], ...rest } = message;
  if (attachments.length === 0) return message;
  const { content } = message;
  const said = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
  const spoken = said.filter((block) => block.type !== 'text' || block.text.trim() !== '');
  return { ...rest, content: [...spoken, ...attachments.map(blockOf)] };
}

function blockOf({ type, fileName, mimeType, content, extractedText }: Attachment): TextContent | ImageContent {
  if (type === 'image') return { type: 'image', data: content, mimeType };
  return { type: 'text', text: `<document name=${JSON.stringify(fileName)}>\n${extractedText ?? ''}\n</document>` };
}

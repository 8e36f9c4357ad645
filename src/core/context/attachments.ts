// Converts the attachments of a user message into content blocks for the model. Pure.
import type { Attachment, ImageContent, TextContent, UserMessage } from '../../protocol/index.ts';

/** Images become image blocks. Documents become text blocks with their file name and extracted text. */
export function inlineAttachments(message: UserMessage): UserMessage {
  const { attachments = [], ...rest } = message;
  if (attachments.length === 0) return message;
  const { content } = message;
  const blocks = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
  const nonEmptyBlocks = blocks.filter((block) => block.type !== 'text' || block.text.trim() !== '');
  return { ...rest, content: [...nonEmptyBlocks, ...attachments.map(toContentBlock)] };
}

function toContentBlock({ type, fileName, mimeType, content, extractedText }: Attachment): TextContent | ImageContent {
  if (type === 'image') return { type: 'image', data: content, mimeType };
  return { type: 'text', text: `<document name=${JSON.stringify(fileName)}>\n${extractedText ?? ''}\n</document>` };
}

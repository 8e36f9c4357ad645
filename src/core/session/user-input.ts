// Validates user input and converts it into a user message.
import { Fault } from '../../base/index.ts';
import type { UserInput } from '../../contracts/index.ts';
import type { UserMessage } from '../../protocol/index.ts';

/** Providers refuse a message without visible characters, and would then refuse every later request of the session. */
export function validateInput({ message, images = [], attachments = [] }: UserInput): void {
  const withoutText = attachments.find(({ type, extractedText }) => type === 'document' && !extractedText?.trim());
  if (withoutText) {
    const remedy = 'Send its text with it, or leave it out';
    throw new Fault('invalid_params', `The document ${withoutText.fileName} has no extractedText. ${remedy}`);
  }
  if (message.trim() === '' && images.length + attachments.length === 0) {
    throw new Fault('invalid_params', 'message cannot be empty');
  }
}

export function hasImages({ images = [], attachments = [] }: UserInput): boolean {
  return images.length > 0 || attachments.some(({ type }) => type === 'image');
}

/** Attachments stay separate from the text. They are sent to the model with every request. */
export function createUserMessage(
  { message, images = [], attachments = [] }: UserInput,
  timestamp: number,
): UserMessage {
  const attachmentFields = attachments.length > 0 ? { attachments: [...attachments] } : {};
  return { role: 'user', content: [{ type: 'text', text: message }, ...images], ...attachmentFields, timestamp };
}

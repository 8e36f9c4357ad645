// First floor, core: what a host says, as a message of the conversation. Knows no run.
import { Fault } from '../../base/index.ts';
import type { UserInput } from '../../contracts/index.ts';
import type { UserMessage } from '../../protocol/index.ts';

/** Providers refuse a message without a visible character, and then every later request of the session with it. */
export function expectWords({ message, images = [], attachments = [] }: UserInput): void {
  const silent = attachments.find(({ type, extractedText }) => type === 'document' && !extractedText?.trim());
  if (silent) {
    const wayOut = 'Send its text with it, or leave it out';
    throw new Fault('invalid_params', `The document ${silent.fileName} has no extractedText. ${wayOut}`);
  }
  if (message.trim() === '' && images.length + attachments.length === 0) {
    throw new Fault('invalid_params', 'message cannot be empty');
  }
}

export function hasImages({ images = [], attachments = [] }: UserInput): boolean {
  return images.length > 0 || attachments.some(({ type }) => type === 'image');
}

/** Files that came beside the text stay beside it; the model is given them with every request. */
export function userMessage({ message, images = [], attachments = [] }: UserInput, timestamp: number): UserMessage {
  const beside = attachments.length > 0 ? { attachments: [...attachments] } : {};
  return { role: 'user', content: [{ type: 'text', text: message }, ...images], ...beside, timestamp };
}

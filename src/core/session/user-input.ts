// First floor, core: what a host says, as a message of the conversation. Knows no run.
import { Fault } from '../../base/index.ts';
import type { UserInput } from '../../contracts/index.ts';
import type { UserMessage } from '../../protocol/index.ts';

/** Providers refuse a message without a visible character, and then every later request of the session with it. */
export function expectWords({ message, images = [] }: UserInput): void {
  if (message.trim() === '' && images.length === 0) throw new Fault('invalid_params', 'message cannot be empty');
}

export function userMessage({ message, images = [] }: UserInput, timestamp: number): UserMessage {
  return { role: 'user', content: [{ type: 'text', text: message }, ...images], timestamp };
}

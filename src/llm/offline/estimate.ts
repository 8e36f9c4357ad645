// Estimates the tokens of a request. The offline model has no tokenizer.
import type { ModelRequest } from '../../contracts/index.ts';
import type { ModelMessage } from '../../protocol/index.ts';

export const CHARS_PER_TOKEN = 4;
const TOKENS_PER_IMAGE = 1200;

export function estimateTokens(chars: number): number {
  return Math.ceil(chars / CHARS_PER_TOKEN);
}

export function estimateInputTokens({ systemPrompt, messages, tools }: ModelRequest): number {
  const descriptions = tools.reduce((sum, { name, description }) => sum + name.length + description.length, 0);
  const schemas = tools.reduce((sum, { parameters }) => sum + JSON.stringify(parameters).length, 0);
  const history = messages.reduce((sum, message) => sum + countChars(message), 0);
  return estimateTokens(systemPrompt.length + descriptions + schemas + history);
}

function countChars({ content }: ModelMessage): number {
  if (typeof content === 'string') return content.length;
  return content.reduce((sum, block) => sum + countBlockChars(block), 0);
}

function countBlockChars(block: Exclude<ModelMessage['content'], string>[number]): number {
  switch (block.type) {
    case 'text':
      return block.text.length;
    case 'thinking':
      return block.thinking.length;
    case 'toolCall':
      return block.name.length + JSON.stringify(block.arguments).length;
    case 'image':
      return TOKENS_PER_IMAGE * CHARS_PER_TOKEN;
  }
}

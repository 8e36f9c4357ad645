// First floor, llm: how many tokens a request would be, roughly. The offline model has no tokens of its own.
import type { ModelRequest } from '../../contracts/index.ts';
import type { ModelMessage } from '../../protocol/index.ts';

export const CHARS_PER_TOKEN = 4;
const TOKENS_PER_IMAGE = 1200;

export function tokensIn(chars: number): number {
  return Math.ceil(chars / CHARS_PER_TOKEN);
}

export function inputTokens({ systemPrompt, messages, tools }: ModelRequest): number {
  const offers = tools.reduce((sum, { name, description }) => sum + name.length + description.length, 0);
  const schemas = tools.reduce((sum, { parameters }) => sum + JSON.stringify(parameters).length, 0);
  const history = messages.reduce((sum, message) => sum + charsOf(message), 0);
  return tokensIn(systemPrompt.length + offers + schemas + history);
}

function charsOf({ content }: ModelMessage): number {
  if (typeof content === 'string') return content.length;
  return content.reduce((sum, block) => sum + charsOfBlock(block), 0);
}

function charsOfBlock(block: Exclude<ModelMessage['content'], string>[number]): number {
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

// Describes what fills the context window: system prompt, context files, tools and messages. Pure.
import type { ContextBreakdown } from '../../contracts/index.ts';
import type { SessionEntry } from '../../protocol/index.ts';
import type { PromptPrefix } from '../context/prompt-prefix.ts';
import { buildContextMessages } from '../tree/context-path.ts';
import { estimateContextTokens, estimateTokens } from './tokens.ts';

const CHARS_PER_TOKEN = 4;

/** All numbers are estimates, except that the sum is the provider's count if it has reported one. */
export function describeContext(
  { systemPrompt, sources, tools }: PromptPrefix,
  path: readonly SessionEntry[],
  contextWindow: number,
): ContextBreakdown {
  const contextFiles = sources.contextFiles.map(({ path: file, content }) => ({
    path: file,
    tokens: countTokens(content.trim()),
  }));
  const toolSizes = tools.map((tool) => ({ name: tool.name, tokens: countTokens(JSON.stringify(tool)) }));
  const fileTokens = sumTokenCounts(contextFiles);
  const systemTokens = Math.max(0, countTokens(systemPrompt) - fileTokens);
  const prefixTokens = systemTokens + fileTokens + sumTokenCounts(toolSizes);
  const messages = buildContextMessages(path);
  const estimated = messages.reduce((sum, message) => sum + estimateTokens(message), 0);
  const reported = estimateContextTokens(path);
  // The provider's count includes the prefix; an estimate of the messages does not.
  const messageTokens = reported === estimated ? estimated : Math.max(0, reported - prefixTokens);
  return {
    contextWindow,
    tokens: prefixTokens + messageTokens,
    systemPrompt: { tokens: systemTokens },
    contextFiles,
    tools: toolSizes,
    messages: { count: messages.length, tokens: messageTokens },
  };
}

function countTokens(text: string): number {
  return Math.ceil(text.length / CHARS_PER_TOKEN);
}

function sumTokenCounts(parts: readonly { tokens: number }[]): number {
  return parts.reduce((sum, { tokens }) => sum + tokens, 0);
}

// First floor, llm: how long an answer may become. Pure; estimates what no host has counted yet.
import type { ModelRequest } from '../../../contracts/index.ts';
import { type ModelMessage, totalTokens } from '../../../protocol/index.ts';

/** What is asked for when nobody says: hosts reserve (and some demand payment for) all of it. Thinking counts too. */
const USUAL = 32_000;
const THOROUGH = 64_000;
const SMALLEST = 1024;
/** Low, so that the estimate is rather too high: a request that does not fit is refused. */
const CHARACTERS_PER_TOKEN = 3;
const TOKENS_PER_IMAGE = 1500;

/** Many hosts refuse a request whose prompt and longest answer together do not fit the window. */
export function roomFor(request: Omit<ModelRequest, 'signal'>): number {
  const { model, thinkingLevel } = request;
  const thorough = model.reasoning && (thinkingLevel === 'high' || thinkingLevel === 'xhigh');
  const { maxTokens = thorough ? THOROUGH : USUAL } = request;
  const wanted = Math.min(maxTokens, model.maxTokens);
  const left = model.contextWindow - promptTokens(request);
  return Math.max(Math.min(wanted, left), Math.min(wanted, SMALLEST));
}

/** The last answer's usage counts everything before it. */
function promptTokens({ messages, systemPrompt }: Pick<ModelRequest, 'messages' | 'systemPrompt'>): number {
  const last = messages.findLastIndex((message) => message.role === 'assistant' && totalTokens(message.usage) > 0);
  const answer = messages[last];
  const counted = answer?.role === 'assistant' ? totalTokens(answer.usage) : systemPrompt.length / CHARACTERS_PER_TOKEN;
  return Math.ceil(messages.slice(last + 1).reduce((sum, message) => sum + tokensOf(message), counted));
}

function tokensOf({ content }: ModelMessage): number {
  if (typeof content === 'string') return content.length / CHARACTERS_PER_TOKEN;
  return content.reduce((sum, block) => {
    if (block.type === 'text') return sum + block.text.length / CHARACTERS_PER_TOKEN;
    if (block.type === 'thinking') return sum + block.thinking.length / CHARACTERS_PER_TOKEN;
    if (block.type === 'toolCall') return sum + JSON.stringify(block.arguments).length / CHARACTERS_PER_TOKEN;
    return sum + TOKENS_PER_IMAGE;
  }, 0);
}

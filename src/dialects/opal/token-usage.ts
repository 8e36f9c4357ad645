// Token counts of a session in the format of Opal.
import type { AgentSession } from '../../contracts/index.ts';
import { sumTokens, type Usage } from '../../protocol/index.ts';

export interface TokenUsage {
  promptTokens: number;
  completionTokens: number;
  totalTokens: number;
  contextWindow: number;
  currentContextTokens: number;
}

/** Counts the whole session. `growing` is the usage of a response that is not complete yet. */
export function getTokenUsage(session: AgentSession, growing?: Usage): TokenUsage {
  return buildTokenUsage(session.history.stats().tokens, growing, session.context.usage());
}

export function buildTokenUsage(
  { output, total }: { readonly output: number; readonly total: number },
  growing: Usage | undefined,
  context: { readonly contextWindow: number; readonly tokens: number } | undefined,
): TokenUsage {
  const completionTokens = output + (growing?.output ?? 0);
  const totalTokens = total + (growing ? sumTokens(growing) : 0);
  return {
    promptTokens: totalTokens - completionTokens,
    completionTokens,
    totalTokens,
    contextWindow: context?.contextWindow ?? 0,
    currentContextTokens: growing ? sumTokens(growing) : (context?.tokens ?? 0),
  };
}

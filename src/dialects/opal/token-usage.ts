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

/** Counts the whole session. `partialUsage` is the usage of a response that is not complete yet. */
export function getTokenUsage(session: AgentSession, partialUsage?: Usage): TokenUsage {
  return buildTokenUsage(session.history.stats().tokens, partialUsage, session.context.usage());
}

export function buildTokenUsage(
  { output, total }: { readonly output: number; readonly total: number },
  partialUsage: Usage | undefined,
  context: { readonly contextWindow: number; readonly tokens: number } | undefined,
): TokenUsage {
  const completionTokens = output + (partialUsage?.output ?? 0);
  const totalTokens = total + (partialUsage ? sumTokens(partialUsage) : 0);
  return {
    promptTokens: totalTokens - completionTokens,
    completionTokens,
    totalTokens,
    contextWindow: context?.contextWindow ?? 0,
    currentContextTokens: partialUsage ? sumTokens(partialUsage) : (context?.tokens ?? 0),
  };
}

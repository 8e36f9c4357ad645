// Ground floor: what a session has used, in the numbers that a gauge shows.
import { totalTokens, type Usage } from '../protocol/index.ts';
import type { AgentSession } from './session.ts';

export interface TokenUsage {
  promptTokens: number;
  completionTokens: number;
  totalTokens: number;
  contextWindow: number;
  currentContextTokens: number;
}

/** Of the whole session; `growing` is that of an answer which is not yet part of it. */
export function tokenUsage(session: AgentSession, growing?: Usage): TokenUsage {
  return usageOf(session.history.stats().tokens, growing, session.context.usage());
}

export function usageOf(
  { output, total }: { readonly output: number; readonly total: number },
  growing: Usage | undefined,
  context: { readonly contextWindow: number; readonly tokens: number } | undefined,
): TokenUsage {
  const completionTokens = output + (growing?.output ?? 0);
  const all = total + (growing ? totalTokens(growing) : 0);
  return {
    promptTokens: all - completionTokens,
    completionTokens,
    totalTokens: all,
    contextWindow: context?.contextWindow ?? 0,
    currentContextTokens: growing ? totalTokens(growing) : (context?.tokens ?? 0),
  };
}

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
  const { tokens } = session.history.stats();
  const context = session.context.usage();
  const completionTokens = tokens.output + (growing?.output ?? 0);
  const total = tokens.total + (growing ? totalTokens(growing) : 0);
  return {
    promptTokens: total - completionTokens,
    completionTokens,
    totalTokens: total,
    contextWindow: context?.contextWindow ?? 0,
    currentContextTokens: growing ? totalTokens(growing) : (context?.tokens ?? 0),
  };
}

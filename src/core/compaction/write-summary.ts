// Asks the model to summarise the messages before the cut point.
import { Fault } from '../../base/index.ts';
import type { Tool } from '../../contracts/index.ts';
import { addUsage, type CompactionResult, createEmptyUsage, type Usage } from '../../protocol/index.ts';
import { COMPACTION_CANCELLED } from '../policy/compaction-policy.ts';
import type { CutPoint } from './cut-point.ts';
import {
  assembleSummary,
  buildHistoryPrompt,
  buildTurnPrefixPrompt,
  collectFileDetails,
  SUMMARY_SYSTEM_PROMPT,
} from './summary-prompts.ts';

export interface CompactionPlan {
  cutPoint: CutPoint;
  tokensBefore: number;
  customInstructions: string | undefined;
  signal: AbortSignal;
}

export interface SummaryOptions {
  tools: readonly Tool[];
  /** Tokens reserved for answers; each summary gets a share of them. */
  reserveTokens: number | undefined;
  complete(question: {
    systemPrompt: string;
    text: string;
    maxTokens: number | undefined;
    signal: AbortSignal;
  }): Promise<{ text: string; usage: Usage } | { error: string }>;
}

export async function writeSummary(plan: CompactionPlan, options: SummaryOptions): Promise<CompactionResult> {
  const { cutPoint, tokensBefore } = plan;
  const details = collectFileDetails(
    [...cutPoint.messagesToSummarize, ...cutPoint.turnPrefixMessages],
    options.tools,
    cutPoint.previousDetails,
  );
  const usage = createEmptyUsage();
  const countingOptions: SummaryOptions = {
    ...options,
    async complete(question) {
      const answer = await options.complete(question);
      if ('usage' in answer) addUsage(usage, answer.usage);
      return answer;
    },
  };
  const history = await summarizeHistory(plan, countingOptions);
  const prefix = await summarizeTurnPrefix(plan, countingOptions);
  const { firstKeptEntryId } = cutPoint;
  return { summary: assembleSummary(history, prefix, details), firstKeptEntryId, tokensBefore, details, usage };
}

async function summarizeHistory(plan: CompactionPlan, options: SummaryOptions): Promise<string | undefined> {
  const { cutPoint, customInstructions } = plan;
  if (cutPoint.messagesToSummarize.length === 0) return cutPoint.previousSummary;
  const request = buildHistoryPrompt(cutPoint.messagesToSummarize, cutPoint.previousSummary, customInstructions);
  return requestSummary(request, { share: 0.8, errorPrefix: 'Summarization failed' }, plan, options);
}

async function summarizeTurnPrefix(plan: CompactionPlan, options: SummaryOptions): Promise<string | undefined> {
  const { cutPoint, customInstructions } = plan;
  if (cutPoint.turnPrefixMessages.length === 0) return undefined;
  const request = buildTurnPrefixPrompt(cutPoint.turnPrefixMessages, customInstructions);
  return requestSummary(request, { share: 0.5, errorPrefix: 'Turn prefix summarization failed' }, plan, options);
}

async function requestSummary(
  text: string,
  { share, errorPrefix }: { share: number; errorPrefix: string },
  { signal }: CompactionPlan,
  { reserveTokens, complete }: SummaryOptions,
): Promise<string> {
  const maxTokens = reserveTokens === undefined ? undefined : Math.floor(reserveTokens * share);
  const answer = await complete({ systemPrompt: SUMMARY_SYSTEM_PROMPT, text, maxTokens, signal });
  if (signal.aborted) throw new Fault('aborted', COMPACTION_CANCELLED);
  if ('error' in answer) throw new Fault('refused', `${errorPrefix}: ${answer.error}`);
  if (answer.text.trim() === '') throw new Fault('refused', `${errorPrefix}: the model returned an empty summary`);
  return answer.text.trim();
}

// First floor, core: has the model write the summary of what is cut off. Knows neither the log nor when it is time.
import { Fault } from '../../base/index.ts';
import type { Tool } from '../../contracts/index.ts';
import { addUsage, type CompactionResult, noUsage, type Usage } from '../../protocol/index.ts';
import { CANCELLED } from '../policy/compaction.ts';
import type { Cut } from './cut.ts';
import { fileDetails, finished, historyRequest, prefixRequest, SUMMARY_SYSTEM_PROMPT } from './summary.ts';

export interface Planned {
  cut: Cut;
  tokensBefore: number;
  customInstructions: string | undefined;
  signal: AbortSignal;
}

export interface Writer {
  tools: readonly Tool[];
  /** What is kept free for answers; a summary gets a share of it. */
  reserveTokens: number | undefined;
  ask(question: {
    systemPrompt: string;
    text: string;
    maxTokens: number | undefined;
    signal: AbortSignal;
  }): Promise<{ text: string; usage: Usage } | { error: string }>;
}

export async function writeSummary(planned: Planned, writer: Writer): Promise<CompactionResult> {
  const { cut, tokensBefore } = planned;
  const details = fileDetails([...cut.summarised, ...cut.turnPrefix], writer.tools, cut.previousDetails);
  const usage = noUsage();
  const counting: Writer = {
    ...writer,
    async ask(question) {
      const answer = await writer.ask(question);
      if ('usage' in answer) addUsage(usage, answer.usage);
      return answer;
    },
  };
  const history = await historyOf(planned, counting);
  const prefix = await prefixOf(planned, counting);
  const { firstKeptEntryId } = cut;
  return { summary: finished(history, prefix, details), firstKeptEntryId, tokensBefore, details, usage };
}

async function historyOf(planned: Planned, writer: Writer): Promise<string | undefined> {
  const { cut, customInstructions } = planned;
  if (cut.summarised.length === 0) return cut.previousSummary;
  const request = historyRequest(cut.summarised, cut.previousSummary, customInstructions);
  return summarise(request, { share: 0.8, failing: 'Summarization failed' }, planned, writer);
}

async function prefixOf(planned: Planned, writer: Writer): Promise<string | undefined> {
  const { cut, customInstructions } = planned;
  if (cut.turnPrefix.length === 0) return undefined;
  const request = prefixRequest(cut.turnPrefix, customInstructions);
  return summarise(request, { share: 0.5, failing: 'Turn prefix summarization failed' }, planned, writer);
}

async function summarise(
  text: string,
  { share, failing }: { share: number; failing: string },
  { signal }: Planned,
  { reserveTokens, ask }: Writer,
): Promise<string> {
  const maxTokens = reserveTokens === undefined ? undefined : Math.floor(reserveTokens * share);
  const answer = await ask({ systemPrompt: SUMMARY_SYSTEM_PROMPT, text, maxTokens, signal });
  if (signal.aborted) throw new Fault('aborted', CANCELLED);
  if ('error' in answer) throw new Fault('refused', `${failing}: ${answer.error}`);
  if (answer.text.trim() === '') throw new Fault('refused', `${failing}: the model gave an empty summary`);
  return answer.text.trim();
}

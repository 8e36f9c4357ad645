// First floor, core: leaving one conversation for another, or shortening it, as extensions may object to it.
import { isRecord } from '../../../base/index.ts';
import type { Hooks } from '../../../contracts/index.ts';
import type { CompactionResult } from '../../../protocol/index.ts';
import type { HandlerRunner } from '../runner.ts';

export async function objection(
  runner: HandlerRunner,
  events: readonly { readonly type: string }[],
): Promise<{ cancel: boolean; keepsConversation: boolean }> {
  let cancel = false;
  let keepsConversation = false;
  for (const event of events) {
    if (cancel) break;
    await runner.emit(event, (result) => {
      if (!isRecord(result)) return false;
      keepsConversation ||= result.skipConversationRestore === true;
      cancel = result.cancel === true;
      return cancel;
    });
  }
  return { cancel, keepsConversation };
}

export async function beforeCompact(
  runner: HandlerRunner,
  plan: Parameters<NonNullable<Hooks['beforeCompact']>>[0],
): Promise<{ cancel: true } | { compaction: CompactionResult } | undefined> {
  const { branchEntries, customInstructions, signal, ...preparation } = plan;
  const { messagesToSummarize, turnPrefixMessages } = preparation;
  let verdict: { cancel: true } | { compaction: CompactionResult } | undefined;
  const event = {
    type: 'session_before_compact',
    preparation: { ...preparation, isSplitTurn: turnPrefixMessages.length > 0, messagesToSummarize },
    branchEntries,
    customInstructions,
    signal,
  };
  await runner.emit(event, (result) => {
    if (!isRecord(result)) return false;
    if (result.cancel === true) verdict = { cancel: true };
    else if (isCompaction(result.compaction)) verdict = { compaction: { details: undefined, ...result.compaction } };
    return result.cancel === true;
  });
  return verdict;
}

function isCompaction(value: unknown): value is Omit<CompactionResult, 'details'> {
  return isRecord(value) && typeof value.summary === 'string' && typeof value.firstKeptEntryId === 'string';
}

export async function beforeMove(runner: HandlerRunner, plan: Parameters<NonNullable<Hooks['beforeMove']>>[0]) {
  const { signal, summarize, ...rest } = plan;
  let sum: Record<string, unknown> = {};
  const preparation = { ...rest, userWantsSummary: summarize };
  await runner.emit({ type: 'session_before_tree', preparation, signal } as { type: string }, (result) => {
    if (isRecord(result)) sum = { ...sum, ...result };
    return sum.cancel === true;
  });
  const summary = isRecord(sum.summary) && typeof sum.summary.summary === 'string' ? sum.summary : undefined;
  return {
    cancel: sum.cancel === true,
    ...(summary ? { summary: summary as { summary: string } } : {}),
    ...(typeof sum.customInstructions === 'string' ? { customInstructions: sum.customInstructions } : {}),
    ...(typeof sum.replaceInstructions === 'boolean' ? { replaceInstructions: sum.replaceInstructions } : {}),
    ...(typeof sum.label === 'string' ? { label: sum.label } : {}),
  };
}

// Events before a session switch, a branch, a tree navigation or a compaction. Extensions can cancel or replace them.
import { isRecord } from '../../../base/index.ts';
import type { Hooks } from '../../../contracts/index.ts';
import type { CompactionResult } from '../../../protocol/index.ts';
import type { HandlerRunner } from '../handler-runner.ts';

export async function emitCancellable(
  runner: HandlerRunner,
  events: readonly { readonly type: string }[],
): Promise<{ cancel: boolean; includesFullConversation: boolean }> {
  let cancel = false;
  let includesFullConversation = false;
  for (const event of events) {
    if (cancel) break;
    await runner.emit(event, (result) => {
      if (!isRecord(result)) return false;
      includesFullConversation ||= result.skipConversationRestore === true;
      cancel = result.cancel === true;
      return cancel;
    });
  }
  return { cancel, includesFullConversation };
}

export async function emitBeforeCompact(
  runner: HandlerRunner,
  plan: Parameters<NonNullable<Hooks['beforeCompact']>>[0],
): Promise<{ cancel: true } | { compaction: CompactionResult } | undefined> {
  const { branchEntries, customInstructions, cause, signal, ...preparation } = plan;
  const { messagesToSummarize, turnPrefixMessages } = preparation;
  let hookResult: { cancel: true } | { compaction: CompactionResult } | undefined;
  const event = {
    type: 'session_before_compact',
    preparation: { ...preparation, isSplitTurn: turnPrefixMessages.length > 0, messagesToSummarize },
    branchEntries,
    customInstructions,
    ...cause,
    signal,
  };
  await runner.emit(event, (result) => {
    if (!isRecord(result)) return false;
    if (result.cancel === true) hookResult = { cancel: true };
    else if (isCompaction(result.compaction)) hookResult = { compaction: { details: undefined, ...result.compaction } };
    return result.cancel === true;
  });
  return hookResult;
}

function isCompaction(value: unknown): value is Omit<CompactionResult, 'details'> {
  return isRecord(value) && typeof value.summary === 'string' && typeof value.firstKeptEntryId === 'string';
}

export async function emitBeforeTree(runner: HandlerRunner, plan: Parameters<NonNullable<Hooks['beforeMove']>>[0]) {
  const { signal, summarize, ...rest } = plan;
  let mergedResult: Record<string, unknown> = {};
  const preparation = { ...rest, userWantsSummary: summarize };
  await runner.emit({ type: 'session_before_tree', preparation, signal } as { type: string }, (result) => {
    if (isRecord(result)) mergedResult = { ...mergedResult, ...result };
    return mergedResult.cancel === true;
  });
  const summary =
    isRecord(mergedResult.summary) && typeof mergedResult.summary.summary === 'string'
      ? mergedResult.summary
      : undefined;
  return {
    cancel: mergedResult.cancel === true,
    ...(summary ? { summary: summary as { summary: string } } : {}),
    ...(typeof mergedResult.customInstructions === 'string'
      ? { customInstructions: mergedResult.customInstructions }
      : {}),
    ...(typeof mergedResult.replaceInstructions === 'boolean'
      ? { replaceInstructions: mergedResult.replaceInstructions }
      : {}),
    ...(typeof mergedResult.label === 'string' ? { label: mergedResult.label } : {}),
  };
}

// Runs one compaction: finds the cut point, writes the summary and adds it to the conversation. Loaded on demand.
import { Fault } from '../../base/index.ts';
import type { CompactionCause } from '../../contracts/index.ts';
import type { CompactionResult } from '../../protocol/index.ts';
import { withAbortFallback } from '../agent/take-until-aborted.ts';
import { type CutPoint, findCutPoint } from '../compaction/cut-point.ts';
import { estimateContextTokens } from '../compaction/tokens.ts';
import { type CompactionPlan, writeSummary } from '../compaction/write-summary.ts';
import {
  COMPACTION_CANCELLED,
  COMPACTION_TOO_SMALL,
  computeKeepTokens,
  computeReserveTokens,
} from '../policy/compaction-policy.ts';
import { entryToMessages } from '../tree/context-path.ts';
import { emitConversationChanged } from './emit-conversation-changed.ts';
import type { RequestBuilder } from './request-builder.ts';
import { CHECKPOINT_ENTRY, type Checkpoint } from './restore-state.ts';
import type { SessionState } from './session-state.ts';

interface CompactedSession {
  readonly state: SessionState;
  readonly requestBuilder: RequestBuilder;
}

interface CompactionContext extends CompactedSession {
  createCheckpoint(): Checkpoint;
  /** The summary comes from a hook. */
  onHookSummary(): void;
}

export interface CompactionRequest {
  readonly customInstructions?: string | undefined;
  readonly keepMessages?: number | undefined;
}

export async function runCompaction(
  context: CompactionContext,
  request: CompactionRequest & { readonly signal: AbortSignal; readonly cause: CompactionCause },
): Promise<CompactionResult> {
  const { state, requestBuilder } = context;
  const { customInstructions, keepMessages, signal, cause } = request;
  await requestBuilder.ensureReady();
  const { conversation } = state;
  if (isCompacted(state)) throw new Fault('refused', 'Already compacted');
  const cutPoint = findSessionCutPoint(context, keepMessages);
  if (!cutPoint) throw new Fault('refused', COMPACTION_TOO_SMALL);
  const tokensBefore = estimateContextTokens(conversation.path);
  const plan = { cutPoint, tokensBefore, customInstructions, signal };
  const hookResult = await runBeforeCompactHook(context, plan, cause);
  const result = hookResult ?? (await summarize(context, plan));
  if (signal.aborted) throw new Fault('aborted', COMPACTION_CANCELLED);
  const { usage, ...stored } = result;
  await conversation.commit([
    { type: 'compaction', ...stored },
    { type: 'custom', customType: CHECKPOINT_ENTRY, data: context.createCheckpoint() },
  ]);
  await emitConversationChanged(state, 'compacted');
  await notifyCompacted(state, cause, hookResult !== undefined);
  return { ...stored, estimatedTokensAfter: estimateContextTokens(conversation.path), ...(usage ? { usage } : {}) };
}

/** False if the conversation was just compacted, or is too short. */
export function canCompact(session: CompactedSession): boolean {
  return !isCompacted(session.state) && findSessionCutPoint(session) !== undefined;
}

/** True if the path has no message after the last compaction. */
function isCompacted({ conversation }: SessionState): boolean {
  return conversation.path.findLast((entry) => entryToMessages(entry).length > 0)?.type === 'compaction';
}

function findSessionCutPoint({ state, requestBuilder }: CompactedSession, keepMessages?: number): CutPoint | undefined {
  const { model } = requestBuilder;
  const { compaction } = state.options;
  if (keepMessages !== undefined) return findCutPoint(state.conversation.path, keepMessages, () => 1);
  return findCutPoint(
    state.conversation.path,
    model ? computeKeepTokens(model, compaction) : compaction.keepRecentTokens,
  );
}

/** Returns the summary of a hook that replaces ours, if there is one. */
async function runBeforeCompactHook(
  { state, onHookSummary }: CompactionContext,
  { cutPoint, ...plan }: CompactionPlan,
  cause: CompactionCause,
): Promise<CompactionResult | undefined> {
  const { hooks, conversation, ports } = state;
  if (!hooks.beforeCompact) return undefined;
  const hookCall = hooks.beforeCompact({
    ...plan,
    cause,
    firstKeptEntryId: cutPoint.firstKeptEntryId,
    messagesToSummarize: cutPoint.messagesToSummarize,
    turnPrefixMessages: cutPoint.turnPrefixMessages,
    previousSummary: cutPoint.previousSummary,
    branchEntries: [...conversation.path],
  });
  const hookResult = await withAbortFallback(hookCall, () => undefined, plan.signal, ports.clock);
  if (hookResult && 'cancel' in hookResult) throw new Fault('aborted', COMPACTION_CANCELLED);
  if (hookResult) onHookSummary();
  if (hookResult && !conversation.path.some((entry) => entry.id === hookResult.compaction.firstKeptEntryId)) {
    throw new Fault(
      'refused',
      `Unknown firstKeptEntryId in the compaction of an extension: ${hookResult.compaction.firstKeptEntryId}`,
    );
  }
  return hookResult?.compaction;
}

async function summarize(
  { state: { options }, requestBuilder }: CompactedSession,
  plan: CompactionPlan,
): Promise<CompactionResult> {
  const { model } = requestBuilder;
  return writeSummary(plan, {
    tools: await options.tools(),
    reserveTokens: model ? computeReserveTokens(model, options.compaction) : undefined,
    complete: (question) => requestBuilder.completeOnce(question),
  });
}

async function notifyCompacted(
  { hooks, conversation }: SessionState,
  cause: CompactionCause,
  fromExtension: boolean,
): Promise<void> {
  const compactionEntry = conversation.path.findLast((entry) => entry.type === 'compaction');
  if (compactionEntry)
    await hooks.onLifecycleEvent?.({ type: 'session_compact', compactionEntry, fromExtension, ...cause });
}

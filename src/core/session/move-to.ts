// Moves the session to another entry of the same log. The entries of the old branch stay in the log.
import { Fault } from '../../base/index.ts';
import type { MoveHookResult, MoveOptions } from '../../contracts/index.ts';
import { indexEntries } from '../../protocol/entry-index.ts';
import type { EntryBody, SessionEntry } from '../../protocol/index.ts';
import { MOVED_ENTRY } from '../../protocol/run-progress.ts';
import { buildBranchPrompt } from '../compaction/summary-prompts.ts';
import { readPromptText } from '../tree/branching.ts';
import { entryToMessages } from '../tree/context-path.ts';
import { emitConversationChanged } from './emit-conversation-changed.ts';
import type { HistoryPorts } from './history-ports.ts';
import type { SessionState } from './session-state.ts';

export async function moveTo(
  state: SessionState,
  ports: HistoryPorts,
  targetId: string,
  options: MoveOptions,
): Promise<{ cancelled: boolean; editorText?: string | undefined }> {
  const { conversation, hooks } = state;
  const { signal } = new AbortController();
  const plan = planMove(await conversation.readAll(), conversation.leafId, targetId);
  const { oldLeafId, commonAncestorId, leftEntries } = plan;
  const requested = { ...options, summarize: options.summarize ?? false };
  const hookInput = { targetId, oldLeafId, commonAncestorId, entriesToSummarize: leftEntries, ...requested, signal };
  const { cancel, summary: hookSummary, ...hookChanges } = (await hooks.beforeMove?.(hookInput)) ?? {};
  if (cancel) return { cancelled: true };
  await ports.abortActiveWork();
  await ports.stopShellCommands();
  const resolved = { ...requested, ...hookChanges };
  const summary = hookSummary ?? (await summarizeLeftEntries(leftEntries, resolved, ports, signal));
  await conversation.moveToPath(plan.newPath);
  const entries = await conversation.commit(
    createMoveEntries(plan.newPath.at(-1)?.id ?? null, summary, resolved.label),
  );
  await ports.onConversationChanged('resumed', ports.getSessionName());
  await emitConversationChanged(state, 'moved');
  await hooks.onLifecycleEvent?.({
    type: 'session_tree',
    newLeafId: conversation.leafId,
    oldLeafId,
    summaryEntry: entries.find((entry) => entry.type === 'branch_summary'),
    fromExtension: hookSummary !== undefined,
  });
  return { cancelled: false, ...(plan.promptText === undefined ? {} : { editorText: plan.promptText }) };
}

type BranchSummary = NonNullable<MoveHookResult['summary']>;

interface MovePlan {
  oldLeafId: string | null;
  commonAncestorId: string | null;
  /** The path after the move, root first. */
  newPath: SessionEntry[];
  /** Entries that are only on the old path. */
  leftEntries: SessionEntry[];
  /** Text of the target if it is a prompt. The move goes before it, and the host can edit it. */
  promptText: string | undefined;
}

function planMove(all: readonly SessionEntry[], oldLeafId: string | null, targetId: string): MovePlan {
  const { findPosition, parentPositions, pathTo } = indexEntries(all);
  const at = findPosition(targetId);
  const target = all[at];
  if (!target) throw new Fault('not_found', `No entry has the id ${targetId}`);
  const text = readPromptText(target);
  const newPath = pathTo(text === undefined ? at : (parentPositions[at] ?? -1));
  const newPathEntries = new Set(newPath);
  const oldPath = pathTo(findPosition(oldLeafId));
  const commonAncestorId = oldPath.findLast((entry) => newPathEntries.has(entry))?.id ?? null;
  return {
    oldLeafId,
    commonAncestorId,
    newPath,
    leftEntries: oldPath.filter((entry) => !newPathEntries.has(entry)),
    promptText: text,
  };
}

async function summarizeLeftEntries(
  leftEntries: readonly SessionEntry[],
  options: MoveOptions,
  ports: HistoryPorts,
  signal: AbortSignal,
): Promise<BranchSummary | undefined> {
  const messages = leftEntries.flatMap(entryToMessages);
  if (!options.summarize || messages.length === 0) return undefined;
  return { summary: await ports.summarize(buildBranchPrompt(messages, options), signal) };
}

function createMoveEntries(
  leafId: string | null,
  branchSummary: BranchSummary | undefined,
  label: string | undefined,
): EntryBody[] {
  const bodies: EntryBody[] = [];
  if (branchSummary) {
    const { summary, details } = branchSummary;
    const detailFields = details === undefined ? {} : { details };
    bodies.push({ type: 'branch_summary', fromId: leafId ?? 'root', summary, ...detailFields });
  }
  if (label && leafId) bodies.push({ type: 'label', targetId: leafId, label });
  // Without an entry a resumed session would continue at the newest entry of the log.
  return bodies.length > 0 ? bodies : [{ type: 'custom', customType: MOVED_ENTRY }];
}

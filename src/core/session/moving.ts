// First floor, core: going to another entry of the same log. Nothing is lost: what is left behind stays where it was.
import { Fault } from '../../base/index.ts';
import type { MoveOptions } from '../../contracts/index.ts';
import type { EntryBody, SessionEntry } from '../../protocol/index.ts';
import { historyRequest } from '../compaction/summary.ts';
import { promptText } from '../tree/branching.ts';
import { messageOf } from '../tree/context-path.ts';
import { lineageOf } from '../tree/lineage.ts';
import type { HistoryPorts } from './history-ports.ts';
import type { Seat } from './seat.ts';

/** Says in the log where the conversation stands, when nothing else does: the newest entry is where it goes on. */
const MOVED_ENTRY = 'parley.moved';

export async function moveTo(
  seat: Seat,
  ports: HistoryPorts,
  targetId: string,
  options: MoveOptions,
): Promise<{ cancelled: boolean; editorText?: string | undefined }> {
  const { conversation, hooks } = seat;
  const { signal } = new AbortController();
  const plan = planned(await conversation.all(), conversation.leafId, targetId);
  const summarize = options.summarize ?? false;
  const about = { targetId, oldLeafId: plan.oldLeafId, entriesToSummarize: plan.left, summarize, signal };
  const verdict = await hooks.beforeMove?.(about);
  if (verdict?.cancel) return { cancelled: true };
  await ports.leave();
  const written = verdict?.summary?.summary;
  const summary = written ?? (await summaryOf(plan.left, { ...options, ...verdict, summarize }, ports, signal));
  await conversation.stand(plan.line);
  const newLeafId = plan.line.at(-1)?.id ?? null;
  const entries = await conversation.commit(marks(newLeafId, summary, verdict?.label ?? options.label));
  await ports.arrive('resumed', ports.name());
  await hooks.observe?.({
    type: 'session_tree',
    newLeafId: conversation.leafId,
    oldLeafId: plan.oldLeafId,
    summaryEntry: entries.find((entry) => entry.type === 'branch_summary'),
    fromExtension: written !== undefined,
  });
  return { cancelled: false, ...(plan.text === undefined ? {} : { editorText: plan.text }) };
}

interface Plan {
  oldLeafId: string | null;
  /** Where the conversation will stand, root first. */
  line: SessionEntry[];
  /** What is on the old line only. */
  left: SessionEntry[];
  /** The prompt that is taken back. */
  text: string | undefined;
}

function planned(all: readonly SessionEntry[], oldLeafId: string | null, targetId: string): Plan {
  const { find, parents, pathTo } = lineageOf(all);
  const at = find(targetId);
  const target = all[at];
  if (!target) throw new Fault('not_found', `No entry has the id ${targetId}`);
  const text = promptText(target);
  const line = pathTo(text === undefined ? at : (parents[at] ?? -1));
  const kept = new Set(line);
  return { oldLeafId, line, left: pathTo(find(oldLeafId)).filter((entry) => !kept.has(entry)), text };
}

async function summaryOf(
  left: readonly SessionEntry[],
  options: MoveOptions,
  ports: HistoryPorts,
  signal: AbortSignal,
): Promise<string | undefined> {
  const messages = left.flatMap(messageOf);
  if (!options.summarize || messages.length === 0) return undefined;
  return ports.summarise(historyRequest(messages, undefined, options.customInstructions), signal);
}

function marks(leafId: string | null, summary: string | undefined, label: string | undefined): EntryBody[] {
  const bodies: EntryBody[] = [];
  if (summary !== undefined) bodies.push({ type: 'branch_summary', fromId: leafId ?? 'root', summary });
  if (label && leafId) bodies.push({ type: 'label', targetId: leafId, label });
  return bodies.length > 0 ? bodies : [{ type: 'custom', customType: MOVED_ENTRY }];
}

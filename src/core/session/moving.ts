// First floor, core: going to another entry of the same log. Nothing is lost: what is left behind stays where it was.
import { Fault } from '../../base/index.ts';
import type { MoveOptions, MoveVerdict } from '../../contracts/index.ts';
import type { EntryBody, SessionEntry } from '../../protocol/index.ts';
import { branchRequest } from '../compaction/summary.ts';
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
  const { oldLeafId, commonAncestorId, left } = plan;
  const wishes = { ...options, summarize: options.summarize ?? false };
  const about = { targetId, oldLeafId, commonAncestorId, entriesToSummarize: left, ...wishes, signal };
  const { cancel, summary: written, ...changed } = (await hooks.beforeMove?.(about)) ?? {};
  if (cancel) return { cancelled: true };
  await ports.leave();
  await ports.endCommands();
  const decided = { ...wishes, ...changed };
  const summary = written ?? (await summaryOf(left, decided, ports, signal));
  await conversation.stand(plan.line);
  const entries = await conversation.commit(marks(plan.line.at(-1)?.id ?? null, summary, decided.label));
  await ports.arrive('resumed', ports.name());
  await hooks.observe?.({
    type: 'session_tree',
    newLeafId: conversation.leafId,
    oldLeafId,
    summaryEntry: entries.find((entry) => entry.type === 'branch_summary'),
    fromExtension: written !== undefined,
  });
  return { cancelled: false, ...(plan.text === undefined ? {} : { editorText: plan.text }) };
}

type Summary = NonNullable<MoveVerdict['summary']>;

interface Plan {
  oldLeafId: string | null;
  commonAncestorId: string | null;
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
  const old = pathTo(find(oldLeafId));
  const commonAncestorId = old.findLast((entry) => kept.has(entry))?.id ?? null;
  return { oldLeafId, commonAncestorId, line, left: old.filter((entry) => !kept.has(entry)), text };
}

async function summaryOf(
  left: readonly SessionEntry[],
  options: MoveOptions,
  ports: HistoryPorts,
  signal: AbortSignal,
): Promise<Summary | undefined> {
  const messages = left.flatMap(messageOf);
  if (!options.summarize || messages.length === 0) return undefined;
  return { summary: await ports.summarise(branchRequest(messages, options), signal) };
}

function marks(leafId: string | null, left: Summary | undefined, label: string | undefined): EntryBody[] {
  const bodies: EntryBody[] = [];
  if (left) {
    const { summary, details } = left;
    const more = details === undefined ? {} : { details };
    bodies.push({ type: 'branch_summary', fromId: leafId ?? 'root', summary, ...more });
  }
  if (label && leafId) bodies.push({ type: 'label', targetId: leafId, label });
  return bodies.length > 0 ? bodies : [{ type: 'custom', customType: MOVED_ENTRY }];
}

// Lays out the branch tree of a session as rows: one row for each prompt, label and compaction. Pure.
import { extractText } from '../../protocol/index.ts';
import { shortenLine } from './format.ts';
import type { Transcript } from './transcript.ts';

export type TreeRowKind = 'prompt' | 'answer' | 'compaction' | 'summary' | 'stretch';

export interface TreeRow {
  readonly position: number;
  /** The index of the row from which this one continues; -1 for the first row of a tree. */
  parent: number;
  /** How many side branches contain this row. */
  readonly lane: number;
  readonly kind: TreeRowKind;
  /** Not escaped. */
  readonly text: string;
  /** Prompts of the same stretch that share this row. */
  otherPrompts: number;
  readonly label: string | undefined;
  /** Answers of the model between this row and the next one. */
  answers: number;
  readonly isOnCurrentBranch: boolean;
  isCurrentLeaf: boolean;
}

export interface TreeLayout {
  readonly rows: readonly TreeRow[];
  /** Rows of other branches that are not part of the layout. */
  readonly leftOut: number;
}

/** More rows: prompts of a linear stretch share a row. */
const MAX_SINGLE_ROWS = 48;
const MAX_ROWS = 240;

export function layOutTree(transcript: Transcript, leaf: number): TreeLayout {
  const rows = collectRows(transcript, leaf);
  const folded = rows.length > MAX_SINGLE_ROWS ? foldStretches(rows) : rows;
  return folded.length > MAX_ROWS ? dropBranches(folded) : { rows: folded, leftOut: 0 };
}

/** In depth-first order. Side branches come before the continuation of the branch from which they start. */
function collectRows(transcript: Transcript, leaf: number): TreeRow[] {
  const { parentPositions } = transcript.index;
  const current = new Set<number>();
  for (let at = leaf; at >= 0; at = parentPositions[at] ?? -1) current.add(at);
  const children = groupVisibleChildren(transcript, current);
  const rows: TreeRow[] = [];
  const pending = (children.get(-1) ?? []).map((at) => ({ at, lane: 0, parent: -1 })).reverse();
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { at, lane } = next;
    let { parent } = next;
    const isFork = (children.get(parentPositions[at] ?? -1)?.length ?? 0) > 1;
    const row = createRow(transcript, at, isFork, { parent, lane, isOnCurrentBranch: current.has(at) });
    if (row) parent = rows.push(row) - 1;
    const owner = rows[parent];
    if (owner && transcript.messages[at]?.role === 'assistant') owner.answers++;
    if (owner && current.has(at)) markCurrent(rows, owner);
    const following = children.get(at) ?? [];
    // The continuation is the last one, so it is pushed first.
    following.toReversed().forEach((child, distance) => {
      pending.push({ at: child, lane: distance === 0 ? lane : lane + 1, parent });
    });
  }
  return rows;
}

/** Rows of the current branch come in the order of the branch, so the last one that is marked has the leaf. */
function markCurrent(rows: readonly TreeRow[], owner: TreeRow): void {
  const previous = rows[owner.parent];
  if (previous) previous.isCurrentLeaf = false;
  owner.isCurrentLeaf = true;
}

/** Without entries that lead to no row. The continuation of a branch is last: the current branch, otherwise the newest one. */
function groupVisibleChildren(transcript: Transcript, current: ReadonlySet<number>): Map<number, number[]> {
  const { parentPositions } = transcript.index;
  const leadsToRow = parentPositions.map((_, at) => transcript.messages[at] !== undefined);
  for (let at = parentPositions.length - 1; at >= 0; at--) {
    const parent = parentPositions[at] ?? -1;
    if (leadsToRow[at] && parent >= 0) leadsToRow[parent] = true;
  }
  const children = new Map<number, number[]>();
  parentPositions.forEach((parent, at) => {
    if (!leadsToRow[at]) return;
    const siblings = children.get(parent);
    if (siblings) siblings.push(at);
    else children.set(parent, [at]);
  });
  for (const siblings of children.values()) {
    const main = siblings.findIndex((at) => current.has(at));
    if (main >= 0) siblings.push(...siblings.splice(main, 1));
  }
  return children;
}

const MAX_TEXT_LENGTH = 90;

function createRow(
  { messages, labels }: Transcript,
  position: number,
  isFork: boolean,
  place: Pick<TreeRow, 'parent' | 'lane' | 'isOnCurrentBranch'>,
): TreeRow | undefined {
  const message = messages[position];
  const label = labels.get(position);
  const create = (kind: TreeRowKind, text: string): TreeRow => {
    const shortLabel = label && shortenLine(label, 40);
    return {
      position,
      kind,
      text: shortenLine(text, MAX_TEXT_LENGTH),
      label: shortLabel,
      otherPrompts: 0,
      answers: 0,
      isCurrentLeaf: false,
      ...place,
    };
  };
  if (!message) return label ? create('answer', '') : undefined;
  if (message.role === 'user') return create('prompt', extractText(message.content) || '(no text)');
  if (message.role === 'compactionSummary') return create('compaction', 'Compaction');
  if (message.role === 'branchSummary') return create('summary', 'Summary of another branch');
  // Other messages have a row only if they are labelled or begin a branch.
  if (!label && !isFork && place.parent >= 0) return undefined;
  if (message.role === 'bashExecution') return create('answer', `$ ${message.command}`);
  return create(
    'answer',
    extractText(message.content) || (message.role === 'assistant' ? 'Tool calls' : 'Tool result'),
  );
}

const STRETCHES = 30;

/** Joins prompts that follow one another directly, without a fork, label or compaction between them. */
function foldStretches(rows: readonly TreeRow[]): TreeRow[] {
  const childCounts = new Map<number, number>();
  for (const { parent } of rows) childCounts.set(parent, (childCounts.get(parent) ?? 0) + 1);
  const isPlain = rows.map(
    (row, at) =>
      row.kind === 'prompt' &&
      row.label === undefined &&
      !row.isCurrentLeaf &&
      row.parent === at - 1 &&
      at > 0 &&
      childCounts.get(at) === 1,
  );
  const size = Math.max(3, Math.ceil(isPlain.filter(Boolean).length / STRETCHES));
  const folded: TreeRow[] = [];
  const newIndexes: number[] = [];
  rows.forEach((row, at) => {
    const last = folded.at(-1);
    const canJoin = last && isPlain[at] && isPlain[at - 1] && last.lane === row.lane && last.otherPrompts < size - 1;
    if (canJoin) {
      const [answers, otherPrompts] = [last.answers + row.answers, last.otherPrompts + 1];
      folded[folded.length - 1] = { ...last, kind: 'stretch', answers, otherPrompts };
    } else {
      folded.push({ ...row, parent: row.parent < 0 ? -1 : (newIndexes[row.parent] as number) });
    }
    newIndexes.push(folded.length - 1);
  });
  return folded;
}

/** Keeps the current branch, and side branches while there is space. */
function dropBranches(rows: readonly TreeRow[]): TreeLayout {
  let free = MAX_ROWS - rows.filter((row) => row.isOnCurrentBranch).length;
  const kept: TreeRow[] = [];
  const newIndexes: (number | undefined)[] = [];
  for (const row of rows) {
    const parent = row.parent < 0 ? -1 : newIndexes[row.parent];
    const isKept = row.isOnCurrentBranch || (free > 0 && parent !== undefined);
    if (isKept && !row.isOnCurrentBranch) free--;
    newIndexes.push(isKept ? kept.push({ ...row, parent: parent ?? -1 }) - 1 : undefined);
  }
  return { rows: kept, leftOut: rows.length - kept.length };
}

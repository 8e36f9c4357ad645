// Lays out the branch tree of a session as rows: one for each prompt, label, compaction and start of a branch. Pure.
import type { AgentMessage, SessionEntry } from '../../../src/protocol/index.ts';
import { shorten } from '../parts/format.ts';

export interface EntryTree {
  readonly entry: SessionEntry;
  readonly children: readonly EntryTree[];
  readonly label?: string;
}

export interface TreeRow {
  readonly entryId: string;
  readonly kind: 'prompt' | 'answer' | 'compaction' | 'summary';
  readonly text: string;
  /** The whole text of a prompt. */
  readonly prompt: string | undefined;
  readonly label: string | undefined;
  readonly time: string;
  /** How many branches lie left of this row. */
  readonly lane: number;
  /** The index of the row from which this one continues; -1 for the first. */
  readonly parent: number;
  /** The last message before the next row: the conversation can continue after it. */
  lastEntryId: string;
  /** Answers between this row and the next one. */
  answers: number;
  readonly isOnPath: boolean;
  isLeaf: boolean;
}

const MAX_TEXT = 100;

interface Pending {
  readonly node: EntryTree;
  readonly lane: number;
  readonly parent: number;
  readonly isFork: boolean;
}

/** Without recursion, because a tree is as deep as its conversation is long. */
export function layOutTree(tree: readonly EntryTree[], leafId: string | null): TreeRow[] {
  const path = findPath(tree, leafId);
  const rows: TreeRow[] = [];
  const pending: Pending[] = listChildren(tree, path).map((node, at) => ({ node, lane: at, parent: -1, isFork: true }));
  pending.reverse();
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { node, lane, isFork } = next;
    const isOnPath = path.has(node.entry.id);
    const row = createRow(node, next, isOnPath);
    const parent = row ? rows.push(row) - 1 : next.parent;
    const owner = rows[parent];
    if (owner && isAnswer(node.entry)) owner.answers++;
    // A branch that begins with entries that are no messages does not belong to the row above.
    if (owner && (row || !isFork) && getMessage(node.entry)) owner.lastEntryId = node.entry.id;
    if (owner && node.entry.id === leafId) owner.isLeaf = true;
    const children = listChildren(node.children, path);
    // The continuation is first in the list and is drawn last, below the branches that leave here.
    children.forEach((child, at) => {
      const isSide = at > 0;
      pending.push({ node: child, lane: isSide ? lane + at : lane, parent, isFork: isFork && !row ? true : isSide });
    });
  }
  return rows;
}

/** The children that lead to a message. The one on the path is first, otherwise the newest. */
function listChildren(children: readonly EntryTree[], path: ReadonlySet<string>): EntryTree[] {
  if (children.length < 2) return [...children];
  const main = children.find(({ entry }) => path.has(entry.id)) ?? children.at(-1);
  return main ? [main, ...children.filter((child) => child !== main)] : [];
}

/** The ids from the first entry to the leaf. */
function findPath(tree: readonly EntryTree[], leafId: string | null): ReadonlySet<string> {
  const parents = new Map<string, string | null>();
  const pending = [...tree];
  for (let node = pending.pop(); node; node = pending.pop()) {
    parents.set(node.entry.id, node.entry.parentId);
    for (const child of node.children) pending.push(child);
  }
  const path = new Set<string>();
  for (let id = leafId; id !== null && id !== undefined && !path.has(id); id = parents.get(id) ?? null) path.add(id);
  return path;
}

function getMessage(entry: SessionEntry): AgentMessage | undefined {
  return entry.type === 'message' ? (entry as { message: AgentMessage }).message : undefined;
}

function isAnswer(entry: SessionEntry): boolean {
  return getMessage(entry)?.role === 'assistant';
}

function createRow(
  { entry, label }: EntryTree,
  { lane, parent, isFork }: Pending,
  isOnPath: boolean,
): TreeRow | undefined {
  const described = describeEntry(entry, label !== undefined || (isFork && parent >= 0));
  if (!described) return undefined;
  const place = { lane, parent, isOnPath, lastEntryId: entry.id, answers: 0, isLeaf: false };
  return {
    entryId: entry.id,
    prompt: undefined,
    ...described,
    label,
    time: entry.timestamp.slice(0, 16).replace('T', ' '),
    ...place,
  };
}

type RowText = Pick<TreeRow, 'kind' | 'text'> & { readonly prompt?: string };

function describeEntry(entry: SessionEntry, isMarked: boolean): RowText | undefined {
  if (entry.type === 'compaction') return { kind: 'compaction', text: 'Compaction' };
  if (entry.type === 'branch_summary') return { kind: 'summary', text: 'Summary of another branch' };
  const message = getMessage(entry);
  if (message?.role === 'user') {
    const prompt = readText(message.content);
    return { kind: 'prompt', text: shorten(prompt, MAX_TEXT) || '(no text)', prompt };
  }
  if (!message || !isMarked) return undefined;
  if (message.role === 'bashExecution') return { kind: 'answer', text: `$ ${shorten(message.command, MAX_TEXT)}` };
  const text = 'content' in message ? shorten(readText(message.content), MAX_TEXT) : '';
  return { kind: 'answer', text: text || (message.role === 'assistant' ? 'Tool calls' : 'Tool result') };
}

export function readText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((block) => (block?.type === 'text' && typeof block.text === 'string' ? block.text : '')).join('');
}

/** The messages from the first entry to the leaf, in order. */
export function listPathEntries(tree: readonly EntryTree[], leafId: string | null): SessionEntry[] {
  const path = findPath(tree, leafId);
  const entries: SessionEntry[] = [];
  let children = tree;
  for (let next = children.find(({ entry }) => path.has(entry.id)); next; ) {
    entries.push(next.entry);
    children = next.children;
    next = children.find(({ entry }) => path.has(entry.id));
  }
  return entries;
}

// Queries over the entry tree of a session: branch points, paths, labels. Pure.
import { Fault } from '../../base/index.ts';
import { indexEntries } from '../../protocol/entry-index.ts';
import { type EntryTree, extractText, type SessionEntry } from '../../protocol/index.ts';
import { entryToMessages } from './context-path.ts';

/** Every prompt on all branches, in log order. A new branch can start before each of them. */
export function listBranchPoints(entries: readonly SessionEntry[]): { entryId: string; text: string }[] {
  return entries.flatMap((entry) => {
    const text = readPromptText(entry);
    return text ? [{ entryId: entry.id, text }] : [];
  });
}

export function readPromptText(entry: SessionEntry): string | undefined {
  const [message] = entry.type === 'message' ? entryToMessages(entry) : [];
  return message?.role === 'user' ? extractText(message.content) : undefined;
}

export interface Branch {
  text: string;
  /** From the root to the entry before the prompt; empty if the prompt was the first entry. */
  path: SessionEntry[];
  /** Labels of entries on the path that were set, changed or removed by entries outside the path. */
  labels: { targetId: string; label?: string | undefined }[];
}

export function branchBefore(entries: readonly SessionEntry[], entryId: string): Branch {
  const entryIndex = indexEntries(entries);
  const at = entryIndex.findPosition(entryId);
  const prompt = entries[at];
  const text = prompt && readPromptText(prompt);
  if (text === undefined) throw new Fault('not_found', `Invalid entry ID for branching: ${entryId}`);
  return { text, ...collectPathWithLabels(entries, entryIndex.pathTo(entryIndex.parentPositions[at] ?? -1)) };
}

/** The path from the root to this entry, with labels. */
export function branchAt(entries: readonly SessionEntry[], leafId: string | null): Omit<Branch, 'text'> {
  const { pathTo, findPosition } = indexEntries(entries);
  return collectPathWithLabels(entries, pathTo(findPosition(leafId)));
}

function collectPathWithLabels(
  entries: readonly SessionEntry[],
  rawPath: readonly SessionEntry[],
): Omit<Branch, 'text'> {
  const path = relinkParents(rawPath);
  const targets = new Set(path.map((entry) => entry.id));
  const labelsOnPath = collectLabels(path);
  const labels = [...collectLabels(entries)].filter(([id, label]) => targets.has(id) && labelsOnPath.get(id) !== label);
  return { path, labels: labels.map(([targetId, label]) => ({ targetId, ...(label ? { label } : {}) })) };
}

/** The path from the root to this entry, without labels. */
export function collectPathTo(entries: readonly SessionEntry[], leafId: string | null): SessionEntry[] {
  const { pathTo, findPosition } = indexEntries(entries);
  return relinkParents(pathTo(findPosition(leafId)));
}

/** Sets each `parentId` to the entry before it. It can differ where a damaged log was repaired. */
function relinkParents(path: readonly SessionEntry[]): SessionEntry[] {
  return path.map((entry, index) => {
    const parentId = path[index - 1]?.id ?? null;
    return entry.parentId === parentId ? entry : { ...entry, parentId };
  });
}

function collectLabels(entries: readonly SessionEntry[]): Map<string, string | undefined> {
  return new Map(
    entries.flatMap((entry) => (entry.type === 'label' ? [[entry.targetId, entry.label || undefined]] : [])),
  );
}

export function buildTree(entries: readonly SessionEntry[]): EntryTree[] {
  const { parentPositions, findPosition } = indexEntries(entries);
  const nodes = entries.map((entry): EntryTree => ({ entry, children: [] }));
  const roots: EntryTree[] = [];
  nodes.forEach((node, position) => {
    (nodes[parentPositions[position] ?? -1]?.children ?? roots).push(node);
    if (node.entry.type === 'label') applyLabel(nodes[findPosition(node.entry.targetId)], node.entry);
  });
  return roots;
}

function applyLabel(node: EntryTree | undefined, entry: SessionEntry & { type: 'label' }): void {
  if (!node) return;
  delete node.label;
  delete node.labelTimestamp;
  if (entry.label) Object.assign(node, { label: entry.label, labelTimestamp: entry.timestamp });
}

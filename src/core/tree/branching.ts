// First floor, core: questions about the whole tree of a conversation. Pure.
import { Fault } from '../../base/index.ts';
import { type EntryTree, type SessionEntry, textOf } from '../../protocol/index.ts';
import { messageOf } from './context-path.ts';
import { lineageOf } from './lineage.ts';

/** Every prompt that a new branch could begin before, on all branches, in the order they were made. */
export function branchPoints(entries: readonly SessionEntry[]): { entryId: string; text: string }[] {
  return entries.flatMap((entry) => {
    const text = promptText(entry);
    return text ? [{ entryId: entry.id, text }] : [];
  });
}

export function promptText(entry: SessionEntry): string | undefined {
  const [message] = entry.type === 'message' ? messageOf(entry) : [];
  return message?.role === 'user' ? textOf(message.content) : undefined;
}

export interface Branch {
  text: string;
  /** The line up to the entry before the prompt, root first; empty when the prompt was the first thing said. */
  path: SessionEntry[];
  /** Names of entries of that line that were given, changed or taken away elsewhere. */
  labels: { targetId: string; label?: string | undefined }[];
}

export function branchBefore(entries: readonly SessionEntry[], entryId: string): Branch {
  const lineage = lineageOf(entries);
  const at = lineage.find(entryId);
  const prompt = entries[at];
  const text = prompt && promptText(prompt);
  if (text === undefined) throw new Fault('not_found', `Invalid entry ID for branching: ${entryId}`);
  return { text, ...lineWithLabels(entries, lineage.pathTo(lineage.parents[at] ?? -1)) };
}

/** Everything that was said up to this entry. */
export function branchAt(entries: readonly SessionEntry[], leafId: string | null): Omit<Branch, 'text'> {
  const { pathTo, find } = lineageOf(entries);
  return lineWithLabels(entries, pathTo(find(leafId)));
}

function lineWithLabels(entries: readonly SessionEntry[], line: readonly SessionEntry[]): Omit<Branch, 'text'> {
  const path = inOneLine(line);
  const targets = new Set(path.map((entry) => entry.id));
  const said = labelsIn(path);
  const labels = [...labelsIn(entries)].filter(([id, label]) => targets.has(id) && said.get(id) !== label);
  return { path, labels: labels.map(([targetId, label]) => ({ targetId, ...(label ? { label } : {}) })) };
}

/** Everything from the beginning to this entry. */
export function lineTo(entries: readonly SessionEntry[], leafId: string | null): SessionEntry[] {
  const { pathTo, find } = lineageOf(entries);
  return inOneLine(pathTo(find(leafId)));
}

/** Each follows the one before, also where the log that they come from was mended. */
function inOneLine(path: readonly SessionEntry[]): SessionEntry[] {
  return path.map((entry, index) => {
    const parentId = path[index - 1]?.id ?? null;
    return entry.parentId === parentId ? entry : { ...entry, parentId };
  });
}

function labelsIn(entries: readonly SessionEntry[]): Map<string, string | undefined> {
  return new Map(
    entries.flatMap((entry) => (entry.type === 'label' ? [[entry.targetId, entry.label || undefined]] : [])),
  );
}

export function treeOf(entries: readonly SessionEntry[]): EntryTree[] {
  const { parents, find } = lineageOf(entries);
  const nodes = entries.map((entry): EntryTree => ({ entry, children: [] }));
  const roots: EntryTree[] = [];
  nodes.forEach((node, position) => {
    (nodes[parents[position] ?? -1]?.children ?? roots).push(node);
    if (node.entry.type === 'label') label(nodes[find(node.entry.targetId)], node.entry);
  });
  return roots;
}

function label(node: EntryTree | undefined, entry: SessionEntry & { type: 'label' }): void {
  if (!node) return;
  delete node.label;
  delete node.labelTimestamp;
  if (entry.label) Object.assign(node, { label: entry.label, labelTimestamp: entry.timestamp });
}

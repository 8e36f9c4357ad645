// First floor, core: questions about the whole tree of a conversation. Pure.
import { Fault } from '../../base/index.ts';
import { type EntryTree, type SessionEntry, textOf } from '../../protocol/index.ts';

/** Every prompt that a new branch could begin before, on all branches, in the order they were made. */
export function branchPoints(entries: readonly SessionEntry[]): { entryId: string; text: string }[] {
  return entries.flatMap((entry) => {
    const text = promptText(entry);
    return text ? [{ entryId: entry.id, text }] : [];
  });
}

function promptText(entry: SessionEntry): string | undefined {
  return entry.type === 'message' && entry.message.role === 'user' ? textOf(entry.message.content) : undefined;
}

export interface Branch {
  text: string;
  /** The line up to the entry before the prompt, root first; empty when the prompt was the first thing said. */
  path: SessionEntry[];
  /** Names that were given to entries of that line. */
  labels: { targetId: string; label: string }[];
}

export function branchBefore(entries: readonly SessionEntry[], entryId: string): Branch {
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const at = byId.get(entryId);
  const text = at && promptText(at);
  if (!at || text === undefined) throw new Fault('not_found', `Invalid entry ID for branching: ${entryId}`);
  const path = pathTo(byId, at.parentId);
  return { text, path, labels: labelsOn(entries, new Set(path.map((entry) => entry.id))) };
}

/** From the root to this entry. A parent that is missing ends the walk: the rest cannot be reached. */
export function pathTo(byId: ReadonlyMap<string, SessionEntry>, leafId: string | null): SessionEntry[] {
  const path: SessionEntry[] = [];
  const seen = new Set<string>();
  for (let id = leafId; id !== null && !seen.has(id); ) {
    const entry = byId.get(id);
    if (!entry) break;
    seen.add(id);
    path.unshift(entry);
    id = entry.parentId;
  }
  return path;
}

function labelsOn(entries: readonly SessionEntry[], targets: ReadonlySet<string>): Branch['labels'] {
  const labels = new Map<string, string | undefined>();
  for (const entry of entries)
    if (entry.type === 'label' && targets.has(entry.targetId)) labels.set(entry.targetId, entry.label);
  return [...labels].flatMap(([targetId, label]) => (label === undefined ? [] : [{ targetId, label }]));
}

export function treeOf(entries: readonly SessionEntry[]): EntryTree[] {
  const nodes = new Map(entries.map((entry) => [entry.id, { entry, children: [] } as EntryTree]));
  const roots: EntryTree[] = [];
  for (const entry of entries) {
    const node = nodes.get(entry.id) as EntryTree;
    const parent = entry.parentId === null ? undefined : nodes.get(entry.parentId);
    if (parent && parent !== node) parent.children.push(node);
    else roots.push(node);
    if (entry.type === 'label') label(nodes.get(entry.targetId), entry);
  }
  return roots;
}

function label(node: EntryTree | undefined, entry: SessionEntry & { type: 'label' }): void {
  if (!node) return;
  delete node.label;
  delete node.labelTimestamp;
  if (entry.label !== undefined) Object.assign(node, { label: entry.label, labelTimestamp: entry.timestamp });
}

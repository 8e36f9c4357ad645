// Read methods of pi's SessionManager over a list of entries. Subclasses provide the entries.

import { indexEntries } from '../../protocol/entry-index.ts';
import type { EntryTree, SessionEntry } from '../../protocol/index.ts';
import { buildTree } from '../tree/branching.ts';
import { buildContextMessages } from '../tree/context-path.ts';

export abstract class SessionLogReader {
  /** All entries of the log, in the order in which they were written. */
  protected abstract readonly allEntries: readonly SessionEntry[];
  abstract readonly getLeafId: () => string | null;

  readonly getEntries = (): SessionEntry[] => [...this.allEntries];
  readonly getEntry = (id: string): SessionEntry | undefined => this.allEntries.findLast((entry) => entry.id === id);
  readonly getTree = (): EntryTree[] => buildTree(this.allEntries);
  readonly getChildren = (parentId: string): SessionEntry[] =>
    this.allEntries.filter((entry) => entry.parentId === parentId);

  readonly getLeafEntry = (): SessionEntry | undefined => {
    const leafId = this.getLeafId();
    return leafId === null ? undefined : this.getEntry(leafId);
  };

  readonly getLabel = (id: string): string | undefined => {
    const newest = this.allEntries.findLast((entry) => entry.type === 'label' && entry.targetId === id);
    return newest?.type === 'label' ? newest.label : undefined;
  };

  /** The path from the root to `fromId`, or to the leaf. */
  readonly getBranch = (fromId?: string): SessionEntry[] => {
    const { pathTo, findPosition } = indexEntries(this.allEntries);
    return pathTo(findPosition(fromId ?? this.getLeafId()));
  };
}

/** Messages, thinking level and model at an entry; at the newest entry when `leafId` is `undefined`. */
export function buildSessionContext(entries: readonly SessionEntry[], leafId?: string | null) {
  const { pathTo, findPosition } = indexEntries(entries);
  const path = pathTo(leafId === null ? -1 : findPosition(leafId ?? entries.at(-1)?.id ?? null));
  const thinking = path.findLast((entry) => entry.type === 'thinking_level_change');
  const model = path.findLast((entry) => entry.type === 'model_change');
  return {
    messages: buildContextMessages(path),
    thinkingLevel: thinking?.type === 'thinking_level_change' ? thinking.thinkingLevel : 'off',
    model: model?.type === 'model_change' ? { provider: model.provider, modelId: model.modelId } : null,
  };
}

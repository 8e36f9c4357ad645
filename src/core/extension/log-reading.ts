// First floor, core: looking around in the entries of a log, by the names that extensions know. Pure: does not know where they are.
import type { EntryTree, SessionEntry } from '../../protocol/index.ts';
import { treeOf } from '../tree/branching.ts';
import { messagesOf } from '../tree/context-path.ts';
import { lineageOf } from '../tree/lineage.ts';

export abstract class LogReading {
  /** Everything that was ever written, in that order. */
  protected abstract readonly all: readonly SessionEntry[];
  abstract readonly getLeafId: () => string | null;

  readonly getEntries = (): SessionEntry[] => [...this.all];
  readonly getEntry = (id: string): SessionEntry | undefined => this.all.findLast((entry) => entry.id === id);
  readonly getTree = (): EntryTree[] => treeOf(this.all);
  readonly getChildren = (parentId: string): SessionEntry[] => this.all.filter((entry) => entry.parentId === parentId);

  readonly getLeafEntry = (): SessionEntry | undefined => {
    const leafId = this.getLeafId();
    return leafId === null ? undefined : this.getEntry(leafId);
  };

  readonly getLabel = (id: string): string | undefined => {
    const newest = this.all.findLast((entry) => entry.type === 'label' && entry.targetId === id);
    return newest?.type === 'label' ? newest.label : undefined;
  };

  /** From the root to the leaf, or to this entry. */
  readonly getBranch = (fromId?: string): SessionEntry[] => {
    const { pathTo, find } = lineageOf(this.all);
    return pathTo(find(fromId ?? this.getLeafId()));
  };
}

/** What a conversation consists of that stands at this entry; at the newest one when none is named. */
export function sessionContext(entries: readonly SessionEntry[], leafId?: string | null) {
  const { pathTo, find } = lineageOf(entries);
  const line = pathTo(leafId === null ? -1 : find(leafId ?? entries.at(-1)?.id ?? null));
  const thinking = line.findLast((entry) => entry.type === 'thinking_level_change');
  const model = line.findLast((entry) => entry.type === 'model_change');
  return {
    messages: messagesOf(line),
    thinkingLevel: thinking?.type === 'thinking_level_change' ? thinking.thinkingLevel : 'off',
    model: model?.type === 'model_change' ? { provider: model.provider, modelId: model.modelId } : null,
  };
}

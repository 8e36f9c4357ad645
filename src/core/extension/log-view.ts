// First floor, core: `ctx.sessionManager`, the session log as extensions read it: at once, without waiting. Changes nothing.
import type { AgentSession } from '../../contracts/index.ts';
import type { EntryTree, SessionEntry } from '../../protocol/index.ts';
import { treeOf } from '../tree/branching.ts';
import { messagesOf } from '../tree/context-path.ts';
import { lineageOf } from '../tree/lineage.ts';

/** Everything that was ever written, kept up to date. Exists only where an extension does: it costs what the history costs. */
export class LogView {
  readonly #session: AgentSession;
  #entries: SessionEntry[] = [];
  #sessionId = '';

  constructor(session: AgentSession) {
    this.#session = session;
    session.entries.watch((entries) => this.#entries.push(...entries));
  }

  /** Reads the log anew: another conversation is in place, or none was read yet. */
  async refresh(): Promise<void> {
    const { entries } = await this.#session.history.entries();
    this.#entries = [...entries];
    this.#sessionId = this.#session.id;
  }

  /** In the order they were written. What of another conversation is still here does not count. */
  get #all(): readonly SessionEntry[] {
    return this.#sessionId === this.#session.id ? this.#entries : this.#session.entries.path;
  }

  readonly getCwd = (): string => this.#session.cwd;
  readonly getSessionId = (): string => this.#session.id;
  readonly getSessionFile = (): string | undefined => this.#session.file;
  readonly getSessionDir = (): string => this.#session.file?.replace(/[/\\][^/\\]*$/, '') ?? '';
  readonly getSessionName = (): string | undefined => this.#session.naming.name;
  readonly getHeader = () => this.#session.header;
  readonly isPersisted = (): boolean => this.#session.file !== undefined;
  readonly getEntries = (): SessionEntry[] => [...this.#all];
  readonly getEntry = (id: string): SessionEntry | undefined => this.#all.findLast((entry) => entry.id === id);
  readonly getLeafId = (): string | null => this.#session.entries.leafId;
  readonly getTree = (): EntryTree[] => treeOf(this.#all);

  readonly getLeafEntry = (): SessionEntry | undefined => {
    const { leafId } = this.#session.entries;
    return leafId === null ? undefined : this.getEntry(leafId);
  };

  readonly getChildren = (parentId: string): SessionEntry[] => this.#all.filter((entry) => entry.parentId === parentId);

  readonly getLabel = (id: string): string | undefined => {
    const newest = this.#all.findLast((entry) => entry.type === 'label' && entry.targetId === id);
    return newest?.type === 'label' ? newest.label : undefined;
  };

  /** From the root to the leaf, or to this entry. */
  readonly getBranch = (fromId?: string): SessionEntry[] => {
    const { pathTo, find } = lineageOf(this.#all);
    return pathTo(find(fromId ?? this.#session.entries.leafId));
  };

  readonly buildSessionContext = () => {
    const { current, thinkingLevel } = this.#session.models;
    const model = current && { provider: current.provider, modelId: current.id };
    return { messages: messagesOf(this.getBranch()), thinkingLevel, model };
  };
}

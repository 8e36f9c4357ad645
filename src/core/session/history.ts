// First floor, core: what has been said, and leaving one conversation for another.
import { Fault } from '../../base/index.ts';
import type { Files, History, ResumedSession } from '../../contracts/index.ts';
import {
  type AgentMessage,
  type EntryTree,
  type SessionEntry,
  type SessionStats,
  textOf,
} from '../../protocol/index.ts';
import { branchBefore, branchPoints, treeOf } from '../tree/branching.ts';
import { messageOf } from '../tree/context-path.ts';
import type { Seat } from './seat.ts';
import { countMessages } from './stats.ts';

export interface HistoryPorts {
  /** Messages that are kept but not yet part of the conversation. */
  held(): readonly AgentMessage[];
  name(): string | undefined;
  /** Ends what is running, with its last events. */
  leave(): Promise<void>;
  /** Another conversation is in place: begun now, or gone on with under this name. */
  arrive(how: 'new' | 'resumed', name: string | undefined): Promise<void>;
}

export class HistoryFacet implements History {
  readonly #seat: Seat;
  readonly #ports: HistoryPorts;

  constructor(seat: Seat, ports: HistoryPorts) {
    this.#seat = seat;
    this.#ports = ports;
  }

  messages(): readonly AgentMessage[] {
    return [...this.#seat.conversation.messages, ...this.#ports.held()];
  }

  get count(): number {
    return this.#seat.conversation.messages.length + this.#ports.held().length;
  }

  /** The newest answer that says something; an aborted one without text does not. */
  lastAssistantText(): string | null {
    const last = this.#seat.conversation.messages.findLast(
      (message) => message.role === 'assistant' && textOf(message.content) !== '',
    );
    return last?.role === 'assistant' ? textOf(last.content) : null;
  }

  stats(): SessionStats {
    const { file, header } = this.#seat.conversation;
    return {
      ...(file === undefined ? {} : { sessionFile: file }),
      sessionId: header.id,
      ...countMessages(this.messages()),
    };
  }

  async startNew(options: { parentSession?: string | undefined }): Promise<{ cancelled: boolean }> {
    await this.#replace(() => this.#seat.sitDown(options));
    await this.#ports.arrive('new', undefined);
    return { cancelled: false };
  }

  async switchTo(path: string): Promise<{ cancelled: boolean }> {
    const { store } = this.#seat.options;
    const file = await store.locate(path);
    // The session that is open already holds its own lock; there is nothing to switch.
    if (file === this.#seat.conversation.file) {
      await this.#ports.leave();
      return { cancelled: false };
    }
    const resumed = await store.resume(file);
    await this.#goOn(resumed, resumed.name);
    return { cancelled: false };
  }

  async branch(entryId: string): Promise<{ text: string; cancelled: boolean }> {
    const { conversation, options, ports } = this.#seat;
    const { text, path, labels } = branchBefore(await conversation.all(), entryId);
    const parent = conversation.file;
    const now = new Date(ports.clock.now()).toISOString();
    const header = { ...conversation.header, id: ports.ids.uuid(), timestamp: now };
    if (parent !== undefined) header.parentSession = parent;
    const log = options.store.create(header);
    const copies: SessionEntry[] = [...path];
    for (const label of labels) {
      copies.push({
        type: 'label',
        id: ports.ids.entry(),
        parentId: copies.at(-1)?.id ?? null,
        timestamp: now,
        ...label,
      });
    }
    if (copies.length > 0) await log.append(copies);
    const name = nameOn(copies);
    await this.#goOn({ header, log, path: copies, leafId: copies.at(-1)?.id ?? null, name, damage: [] }, name);
    return { text, cancelled: false };
  }

  async branchPoints(): Promise<{ entryId: string; text: string }[]> {
    return branchPoints(await this.#seat.conversation.all());
  }

  async entries(since?: string): Promise<{ entries: SessionEntry[]; leafId: string | null }> {
    const all = await this.#seat.conversation.all();
    const at = since === undefined ? -1 : all.findIndex((entry) => entry.id === since);
    if (since !== undefined && at < 0) throw new Fault('not_found', `No entry has the id ${since}`);
    return { entries: all.slice(at + 1), leafId: this.#seat.conversation.leafId };
  }

  async tree(): Promise<{ tree: EntryTree[]; leafId: string | null }> {
    return { tree: treeOf(await this.#seat.conversation.all()), leafId: this.#seat.conversation.leafId };
  }

  async exportHtml(path?: string, options: { branchOnly?: boolean } = {}): Promise<{ path: string }> {
    const { conversation, ports, options: made } = this.#seat;
    const entries = await conversation.all();
    if (!entries.some((entry) => entry.type === 'message')) {
      throw new Fault('refused', 'Nothing to export yet - start a conversation first');
    }
    const { renderPage } = await import('../export/page.ts');
    const page = await renderPage({
      header: conversation.header,
      entries,
      leafId: conversation.leafId,
      name: this.#ports.name(),
      stats: countMessages(entries.flatMap(messageOf)),
      ...options,
    });
    const target = await freePath(ports.files, made.cwd, path, conversation.header.id);
    await ports.files.makeDirectory(target.slice(0, Math.max(target.lastIndexOf('/'), 1)));
    await ports.files.replace(target, new TextEncoder().encode(page), { mode: 0o600 });
    return { path: target };
  }

  async #goOn(resumed: ResumedSession, name: string | undefined): Promise<void> {
    await this.#replace(() => this.#seat.goOn(resumed));
    await this.#ports.arrive('resumed', name);
  }

  async #replace(sit: () => void): Promise<void> {
    await this.#ports.leave();
    const { conversation, artifacts } = this.#seat;
    await conversation.close();
    await artifacts.close();
    sit();
  }
}

/** A path that was asked for is used; without one, a name that nobody has taken yet. */
async function freePath(files: Files, cwd: string, wanted: string | undefined, id: string): Promise<string> {
  if (wanted !== undefined) return wanted.startsWith('/') ? wanted : `${cwd}/${wanted}`;
  for (let copy = 1; ; copy++) {
    const path = `${cwd}/parley-session-${id.slice(0, 8)}${copy > 1 ? `-${copy}` : ''}.html`;
    if (!(await files.info(path, { follow: false }))) return path;
  }
}

function nameOn(entries: readonly SessionEntry[]): string | undefined {
  return entries.findLast((entry) => entry.type === 'session_info' && entry.name)?.name as string | undefined;
}

// First floor, core: what has been said, and leaving one conversation for another.
import { Fault } from '../../base/index.ts';
import type { History, MoveOptions, SessionLog } from '../../contracts/index.ts';
import {
  type AgentMessage,
  type EntryTree,
  type SessionEntry,
  type SessionStats,
  textOf,
} from '../../protocol/index.ts';
import type { Branch } from '../tree/branching.ts';
import type { HistoryPorts } from './history-ports.ts';
import type { Seat } from './seat.ts';
import { countMessages } from './stats.ts';

type Line = Omit<Branch, 'text'>;

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
    return this.#seat.conversation.count + this.#ports.held().length;
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
    const { hooks, conversation } = this.#seat;
    if ((await hooks.beforeSwitch?.({ reason: 'new' }))?.cancel) return { cancelled: true };
    await this.#replace(() => this.#seat.sitDown(options));
    await this.#ports.arrive('new', undefined);
    await this.#tellOf('new', conversation.file);
    return { cancelled: false };
  }

  async switchTo(path: string): Promise<{ cancelled: boolean }> {
    const { options, hooks, conversation } = this.#seat;
    const empty = await options.store.emptyFile?.(path, options.cwd).catch(() => undefined);
    const file = empty?.exists ? empty.path : await options.store.locate(path, options.cwd);
    if ((await hooks.beforeSwitch?.({ reason: 'resume', targetSessionFile: file }))?.cancel) return { cancelled: true };
    // The session that is open already holds its own lock; there is nothing to switch.
    if (await this.#isOurs(file)) {
      await this.#ports.leave();
      return { cancelled: false };
    }
    if (empty?.exists) {
      await this.#replace(() => this.#seat.sitDown({ file }));
      await this.#ports.arrive('new', undefined);
    } else {
      const resumed = await options.store.resume(file);
      await this.#replace(() => this.#seat.goOn(resumed));
      await this.#ports.arrive('resumed', resumed.name);
    }
    await this.#tellOf('resume', conversation.file);
    return { cancelled: false };
  }

  async branch(entryId: string): Promise<{ text: string; cancelled: boolean }> {
    const { branchBefore } = await import('../tree/branching.ts');
    const { text, ...line } = branchBefore(await this.#seat.conversation.all(), entryId);
    return { text, cancelled: await this.#branchOff(entryId, line) };
  }

  async clone(): Promise<{ cancelled: boolean }> {
    const { leafId } = this.#seat.conversation;
    return { cancelled: await this.#branchOff(leafId ?? '', await this.#whole()) };
  }

  async #whole(): Promise<Line> {
    const { conversation } = this.#seat;
    const { branchAt } = await import('../tree/branching.ts');
    return branchAt(await conversation.all(), conversation.leafId);
  }

  /** Goes on in a new session that begins with this line. `true` when somebody objects. */
  async #branchOff(entryId: string, before: Line): Promise<boolean> {
    const { conversation, options, ports, hooks } = this.#seat;
    const { copyOf } = await import('./copy.ts');
    const verdict = await hooks.beforeBranch?.({ entryId });
    if (verdict?.cancel) return true;
    const { path, labels } = verdict?.keepsConversation ? await this.#whole() : before;
    const parent = conversation.file;
    const now = new Date(ports.clock.now()).toISOString();
    const header = { ...conversation.header, id: ports.ids.uuid(), timestamp: now };
    if (parent !== undefined) header.parentSession = parent;
    const about = labels.map((label) => ({ type: 'label' as const, ...label }));
    const copies = copyOf(path, about, { id: ports.ids.entry, timestamp: now });
    const log = await this.#written(options.store.create(header), copies);
    const name = nameOn(copies);
    const leafId = copies.at(-1)?.id ?? null;
    await this.#replace(() => this.#seat.goOn({ header, log, path: copies, leafId, name, damage: [] }));
    await this.#ports.arrive(leafId === null ? 'new' : 'resumed', name);
    await this.#tellOf('fork', parent);
    return false;
  }

  async moveTo(
    targetId: string,
    options: MoveOptions = {},
  ): Promise<{ cancelled: boolean; editorText?: string | undefined }> {
    const { moveTo } = await import('./moving.ts');
    return moveTo(this.#seat, this.#ports, targetId, options);
  }

  async branchPoints(): Promise<{ entryId: string; text: string }[]> {
    const { branchPoints } = await import('../tree/branching.ts');
    return branchPoints(await this.#seat.conversation.all());
  }

  async entries(since?: string): Promise<{ entries: SessionEntry[]; leafId: string | null }> {
    const all = await this.#seat.conversation.all();
    const at = since === undefined ? -1 : all.findIndex((entry) => entry.id === since);
    if (since !== undefined && at < 0)
      throw new Fault('not_found', `No entry has the id ${since}`, { details: { reason: 'unknown_since' } });
    return { entries: all.slice(at + 1), leafId: this.#seat.conversation.leafId };
  }

  async tree(): Promise<{ tree: EntryTree[]; leafId: string | null }> {
    const { treeOf } = await import('../tree/branching.ts');
    return { tree: treeOf(await this.#seat.conversation.all()), leafId: this.#seat.conversation.leafId };
  }

  async exportHtml(wanted?: string, options: { branchOnly?: boolean } = {}): Promise<{ path: string }> {
    // An empty path is what hosts send that name none.
    const path = wanted || undefined;
    const { conversation, ports, options: made } = this.#seat;
    const entries = await conversation.all();
    if (!entries.some((entry) => entry.type === 'message')) {
      throw new Fault('refused', 'Nothing to export yet - start a conversation first');
    }
    const { freePage, pageAt } = await import('./page-file.ts');
    if (path !== undefined && (await this.#isOurs(pageAt(ports.files, made.cwd, path).path))) {
      throw new Fault('refused', `The page cannot take the place of the session itself: ${path}`);
    }
    const { renderSession } = await import('../export/session-page.ts');
    const { header, leafId } = conversation;
    const session = { header, entries, leafId, name: this.#ports.name(), ...options };
    const page = await renderSession(session, ports.renderMarkup);
    const { files } = ports;
    const target =
      path === undefined ? await freePage(files, made.cwd, conversation.header.id) : pageAt(files, made.cwd, path);
    await target.write(page);
    return { path: target.path };
  }

  async #tellOf(reason: 'new' | 'resume' | 'fork', previousSessionFile: string | undefined): Promise<void> {
    await this.#seat.hooks.observe?.({ type: 'session_start', reason, previousSessionFile });
  }

  /** Whether a path leads to the log that is open, by whatever links. */
  async #isOurs(path: string): Promise<boolean> {
    const { file } = this.#seat.conversation;
    const { files } = this.#seat.ports;
    return file !== undefined && (await files.resolve(path)) === (await files.resolve(file));
  }

  /** A new log with these entries; when the disk refuses them, nothing of it is left. */
  async #written(log: SessionLog, entries: readonly SessionEntry[]): Promise<SessionLog> {
    try {
      await log.append(entries);
      return log;
    } catch (refusal) {
      await log.close();
      throw refusal;
    }
  }

  async #replace(sit: () => void): Promise<void> {
    await this.#ports.leave();
    await this.#ports.endCommands();
    await this.#ports.remember();
    const { conversation, artifacts } = this.#seat;
    await conversation.close();
    await artifacts.close();
    sit();
  }
}

function nameOn(entries: readonly SessionEntry[]): string | undefined {
  return entries.findLast((entry) => entry.type === 'session_info' && entry.name)?.name as string | undefined;
}

// First floor, core: the entries of one conversation and where it stands. Knows the log, not what the entries are for.
import { asFault, type Fault } from '../../base/index.ts';
import type { Clock, Digest, Ids, ResumedSession, SessionLog, SketchedEntry } from '../../contracts/index.ts';
import type { AgentMessage, EntryBody, SessionEntry, SessionHeader } from '../../protocol/index.ts';
import { countOf, firstKept, isDigest, messageOf, messagesOf } from './context-path.ts';
import { freshIds } from './fresh-id.ts';

export interface ConversationPorts {
  clock: Clock;
  ids: Ids;
  /** Told when an entry could not be kept, and when everything is on disk again. */
  onStorage(problem: Fault | undefined): void;
  /** Told when what was said earlier has been read from the log. */
  onRead?(): void;
  /** Told of entries as they take their place. */
  onEntries?(entries: readonly SessionEntry[]): void;
}

type Resumed = Pick<ResumedSession, 'path' | 'sketch' | 'leafId'>;

/** The part of the line that counts. */
interface Line {
  /** From the first entry that the newest compaction kept, or from the root, to the leaf. */
  path: SessionEntry[];
  messages: AgentMessage[];
}

interface Remembering {
  /** Nothing will be added any more. */
  readonly isEnd: boolean;
  readonly name: string | undefined;
  digest(sketch: readonly SketchedEntry[]): Promise<Digest | undefined>;
}

/** A line of entries, each with the one before as its parent. Appends are written one after another. */
export class Conversation {
  readonly header: SessionHeader;
  readonly log: SessionLog;
  readonly #ports: ConversationPorts;
  readonly #resumed: Resumed;
  /** Read when somebody asks what was said; absent until then. */
  #line: Line | undefined;
  /** What was added before the rest was read. */
  #added: SessionEntry[] = [];
  /** Gives ids that nobody has. Made with the first new entry. */
  #freshId: (() => string) | undefined;
  #leaf: string | null;
  /** Entries that belong to the line but are not on disk yet: the opening ones, and those that the disk refused. */
  #unsaved: SessionEntry[] = [];
  #failing = false;
  #tail: Promise<unknown> = Promise.resolve();

  constructor(
    header: SessionHeader,
    log: SessionLog,
    ports: ConversationPorts,
    resumed: Resumed = { path: [], leafId: null },
  ) {
    this.header = header;
    this.log = log;
    this.#ports = ports;
    this.#resumed = resumed;
    this.#leaf = resumed.leafId;
  }

  get file(): string | undefined {
    return this.log.file;
  }

  get messages(): readonly AgentMessage[] {
    return this.#read().messages;
  }

  /** How many messages there are; does not read them. */
  get count(): number {
    if (this.#line) return this.#line.messages.length;
    return countOf(this.sketch);
  }

  /** The path, with what nobody has asked for yet still unread. */
  get sketch(): readonly SketchedEntry[] {
    return this.#line?.path ?? [...(this.#resumed.sketch ?? this.#resumed.path), ...this.#added];
  }

  get path(): readonly SessionEntry[] {
    return this.#read().path;
  }

  get leafId(): string | null {
    return this.#leaf;
  }

  /** Adds entries that need not be safe yet; they go to disk with the next ones that must be. */
  note(bodies: readonly EntryBody[]): void {
    const entries = bodies.map((body) => this.#place(body));
    this.#unsaved.push(...entries);
    this.#remember(entries);
  }

  /** Adds entries and resolves when they are on disk. When the disk refuses, nothing has been added and it throws. */
  commit(bodies: readonly EntryBody[]): Promise<readonly SessionEntry[]> {
    return this.#inTurn(async () => {
      if (bodies.length === 0) return [];
      const leaf = this.#leaf;
      const entries = bodies.map((body) => this.#place(body));
      try {
        await this.#save(entries);
      } catch (problem) {
        this.#leaf = leaf;
        throw problem;
      }
      this.#remember(entries);
      return entries;
    });
  }

  /** Adds entries that already happened. When the disk refuses they wait in memory and are tried again with the next. */
  record(bodies: readonly EntryBody[]): Promise<void> {
    return this.#inTurn(async () => {
      const entries = bodies.map((body) => this.#place(body));
      this.#remember(entries);
      try {
        await this.#save(entries);
      } catch {
        this.#unsaved.push(...entries);
      }
    });
  }

  /** Every entry there is, on every branch. In turn, so that none is on its way to the disk meanwhile. */
  all(): Promise<readonly SessionEntry[]> {
    return this.#inTurn(async () => [...(await this.log.readAll()), ...this.#unsaved]);
  }

  /** Goes to where this line ends. What is said next follows it. */
  stand(line: readonly SessionEntry[]): Promise<void> {
    return this.#inTurn(async () => {
      this.#leaf = line.at(-1)?.id ?? null;
      const path = line.slice(firstKept(line));
      this.#line = { path, messages: messagesOf(path) };
    });
  }

  /**
   * Has the log keep what the next one to go on with it needs to know, unless that is known. What is being added to is left
   * alone until the end.
   */
  remember({ isEnd, name, digest }: Remembering): Promise<void> {
    return this.#inTurn(async () => {
      const leafId = this.#leaf;
      const isOld = leafId === this.#resumed.leafId;
      if (leafId === null || this.#unsaved.length > 0) return;
      if (isOld ? this.#resumed.sketch?.some(isDigest) : !isEnd) return;
      await this.log.remember?.(async () => {
        const found = await digest(this.sketch);
        return found && { leafId, name, digest: found };
      });
    }).catch(() => {});
  }

  async close(): Promise<void> {
    await this.#tail;
    // Opening entries alone are not worth a file; refused ones get a last chance.
    if (this.#failing) await this.#save([]).catch(() => {});
    await this.log.close();
  }

  async #save(entries: readonly SessionEntry[]): Promise<void> {
    const all = [...this.#unsaved, ...entries];
    try {
      await this.log.append(all);
    } catch (thrown) {
      const fault = asFault(thrown);
      if (!this.#failing) this.#ports.onStorage(fault);
      this.#failing = true;
      throw fault;
    }
    this.#unsaved = [];
    if (this.#failing) this.#ports.onStorage(undefined);
    this.#failing = false;
  }

  #read(): Line {
    if (this.#line) return this.#line;
    const path = [...this.#resumed.path, ...this.#added];
    this.#line = { path, messages: messagesOf(path) };
    this.#ports.onRead?.();
    return this.#line;
  }

  #place(body: EntryBody): SessionEntry {
    const { type, ...rest } = body;
    this.#freshId ??= freshIds(this.#ids(), () => this.#ports.ids.entry());
    const placed = {
      type,
      id: this.#freshId(),
      parentId: this.#leaf,
      timestamp: new Date(this.#ports.clock.now()).toISOString(),
      ...rest,
    } as SessionEntry;
    this.#leaf = placed.id;
    return placed;
  }

  /** A digest does not say them, and a compaction after it cannot do without what it stands for. */
  #ids(): string[] {
    const { sketch } = this;
    const known = sketch.flatMap((entry) => (isDigest(entry) ? [] : entry.id));
    return known.length === sketch.length ? known : this.path.map(({ id }) => id);
  }

  #remember(entries: readonly SessionEntry[]): void {
    this.#ports.onEntries?.(entries);
    if (!this.#line) {
      this.#added.push(...entries);
      return;
    }
    const { path, messages } = this.#line;
    path.push(...entries);
    if (!entries.some((entry) => entry.type === 'compaction')) {
      messages.push(...entries.flatMap(messageOf));
      return;
    }
    // What the model is not given any more is in the log, and need not be in memory.
    const kept = path.slice(firstKept(path));
    this.#line = { path: kept, messages: messagesOf(kept) };
  }

  #inTurn<T>(act: () => Promise<T>): Promise<T> {
    const mine = this.#tail.then(act);
    this.#tail = mine.catch(() => {});
    return mine;
  }
}

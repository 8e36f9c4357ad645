// The current path of a session: appends entries, stores them in the log, and loads earlier entries on demand.
import { type Fault, getFaultReason, toFault } from '../../base/index.ts';
import type { Clock, Digest, IdGenerator, LazyPathEntry, ResumedSession, SessionLog } from '../../contracts/index.ts';
import type { AgentMessage, EntryBody, SessionEntry, SessionHeader } from '../../protocol/index.ts';
import {
  buildContextMessages,
  countContextMessages,
  entryToMessages,
  findFirstKeptIndex,
  isDigest,
} from './context-path.ts';
import { createIdGenerator } from './id-generator.ts';

export interface ConversationPorts {
  clock: Clock;
  ids: IdGenerator;
  /** Called when an entry could not be stored, and with `undefined` when all entries are on disk again. */
  onStorageStatus(problem: Fault | undefined): void;
  /** Called when the entries of the resumed session have been read from the log. */
  onRead?(): void;
  /** Called when entries are added to the path. */
  onEntries?(entries: readonly SessionEntry[]): void;
}

type ResumedPath = Pick<ResumedSession, 'path' | 'lazyPath' | 'leafId'>;

/** The part of the path that is in the model's context. */
interface LoadedPath {
  /** From the first entry that the newest compaction kept, or from the root, to the leaf. */
  path: SessionEntry[];
  messages: AgentMessage[];
}

interface DigestRequest {
  /** No more entries will be added. */
  readonly isClosing: boolean;
  readonly name: string | undefined;
  createDigest(path: readonly LazyPathEntry[]): Promise<Digest | undefined>;
}

/** A function is called when all earlier entries are on the path. */
export type PlannedEntries = readonly EntryBody[] | (() => readonly EntryBody[]);

function planEntries(planned: PlannedEntries): readonly EntryBody[] {
  return typeof planned === 'function' ? planned() : planned;
}

/** Another process has taken the log over. */
function isLost(fault: Fault): boolean {
  return getFaultReason(fault) === 'lease_lost';
}

/** A path of entries; the parent of each entry is the one before it. Writes run one after another. */
export class Conversation {
  readonly header: SessionHeader;
  readonly log: SessionLog;
  readonly #ports: ConversationPorts;
  readonly #resumedPath: ResumedPath;
  /** Undefined until the entries are read for the first time. */
  #loaded: LoadedPath | undefined;
  /** Entries that were added before the resumed path was loaded. */
  #addedBeforeLoad: SessionEntry[] = [];
  /** Generates unique entry ids. Created with the first new entry. */
  #nextId: (() => string) | undefined;
  #leafId: string | null;
  /** Entries of the path that are not on disk yet: deferred ones, and ones whose write failed. */
  #unsaved: SessionEntry[] = [];
  /** Why the last write failed. */
  #problem: Fault | undefined;
  #queueTail: Promise<unknown> = Promise.resolve();
  #queuedTasks = 0;

  constructor(
    header: SessionHeader,
    log: SessionLog,
    ports: ConversationPorts,
    resumedPath: ResumedPath = { path: [], leafId: null },
  ) {
    this.header = header;
    this.log = log;
    this.#ports = ports;
    this.#resumedPath = resumedPath;
    this.#leafId = resumedPath.leafId;
  }

  get file(): string | undefined {
    return this.log.file;
  }

  get messages(): readonly AgentMessage[] {
    return this.#load().messages;
  }

  /** Does not read the messages. */
  get messageCount(): number {
    return this.#loaded?.messages.length ?? countContextMessages(this.lazyPath);
  }

  /** The path without loading it: may contain unread messages and digests. */
  get lazyPath(): readonly LazyPathEntry[] {
    return this.#loaded?.path ?? [...(this.#resumedPath.lazyPath ?? this.#resumedPath.path), ...this.#addedBeforeLoad];
  }

  get path(): readonly SessionEntry[] {
    return this.#load().path;
  }

  get leafId(): string | null {
    return this.#leafId;
  }

  /**
   * Adds entries without writing them. They are written together with the next entries that are stored. During a write they are
   * added after it: their parent must not be an entry whose write may fail.
   */
  appendDeferred(bodies: readonly EntryBody[]): void {
    const append = () => {
      const entries = bodies.map((body) => this.#createEntry(body));
      this.#unsaved.push(...entries);
      this.#addToPath(entries);
    };
    if (this.#queuedTasks === 0) append();
    else void this.#runInOrder(async () => append());
  }

  /** Set when another process writes to the log. Then nothing can be stored any more. */
  get lossReason(): string | undefined {
    return this.#problem && isLost(this.#problem) ? this.#problem.message : undefined;
  }

  /** Adds entries and resolves when they are on disk. If the write fails, nothing is added and the promise rejects. */
  commit(planned: PlannedEntries): Promise<readonly SessionEntry[]> {
    return this.#runInOrder(async () => {
      const bodies = planEntries(planned);
      if (bodies.length === 0) return [];
      const leaf = this.#leafId;
      const entries = bodies.map((body) => this.#createEntry(body));
      try {
        await this.#save(entries);
      } catch (problem) {
        this.#leafId = leaf;
        throw problem;
      }
      this.#addToPath(entries);
      return entries;
    });
  }

  /** Adds entries for events that already happened. If the write fails they stay in memory and are written with the next entries. */
  record(planned: PlannedEntries): Promise<void> {
    return this.#runInOrder(async () => {
      const bodies = planEntries(planned);
      if (bodies.length === 0 && typeof planned === 'function') return;
      const entries = bodies.map((body) => this.#createEntry(body));
      this.#addToPath(entries);
      try {
        await this.#save(entries);
      } catch {
        this.#unsaved.push(...entries);
      }
    });
  }

  /** Writes the deferred entries. A new session gets its file. */
  flush(): Promise<void> {
    return this.#runInOrder(async () => {
      if (this.#unsaved.length > 0) await this.#save([]);
    });
  }

  /** All entries on all branches. Waits for pending writes, so that no entry is missing. */
  readAll(): Promise<readonly SessionEntry[]> {
    return this.#runInOrder(async () => [...(await this.log.readAll()), ...this.#unsaved]);
  }

  /** Makes `newPath` the current path. New entries are appended to its last entry. */
  moveToPath(newPath: readonly SessionEntry[]): Promise<void> {
    return this.#runInOrder(async () => {
      this.#leafId = newPath.at(-1)?.id ?? null;
      const path = newPath.slice(findFirstKeptIndex(newPath));
      this.#loaded = { path, messages: buildContextMessages(path) };
    });
  }

  /**
   * Writes a digest of the session into the log, unless there is one already. A session that has new entries gets its digest only
   * when it closes.
   */
  saveDigest({ isClosing, name, createDigest }: DigestRequest): Promise<void> {
    return this.#runInOrder(async () => {
      const leafId = this.#leafId;
      const isUnchanged = leafId === this.#resumedPath.leafId;
      if (leafId === null || this.#unsaved.length > 0) return;
      if (isUnchanged ? this.#resumedPath.lazyPath?.some(isDigest) : !isClosing) return;
      await this.log.writeDigest?.(async () => {
        const digest = await createDigest(this.lazyPath);
        return digest && { leafId, name, digest };
      });
    }).catch(() => {});
  }

  async close(): Promise<void> {
    await this.#queueTail;
    // Deferred entries alone do not create a file. Entries whose write failed are tried once more.
    if (this.#problem) await this.#save([]).catch(() => {});
    await this.log.close();
  }

  async #save(entries: readonly SessionEntry[]): Promise<void> {
    const problem = this.#problem;
    if (problem && isLost(problem)) throw problem;
    try {
      await this.log.append([...this.#unsaved, ...entries]);
    } catch (thrown) {
      this.#problem = toFault(thrown);
      // The loss of the log is reported also after another problem.
      if (!problem || isLost(this.#problem)) this.#ports.onStorageStatus(this.#problem);
      throw this.#problem;
    }
    this.#unsaved = [];
    this.#problem = undefined;
    if (problem) this.#ports.onStorageStatus(undefined);
  }

  #load(): LoadedPath {
    if (this.#loaded) return this.#loaded;
    const path = [...this.#resumedPath.path, ...this.#addedBeforeLoad];
    this.#loaded = { path, messages: buildContextMessages(path) };
    this.#ports.onRead?.();
    return this.#loaded;
  }

  #createEntry(body: EntryBody): SessionEntry {
    const { type, ...rest } = body;
    this.#nextId ??= createIdGenerator(this.#listKnownIds(), () => this.#ports.ids.entryId());
    const entry = {
      type,
      id: this.#nextId(),
      parentId: this.#leafId,
      timestamp: new Date(this.#ports.clock.now()).toISOString(),
      ...rest,
    } as SessionEntry;
    this.#leafId = entry.id;
    return entry;
  }

  /** A digest does not contain the ids of its entries, so the whole path is loaded. A compaction after a digest needs its entries too. */
  #listKnownIds(): string[] {
    const { lazyPath } = this;
    const known = lazyPath.flatMap((entry) => (isDigest(entry) ? [] : entry.id));
    return known.length === lazyPath.length ? known : this.path.map(({ id }) => id);
  }

  #addToPath(entries: readonly SessionEntry[]): void {
    this.#ports.onEntries?.(entries);
    if (!this.#loaded) {
      this.#addedBeforeLoad.push(...entries);
      return;
    }
    const { path, messages } = this.#loaded;
    path.push(...entries);
    if (!entries.some((entry) => entry.type === 'compaction')) {
      messages.push(...entries.flatMap(entryToMessages));
      return;
    }
    // Entries before the first kept one are in the log and need no memory here.
    const contextPath = path.slice(findFirstKeptIndex(path));
    this.#loaded = { path: contextPath, messages: buildContextMessages(contextPath) };
  }

  #runInOrder<T>(task: () => Promise<T>): Promise<T> {
    this.#queuedTasks++;
    const result = this.#queueTail.then(task).finally(() => {
      this.#queuedTasks--;
    });
    this.#queueTail = result.catch(() => {});
    return result;
  }
}

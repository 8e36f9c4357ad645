// First floor, core: what the facets of one session share. The conversation is replaced when a new one is started.
import type { Fault } from '../../base/index.ts';
import type { Hooks, Kept, Ports, ResumedSession, SessionLog } from '../../contracts/index.ts';
import { SESSION_VERSION, type SessionEntry, type SessionHeader } from '../../protocol/index.ts';
import { combineHooks } from '../hooks/combine.ts';
import { Conversation } from '../tree/conversation.ts';
import { type ArtifactShelf, createArtifactShelf } from './artifacts.ts';
import { type Broadcast, createBroadcast } from './broadcast.ts';
import { createKept } from './kept.ts';
import type { SessionOptions } from './options.ts';

interface NewSession {
  parentSession?: string | undefined;
  id?: string | undefined;
  /** Empty or absent; the store names one otherwise. */
  file?: string | undefined;
}

export class Seat {
  readonly ports: Ports;
  readonly options: SessionOptions;
  readonly broadcast: Broadcast;
  readonly hooks: Hooks;
  readonly watchers = new Set<(entries: readonly SessionEntry[]) => void>();
  conversation!: Conversation;
  artifacts!: ArtifactShelf;
  kept!: Kept;

  constructor(options: SessionOptions) {
    this.options = options;
    this.ports = options.ports;
    this.hooks = combineHooks(options.hooks ?? []);
    this.broadcast = createBroadcast((thrown) => this.ports.log('listener failed', { error: String(thrown) }));
    if (options.resumed) this.goOn(options.resumed);
    else this.sitDown({ id: options.id, file: options.file });
  }

  /** Takes a fresh conversation. Nothing is written before something is worth keeping. */
  sitDown(options: NewSession): void {
    const { clock, ids } = this.ports;
    const header = {
      type: 'session' as const,
      version: SESSION_VERSION,
      id: options.id ?? ids.uuid(),
      timestamp: new Date(clock.now()).toISOString(),
      cwd: this.options.cwd,
      ...(options.parentSession === undefined ? {} : { parentSession: options.parentSession }),
    };
    this.#take(header, this.options.store.create(header, options.file));
  }

  /** Takes a conversation that was begun earlier. */
  goOn(resumed: ResumedSession): void {
    this.#take(resumed.header, resumed.log, resumed);
    this.#tellDamage(resumed);
  }

  /** What was passed over, once: some of it is found when the log is opened, some when it is read. */
  #tellDamage({ damage }: ResumedSession, told = 0): void {
    for (const { offset, message } of damage.slice(told)) {
      void this.broadcast.emit({ type: 'notice', level: 'warning', message, source: 'storage', offset });
    }
  }

  #take(header: SessionHeader, log: SessionLog, resumed?: ResumedSession): void {
    const { clock, ids, files } = this.ports;
    const onStorage = (problem: Fault | undefined) =>
      void this.broadcast.emit(
        problem
          ? { type: 'notice', level: 'error', message: problem.message, source: 'storage' }
          : { type: 'notice', level: 'info', message: 'The session is on disk again.', source: 'storage' },
      );
    const told = resumed?.damage.length;
    const onRead = () => void (resumed && this.#tellDamage(resumed, told));
    const onEntries = (entries: readonly SessionEntry[]) => {
      for (const watch of this.watchers) watch(entries);
    };
    this.conversation = new Conversation(header, log, { clock, ids, onStorage, onRead, onEntries }, resumed);
    this.artifacts = createArtifactShelf(files, log.file);
    this.kept = createKept(files, log.file, this.artifacts);
  }
}

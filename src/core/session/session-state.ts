// State shared by the facets of a session. The conversation is replaced when another one is started or resumed.
import type { Fault } from '../../base/index.ts';
import type { Hooks, Ports, ResumedSession, SessionLog, SidecarFiles } from '../../contracts/index.ts';
import { SESSION_VERSION, type SessionEntry, type SessionHeader } from '../../protocol/index.ts';
import { combineHooks } from '../hooks/combine-hooks.ts';
import { Conversation } from '../tree/conversation.ts';
import { type ArtifactStore, createArtifactStore } from './artifact-store.ts';
import { type Broadcast, createBroadcast } from './broadcast.ts';
import type { SessionOptions } from './session-options.ts';
import { createSidecarFiles } from './sidecar-files.ts';

interface NewSessionOptions {
  parentSession?: string | undefined;
  id?: string | undefined;
  /** An empty file or a path that does not exist. If omitted, the store chooses a path. */
  file?: string | undefined;
  /** The directory of the new file. Default: that of the store. */
  directory?: string | undefined;
}

export class SessionState {
  readonly ports: Ports;
  readonly options: SessionOptions;
  readonly broadcast: Broadcast;
  readonly hooks: Hooks;
  readonly entryListeners = new Set<(entries: readonly SessionEntry[]) => void>();
  /** Called when another process has taken the log over. */
  onLost = () => {};
  conversation!: Conversation;
  artifacts!: ArtifactStore;
  sidecarFiles!: SidecarFiles;

  constructor(options: SessionOptions) {
    this.options = options;
    this.ports = options.ports;
    this.hooks = combineHooks(options.hooks ?? []);
    this.broadcast = createBroadcast((thrown) => this.ports.log('listener failed', { error: String(thrown) }));
    if (options.resumed) this.resume(options.resumed);
    else this.startNew({ id: options.id, file: options.file });
  }

  /** Starts a new conversation. Its file is created with the first entry that must be stored. */
  startNew(options: NewSessionOptions): void {
    const { clock, ids } = this.ports;
    const header = {
      type: 'session' as const,
      version: SESSION_VERSION,
      id: options.id ?? ids.uuid(),
      timestamp: new Date(clock.now()).toISOString(),
      cwd: this.options.cwd,
      ...(options.parentSession === undefined ? {} : { parentSession: options.parentSession }),
    };
    this.#setConversation(header, this.options.store.create(header, options.file, options.directory));
  }

  resume(resumed: ResumedSession): void {
    this.#setConversation(resumed.header, resumed.log, resumed);
    this.#reportDamage(resumed);
  }

  /** Reports each damaged part of the log once. Some are found when the log is opened, others when it is read. */
  #reportDamage({ damage }: ResumedSession, reportedCount = 0): void {
    for (const { offset, message } of damage.slice(reportedCount)) {
      void this.broadcast.emit({ type: 'notice', level: 'warning', message, source: 'storage', offset });
    }
  }

  #setConversation(header: SessionHeader, log: SessionLog, resumed?: ResumedSession): void {
    const { clock, ids, files } = this.ports;
    const onStorageStatus = (problem: Fault | undefined) => {
      void this.broadcast.emit(
        problem
          ? { type: 'notice', level: 'error', message: problem.message, source: 'storage' }
          : {
              type: 'notice',
              level: 'info',
              message: 'The session file can be written again. All entries are saved.',
              source: 'storage',
            },
      );
      if (this.conversation.lossReason !== undefined) this.onLost();
    };
    const reportedCount = resumed?.damage.length;
    const onRead = () => void (resumed && this.#reportDamage(resumed, reportedCount));
    const onEntries = (entries: readonly SessionEntry[]) => {
      for (const notify of this.entryListeners) notify(entries);
    };
    this.conversation = new Conversation(header, log, { clock, ids, onStorageStatus, onRead, onEntries }, resumed);
    this.artifacts = createArtifactStore(files, log.directory);
    this.sidecarFiles = createSidecarFiles(files, log.directory, this.artifacts);
  }
}

// First floor, core: what the facets of one session share. The conversation is replaced when a new one is started.
import type { Ports } from '../../contracts/index.ts';
import { SESSION_VERSION } from '../../protocol/index.ts';
import { Conversation } from '../tree/conversation.ts';
import { type ArtifactShelf, createArtifactShelf } from './artifacts.ts';
import { type Broadcast, createBroadcast } from './broadcast.ts';
import type { SessionOptions } from './options.ts';

export class Seat {
  readonly ports: Ports;
  readonly options: SessionOptions;
  readonly broadcast: Broadcast;
  conversation!: Conversation;
  artifacts!: ArtifactShelf;

  constructor(options: SessionOptions) {
    this.options = options;
    this.ports = options.ports;
    this.broadcast = createBroadcast((thrown) => this.ports.log('listener failed', { error: String(thrown) }));
    this.sitDown({});
  }

  /** Takes a fresh conversation. Nothing is written before something is worth keeping. */
  sitDown(options: { parentSession?: string | undefined }): void {
    const { clock, ids, files } = this.ports;
    const header = {
      type: 'session' as const,
      version: SESSION_VERSION,
      id: ids.uuid(),
      timestamp: new Date(clock.now()).toISOString(),
      cwd: this.options.cwd,
      ...(options.parentSession === undefined ? {} : { parentSession: options.parentSession }),
    };
    const log = this.options.store.create(header);
    this.conversation = new Conversation(header, log, {
      clock,
      ids,
      onStorage: (problem) =>
        void this.broadcast.emit(
          problem
            ? { type: 'notice', level: 'error', message: problem.message, source: 'storage' }
            : { type: 'notice', level: 'info', message: 'The session is on disk again.', source: 'storage' },
        ),
    });
    this.artifacts = createArtifactShelf(files, log.file);
  }
}

// `ctx.sessionManager`: synchronous read-only view of the session log.
import type { AgentSession } from '../../contracts/index.ts';
import type { SessionEntry } from '../../protocol/index.ts';
import { buildContextMessages } from '../tree/context-path.ts';
import { SessionLogReader } from './session-log-reader.ts';

/** Caches all entries of the log. Created only when there is an extension, because it needs as much memory as the history. */
export class SessionLogView extends SessionLogReader {
  readonly #session: AgentSession;
  #entries: SessionEntry[] = [];
  #sessionId = '';

  constructor(session: AgentSession) {
    super();
    this.#session = session;
    session.entries.subscribe((entries) => this.#entries.push(...entries));
  }

  /** Reads the whole log. Needed at the start and after a change of the session. */
  async refresh(): Promise<void> {
    const { entries } = await this.#session.history.entries();
    this.#entries = [...entries];
    this.#sessionId = this.#session.id;
  }

  /** After a session change, the cached entries belong to the old session until `refresh` has finished. */
  protected get allEntries(): readonly SessionEntry[] {
    return this.#sessionId === this.#session.id ? this.#entries : this.#session.entries.path;
  }

  readonly getCwd = (): string => this.#session.cwd;
  readonly getSessionId = (): string => this.#session.id;
  readonly getSessionFile = (): string | undefined => this.#session.file;
  readonly getSessionDir = (): string => this.#session.file?.replace(/[/\\][^/\\]*$/, '') ?? '';
  readonly getSessionName = (): string | undefined => this.#session.naming.name;
  readonly getHeader = () => this.#session.header;
  readonly isPersisted = (): boolean => this.#session.file !== undefined;
  readonly getLeafId = (): string | null => this.#session.entries.leafId;

  readonly buildSessionContext = () => {
    const { current, thinkingLevel } = this.#session.models;
    const model = current && { provider: current.provider, modelId: current.id };
    return { messages: buildContextMessages(this.getBranch()), thinkingLevel, model };
  };
}

// First floor, core: `ctx.sessionManager`, the session log as extensions read it: at once, without waiting. Changes nothing.
import type { AgentSession } from '../../contracts/index.ts';
import type { SessionEntry } from '../../protocol/index.ts';
import { messagesOf } from '../tree/context-path.ts';
import { LogReading } from './log-reading.ts';

/** Everything that was ever written, kept up to date. Exists only where an extension does: it costs what the history costs. */
export class LogView extends LogReading {
  readonly #session: AgentSession;
  #entries: SessionEntry[] = [];
  #sessionId = '';

  constructor(session: AgentSession) {
    super();
    this.#session = session;
    session.entries.watch((entries) => this.#entries.push(...entries));
  }

  /** Reads the log anew: another conversation is in place, or none was read yet. */
  async refresh(): Promise<void> {
    const { entries } = await this.#session.history.entries();
    this.#entries = [...entries];
    this.#sessionId = this.#session.id;
  }

  /** What of another conversation is still here does not count. */
  protected get all(): readonly SessionEntry[] {
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
    return { messages: messagesOf(this.getBranch()), thinkingLevel, model };
  };
}

// The workspace of a session whose files cannot be restored: the session can be read, and waits until they can.
import { Fault, getErrorMessage } from '../../../base/index.ts';
import type { AgentSession, Cancel, Clock, Hooks } from '../../../contracts/index.ts';
import type { SessionWorkspace } from '../../session-pool/session-workspaces.ts';

export interface WaitingWorkspaceOptions {
  readonly clock: Clock;
  readonly sessionId: string;
  /** An empty directory. */
  readonly cwd: string;
  readonly reason: Fault;
  /** Rejects while the files cannot be restored. */
  restore(): Promise<void>;
  /** The files are there. The session must be opened again. */
  onRestored(session: AgentSession): void;
}

export const UNAVAILABLE = 'workspace_unavailable';
const FIRST_DELAY_MS = 1000;
const MAX_DELAY_MS = 30_000;

export class WaitingWorkspace implements SessionWorkspace {
  readonly hooks: Hooks;
  readonly #options: WaitingWorkspaceOptions;
  #cancel: Cancel = () => {};
  #isClosed = false;
  #restoring: Promise<void> = Promise.resolve();

  constructor(options: WaitingWorkspaceOptions) {
    this.#options = options;
    const refuse = async () => {
      throw options.reason;
    };
    this.hooks = { beforeAccept: refuse, shell: refuse, beforeSwitch: refuse, beforeBranch: refuse };
  }

  get sessionId(): string {
    return this.#options.sessionId;
  }

  get cwd(): string {
    return this.#options.cwd;
  }

  async attach(session: AgentSession): Promise<void> {
    session.notify({ level: 'error', message: this.#options.reason.message, source: 'workspace' });
    this.#plan(session, FIRST_DELAY_MS);
  }

  #plan(session: AgentSession, delayMs: number): void {
    if (this.#isClosed) return;
    const { clock, restore, onRestored } = this.#options;
    this.#cancel = clock.after(delayMs, () => {
      this.#restoring = restore().then(
        () => {
          if (!this.#isClosed) onRestored(session);
        },
        () => this.#plan(session, Math.min(2 * delayMs, MAX_DELAY_MS)),
      );
    });
  }

  async close(): Promise<void> {
    await this.discard();
    // It would be removed by the next one who restores it.
    await this.#restoring;
  }

  async discard(): Promise<void> {
    this.#isClosed = true;
    this.#cancel();
  }
}

export interface MissingFiles {
  readonly repository: string;
  readonly remote: string;
  readonly commit: string;
}

export function createUnavailableFault({ repository, remote, commit }: MissingFiles, cause: unknown): Fault {
  const where = repository === remote ? '' : `, which is saved on ${remote}`;
  const message = `The session waits: its files cannot be restored from commit ${commit} of ${repository}${where}: ${getErrorMessage(cause)}. Make that repository reachable for this node; the session then continues. It can be read meanwhile.`;
  return new Fault('refused', message, { details: { reason: UNAVAILABLE, repository, remote, commit }, cause });
}

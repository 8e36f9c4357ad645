// The workspace of an open session: saves the work in progress on the remote after each turn that can have changed files.
import { Fault, getErrorMessage, getFaultReason } from '../../../base/index.ts';
import type { AgentSession, Hooks, Ports } from '../../../contracts/index.ts';
import type { AgentEvent } from '../../../protocol/index.ts';
import { notifyOnFirstRun } from '../../session-pool/notify-on-first-run.ts';
import type { SessionWorkspace } from '../../session-pool/session-workspaces.ts';
import type { ControlRepository } from './control-repository.ts';
import type { LocalPlaces } from './local-places.ts';
import type { WorkingCopy } from './working-copy.ts';
import { serializeFacts, WORKSPACE_FILE, type WorkspaceFacts } from './workspace-facts.ts';

export interface OpenWorkspaceOptions {
  readonly ports: Pick<Ports, 'clock' | 'log'>;
  readonly places: LocalPlaces;
  readonly control: ControlRepository;
  readonly copy: WorkingCopy;
  readonly sessionId: string;
  readonly cwd: string;
  readonly facts: WorkspaceFacts;
  /** As the facts are stored. Absent for a new session. */
  readonly stored?: string | undefined;
  /** For the model: the files were restored on this machine. */
  readonly restoration?: string | undefined;
  /** For the user. */
  readonly warning?: string | undefined;
  getRef(snapshot: string): string;
  onClosed(): void;
}

/** How long a run waits for the remote after a turn. */
const MAX_WAIT_MS = 30_000;

export class OpenWorkspace implements SessionWorkspace {
  readonly #options: OpenWorkspaceOptions;
  readonly hooks: Hooks;
  #facts: WorkspaceFacts;
  #stored: string | undefined;
  #session: AgentSession | undefined;
  /** The tools that were called in the current turn. */
  readonly #calledTools = new Set<string>();
  #isDirty = false;
  #failure: string | undefined;
  #saving: Promise<void> = Promise.resolve();

  constructor(options: OpenWorkspaceOptions) {
    this.#options = options;
    this.#facts = options.facts;
    this.#stored = options.stored;
    this.hooks = createWorkspaceHooks(() => {
      this.#isDirty = true;
    });
  }

  get sessionId(): string {
    return this.#options.sessionId;
  }

  get cwd(): string {
    return this.#options.cwd;
  }

  get facts(): WorkspaceFacts {
    return this.#facts;
  }

  async attach(session: AgentSession): Promise<void> {
    const { places, sessionId, restoration, warning, stored } = this.#options;
    // The session is found by its log.
    await session.entries.flush();
    if (stored !== undefined && (await session.sidecarFiles.read(WORKSPACE_FILE)) !== stored)
      throw new Fault('busy', `Session ${sessionId} was used on another node while it was being opened. Try again.`);
    this.#session = session;
    await this.#store({ ...this.#facts, node: await places.getNodeId() });
    await this.#writeState();
    session.subscribe((event) => this.#onEvent(event));
    if (warning !== undefined) notifyOnFirstRun(session, { level: 'warning', message: warning, source: 'workspace' });
    if (restoration !== undefined && session.entries.leafId !== null) await this.#informModel(session, restoration);
    // The first commit may not be on the remote.
    if (!this.#facts.isSaved) void this.save();
  }

  async #informModel(session: AgentSession, content: string): Promise<void> {
    const timestamp = this.#options.ports.clock.now();
    const message = { role: 'custom', customType: 'workspace', content, display: true, timestamp } as const;
    await session.runs.sendCustomMessage(message, { deliverAs: 'nextTurn' });
  }

  #onEvent(event: AgentEvent): undefined | Promise<void> {
    if (event.type === 'tool_execution_start') this.#calledTools.add(event.toolName);
    if (event.type === 'turn_end') return this.#onTurnEnd();
    if (event.type === 'session_settled' && this.#needsSaving) void this.save();
    return undefined;
  }

  /** The run waits, so that the next turn begins when the files of this one are safe. */
  async #onTurnEnd(): Promise<void> {
    const { clock } = this.#options.ports;
    const tools = this.#calledTools.size > 0 ? await this.#session?.tools.listAll() : [];
    const effects = new Map(tools?.map(({ name, effect }) => [name, effect]));
    if ([...this.#calledTools].some((name) => effects.get(name) !== 'read')) this.#isDirty = true;
    this.#calledTools.clear();
    if (!this.#needsSaving) return;
    const controller = new AbortController();
    await Promise.race([this.save(), clock.sleep(MAX_WAIT_MS, controller.signal)]);
    controller.abort();
  }

  get #needsSaving(): boolean {
    return this.#isDirty || !this.#facts.isSaved || this.#facts.hasUnsavedChanges === true;
  }

  /** Saves the files as they are now. Never rejects: a failure is a notice. Calls run one after another. */
  save(): Promise<void> {
    this.#saving = this.#saving.then(() => this.#save());
    return this.#saving;
  }

  async #save(): Promise<void> {
    const wasDirty = this.#isDirty;
    this.#isDirty = false;
    const { copy, control, getRef } = this.#options;
    try {
      const recorded = await copy.record(this.#facts.base);
      const { head, branch, snapshot, isSaved, hasUnsavedChanges } = this.#facts;
      const isSame = recorded.head === head && recorded.branch === branch && isSaved && !hasUnsavedChanges;
      if (isSame && (await this.#hasSameFiles(recorded.snapshot, snapshot))) return;
      await control.push([`${recorded.snapshot}:${getRef(recorded.snapshot)}`], copy.objects);
      const { branch: _, hasUnsavedChanges: __, ...kept } = this.#facts;
      // Only now: the named snapshot is always on the remote.
      await this.#store({ ...kept, ...recorded, isSaved: true });
      this.#reportSuccess();
      if (isSaved && snapshot !== recorded.snapshot) await control.push([`:${getRef(snapshot)}`]).catch(() => {});
    } catch (thrown) {
      this.#isDirty ||= wasDirty;
      await this.#reportFailure(thrown);
    }
  }

  /** Two commits with the same files differ in their times. */
  async #hasSameFiles(one: string, other: string): Promise<boolean> {
    if (one === other) return true;
    const { copy, control } = this.#options;
    const env = { GIT_ALTERNATE_OBJECT_DIRECTORIES: JSON.stringify(copy.objects) };
    const { code, stdout } = await control.run(['rev-parse', `${one}^{tree}`, `${other}^{tree}`], { env });
    const [first, second] = new TextDecoder().decode(stdout).split('\n');
    return code === 0 && first === second;
  }

  async #store(facts: WorkspaceFacts): Promise<void> {
    const text = serializeFacts(facts);
    if (text !== this.#stored) await this.#session?.sidecarFiles.write(WORKSPACE_FILE, text);
    this.#stored = text;
    this.#facts = facts;
  }

  #reportSuccess(): void {
    if (this.#failure === undefined) return;
    this.#failure = undefined;
    const message = 'The files of this session are saved on the remote again.';
    this.#session?.notify({ level: 'info', message, source: 'workspace' });
  }

  async #reportFailure(thrown: unknown): Promise<void> {
    const { ports, sessionId } = this.#options;
    const reason = getErrorMessage(thrown);
    ports.log('the files of a session cannot be saved', { session: sessionId, error: reason });
    // Another process has the session, and saves its files.
    if (getFaultReason(thrown) === 'lease_lost') return;
    const { remote, isSaved, snapshot } = this.#facts;
    if (this.#failure === undefined) {
      const saved = isSaved ? `those of snapshot ${snapshot.slice(0, 12)}` : 'none';
      const message = `The files of this session cannot be saved to ${remote}: ${reason}. If this node is lost, the changes since then are lost; saved are ${saved}. It is tried again after each turn.`;
      this.#session?.notify({ level: 'warning', message, source: 'workspace' });
    }
    this.#failure = reason;
    if (!this.#facts.hasUnsavedChanges) await this.#store({ ...this.#facts, hasUnsavedChanges: true }).catch(() => {});
  }

  async close(): Promise<void> {
    if (this.#session && this.#needsSaving) await this.save();
    await this.#saving;
    await this.#writeState(this.#needsSaving ? undefined : true).catch(() => {});
    this.#options.onClosed();
  }

  async #writeState(isSaved?: true): Promise<void> {
    const { places, sessionId, ports } = this.#options;
    const { repository, remote } = this.#facts;
    await places.writeState({ sessionId, repository, remote, usedMs: ports.clock.now(), isSaved });
  }

  async discard(): Promise<void> {
    if (this.#options.stored === undefined) await this.#options.places.remove(this.sessionId);
    this.#options.onClosed();
  }
}

/** The session cannot become another one, because its files belong to it. */
function createWorkspaceHooks(markDirty: () => void): Hooks {
  const refuse = async () => {
    throw new Fault(
      'refused',
      'The session works in its own workspace, so it cannot become another one. Open that one.',
    );
  };
  return {
    beforeSwitch: refuse,
    beforeBranch: refuse,
    async shell() {
      markDirty();
      return undefined;
    },
  };
}

// The workspaces of the sessions of a node: created from a repository, saved on a remote, and restored on other nodes.
import { join } from 'node:path';
import { Fault, getErrorMessage } from '../../../base/index.ts';
import type { AgentSession, Cancel, SessionIndex } from '../../../contracts/index.ts';
import { resolveWorkingDirectory } from '../../../support/working-directory.ts';
import type { SessionWorkspace, SessionWorkspaces, WorkspaceRequest } from '../../session-pool/session-workspaces.ts';
import type { ControlRepository } from './control-repository.ts';
import {
  findLocalSource,
  findNamedSource,
  resolveCommit,
  type SourceOptions,
  type WorkspaceSource,
} from './find-source.ts';
import { LocalPlaces, type LocalState } from './local-places.ts';
import { OpenWorkspace } from './open-workspace.ts';
import { encodeName, getRepositoryName } from './repository-url.ts';
import { createUnavailableFault, WaitingWorkspace } from './waiting-workspace.ts';
import type { WorkingCopy } from './working-copy.ts';
import { parseFacts, WORKSPACE_FILE, type WorkspaceFacts } from './workspace-facts.ts';

export interface WorkspacesOptions extends SourceOptions {
  readonly index: SessionIndex;
  readonly tenant: string;
  /** In which workspaces are created. */
  readonly directory: string;
  /** How long the files of closed sessions stay on this machine. */
  readonly keepMs: number;
  isOpen(sessionId: string): boolean;
  /** Closes a session that waited for its files, so that it is opened with them. */
  reopen(session: AgentSession): void;
}

export interface NewWorkspace {
  readonly sessionId: string;
  /** A path or URL. */
  readonly repository: string;
  /** A full id, a branch or a tag. Default: the default branch. */
  readonly commit?: string | undefined;
  /** The working directory in the repository. */
  readonly path?: string | undefined;
}

/** What was found out about a session that is opened again, or copied. */
interface Restorable {
  readonly facts: WorkspaceFacts;
  /** The session that has saved the snapshot. */
  readonly owner: string;
}

const HOUR_MS = 3_600_000;

export class Workspaces implements SessionWorkspaces {
  readonly #options: WorkspacesOptions;
  readonly #places: LocalPlaces;
  readonly #open = new Map<string, OpenWorkspace>();
  #cancelCleaning: Cancel = () => {};

  constructor(options: WorkspacesOptions) {
    this.#options = options;
    this.#places = new LocalPlaces(options);
    this.#planCleaning();
  }

  async prepare(request: WorkspaceRequest): Promise<SessionWorkspace | undefined> {
    const { path, source, repository, commit, cwd, defaultCwd } = request;
    const { ids, files } = this.#options.ports;
    if (path !== undefined) {
      const stored = await this.#options.index.readSidecar(path, WORKSPACE_FILE);
      return stored === undefined ? undefined : this.open(request.sessionId ?? '', stored);
    }
    const sessionId = request.sessionId ?? ids.uuid();
    if (repository !== undefined) return this.create({ sessionId, repository, commit, path: cwd });
    if (commit !== undefined && source === undefined && cwd === undefined)
      throw new Fault('invalid_params', 'commit needs repository, or cwd in a repository.');
    const directory = cwd === undefined ? undefined : await resolveWorkingDirectory(files, defaultCwd, cwd);
    const owner = directory === undefined ? source : ((await this.#places.findOwner(directory)) ?? undefined);
    const copied = owner === undefined ? undefined : await this.#readRestorable(owner);
    if (copied) return this.#copyWorkspace(sessionId, copied);
    const local = await findLocalSource(this.#options, directory ?? defaultCwd);
    return local && this.#createFrom(sessionId, local, commit);
  }

  /** A workspace for a new session. `attach` must be called when the session is open. */
  async create({ sessionId, repository, commit, path }: NewWorkspace): Promise<SessionWorkspace> {
    return this.#createFrom(sessionId, await findNamedSource(this.#options, repository, path), commit);
  }

  async #createFrom(sessionId: string, source: WorkspaceSource, commit: string | undefined): Promise<SessionWorkspace> {
    const { repository, remote, path, objects, hasUncommittedChanges } = source;
    const control = this.#places.getControl(repository, remote);
    await control.prepare(objects);
    const base = await resolveCommit(control, source, commit);
    const branch = `refs/heads/parley/${encodeName(sessionId)}`;
    const state = { head: base, snapshot: base, branch };
    const name = getRepositoryName(repository);
    const node = await this.#places.getNodeId();
    const facts: WorkspaceFacts = { version: 1, repository, remote, name, path, base, ...state, node };
    const copy = this.#places.getCopy(sessionId, name);
    await copy.create(control, state, repository);
    const warning = `The uncommitted changes of ${repository} are not part of the workspace of this session.`;
    try {
      const cwd = await resolveWorkingDirectory(this.#options.ports.files, copy.root, path);
      const isDirty = hasUncommittedChanges && commit === undefined;
      return this.#track({ control, copy, sessionId, facts, cwd, ...(isDirty ? { warning } : {}) });
    } catch (thrown) {
      await this.#places.remove(sessionId);
      throw thrown;
    }
  }

  /** A copy begins with the files of its source, and saves them for itself. */
  async #copyWorkspace(sessionId: string, { facts, owner }: Restorable): Promise<SessionWorkspace> {
    const { isSaved: _, hasUnsavedChanges: __, ...kept } = facts;
    const copied: WorkspaceFacts = { ...kept, node: await this.#places.getNodeId() };
    const copy = this.#places.getCopy(sessionId, facts.name);
    const control = await this.#fetch({ facts, owner });
    await copy.create(control, copied, facts.repository);
    return this.#track({ control, copy, sessionId, facts: copied, cwd: join(copy.root, facts.path) });
  }

  /** The workspace of a stored session. `stored` is the content of its sidecar file. Waits for the files if they are not available. */
  async open(sessionId: string, stored: string): Promise<SessionWorkspace> {
    const { clock, files } = this.#options.ports;
    const facts = parseFacts(stored);
    try {
      return await this.#openRestored(sessionId, stored, facts);
    } catch (thrown) {
      const cwd = `${this.#places.getSessionDirectory(sessionId)}/waiting`;
      await files.makeDirectory(cwd, { mode: 0o700 });
      const { repository, remote, snapshot: commit } = facts;
      return new WaitingWorkspace({
        ...{ clock, sessionId, cwd, reason: createUnavailableFault({ repository, remote, commit }, thrown) },
        restore: () => this.#restore(sessionId, stored, facts),
        onRestored: (session) => this.#options.reopen(session),
      });
    }
  }

  async #openRestored(sessionId: string, stored: string, facts: WorkspaceFacts): Promise<SessionWorkspace> {
    const copy = this.#places.getCopy(sessionId, facts.name);
    const isCurrent = await this.#isCurrent(sessionId, facts);
    if (!isCurrent) await this.#restore(sessionId, stored, facts);
    const control = this.#places.getControl(facts.repository, facts.remote);
    await control.prepare();
    const cwd = await this.#findDirectory(copy, facts.path);
    const restoration = isCurrent ? undefined : describeRestoration(cwd, facts);
    return this.#track({ control, copy, sessionId, facts, cwd, stored, ...(restoration ? { restoration } : {}) });
  }

  /** No other node has changed the files since. */
  async #isCurrent(sessionId: string, { node, name }: WorkspaceFacts): Promise<boolean> {
    if (node !== (await this.#places.getNodeId())) return false;
    const state = await this.#places.readState(sessionId);
    if (!state || state.restoredFrom !== undefined) return false;
    return (await this.#options.ports.files.info(this.#places.getCopy(sessionId, name).root)) !== undefined;
  }

  async #restore(sessionId: string, stored: string, facts: WorkspaceFacts): Promise<void> {
    const state = await this.#places.readState(sessionId);
    const copy = this.#places.getCopy(sessionId, facts.name);
    const { files, clock } = this.#options.ports;
    // By an attempt to open the session that has failed later.
    if (state?.restoredFrom === stored && (await files.info(copy.root))) return;
    const control = await this.#fetch({ facts, owner: sessionId });
    await copy.create(control, facts, facts.repository);
    const { repository, remote } = facts;
    await this.#places.writeState({ sessionId, repository, remote, usedMs: clock.now(), restoredFrom: stored });
  }

  /** The agent may have removed the directory. */
  async #findDirectory(copy: WorkingCopy, path: string): Promise<string> {
    const { files } = this.#options.ports;
    return resolveWorkingDirectory(files, copy.root, path).catch(() => copy.root);
  }

  /** Resolves when the control repository has the commits. */
  async #fetch({ facts, owner }: Restorable): Promise<ControlRepository> {
    const { repository, remote, head, snapshot, isSaved } = facts;
    const control = this.#places.getControl(repository, remote);
    await control.prepare();
    if ((await control.hasCommit(snapshot)) && (await control.hasCommit(head))) return control;
    const ref = this.#getRef(owner, snapshot);
    const branches = '+refs/heads/*:refs/heads/*';
    if (isSaved) await control.fetch('snapshots', [`+${ref}:${ref}`]);
    // The session began at this commit, and its node has ended before it was saved.
    else await control.fetch('repository', [branches, '+refs/tags/*:refs/tags/*']);
    if (!(await control.hasCommit(snapshot)))
      throw new Fault('not_found', `the commit ${snapshot} does not exist there`);
    return control;
  }

  #track(
    options: Omit<ConstructorParameters<typeof OpenWorkspace>[0], 'ports' | 'places' | 'getRef' | 'onClosed'>,
  ): OpenWorkspace {
    const { sessionId } = options;
    const workspace = new OpenWorkspace({
      ...options,
      ports: this.#options.ports,
      places: this.#places,
      getRef: (snapshot) => this.#getRef(sessionId, snapshot),
      onClosed: () => {
        if (this.#open.get(sessionId) === workspace) this.#open.delete(sessionId);
      },
    });
    this.#open.set(sessionId, workspace);
    return workspace;
  }

  /** A hidden ref: it is no branch. Each snapshot has its own, so that a node that has lost the session cannot replace it. */
  #getRef(sessionId: string, snapshot: string): string {
    return `${this.#getRefPrefix(sessionId)}/${snapshot}`;
  }

  #getRefPrefix(sessionId: string): string {
    return `refs/parley/${encodeName(this.#options.tenant)}/${encodeName(sessionId)}`;
  }

  async #readRestorable(owner: string): Promise<Restorable | undefined> {
    const open = this.#open.get(owner);
    if (open) {
      await open.save();
      return { facts: open.facts, owner };
    }
    const path = await this.#options.index.find(owner);
    const stored = path === undefined ? undefined : await this.#options.index.readSidecar(path, WORKSPACE_FILE);
    return stored === undefined ? undefined : { facts: parseFacts(stored), owner };
  }

  /** Saves the files of an open session as they are now. Never rejects: a failure is a notice. */
  async snapshot(sessionId: string): Promise<void> {
    await this.#open.get(sessionId)?.save();
  }

  /** The changes of a session since its first commit as a patch with binary files. `undefined` if it has no workspace. */
  async createPatch(sessionId: string): Promise<Uint8Array | undefined> {
    const found = await this.#readRestorable(sessionId);
    if (!found) return undefined;
    const { facts } = found;
    const control = await this.#fetch(found);
    const flags = ['-p', '--binary', '--full-index', '-M', '--no-color', '--ignore-submodules=all'];
    const { code, stdout, stderr } = await control.run(['diff-tree', ...flags, facts.base, facts.snapshot]);
    if (code !== 0) throw new Fault('tool_failed', `git diff-tree failed: ${stderr.trim()}`);
    return stdout;
  }

  async checkMove(path: string): Promise<void> {
    if ((await this.#options.index.readSidecar(path, WORKSPACE_FILE)) === undefined) return;
    throw new Fault('refused', 'The session works in its own workspace, which cannot be moved to another directory.');
  }

  async prepareRemoval(path: string): Promise<() => Promise<void>> {
    const stored = await this.#options.index.readSidecar(path, WORKSPACE_FILE);
    const found = stored === undefined ? undefined : await this.#options.index.locate(path);
    if (stored === undefined || !found) return async () => {};
    return () => this.remove(found.id, parseFacts(stored));
  }

  /** Removes the files here and on the remote. Never rejects: without the remote, its refs stay. */
  async remove(
    sessionId: string,
    { repository, remote }: Pick<WorkspaceFacts, 'repository' | 'remote'>,
  ): Promise<void> {
    await this.#places.remove(sessionId);
    try {
      const control = this.#places.getControl(repository, remote);
      await control.prepare();
      const refs = await control.listRemoteRefs(`${this.#getRefPrefix(sessionId)}/*`);
      if (refs.length > 0) await control.push(refs.map((ref) => `:${ref}`));
    } catch (thrown) {
      const { log } = this.#options.ports;
      log('the snapshots of a deleted session stay on the remote', {
        session: sessionId,
        error: getErrorMessage(thrown),
      });
    }
  }

  close(): void {
    this.#cancelCleaning();
  }

  #planCleaning(): void {
    const { ports, keepMs } = this.#options;
    this.#cancelCleaning = ports.clock.after(Math.min(Math.max(keepMs, 1000), HOUR_MS), () => {
      void this.clean().finally(() => this.#planCleaning());
    });
  }

  /** Removes the files of closed sessions that were not used for some time: the remote has them. */
  async clean(): Promise<void> {
    const { ports, keepMs, isOpen } = this.#options;
    const limit = ports.clock.now() - keepMs;
    const states = await this.#places.listStates();
    for (const state of states) {
      const { sessionId, usedMs } = state;
      const isKept = () => usedMs > limit || this.#open.has(sessionId) || isOpen(sessionId);
      if (!isKept()) await this.#cleanOne(state, isKept).catch(() => {});
    }
  }

  async #cleanOne({ sessionId, repository, remote, isSaved }: LocalState, isKept: () => boolean): Promise<void> {
    const isStored = (await this.#options.index.find(sessionId)) !== undefined;
    // Deleted by another process.
    if (!isStored && !isKept()) return this.remove(sessionId, { repository, remote });
    const found = isSaved ? undefined : await this.#readRestorable(sessionId);
    const isObsolete = found !== undefined && found.facts.node !== (await this.#places.getNodeId());
    if ((isSaved || isObsolete) && !isKept()) await this.#places.remove(sessionId);
  }
}

function describeRestoration(cwd: string, { snapshot, hasUnsavedChanges }: WorkspaceFacts): string {
  const lost = hasUnsavedChanges
    ? 'The changes after it could not be saved, and are lost.'
    : 'Changes of a turn that was not finished may be missing.';
  return `The session continues on another machine. The working directory is now ${cwd}. Its files were restored from the snapshot ${snapshot.slice(0, 12)}. ${lost} Processes have ended, and files that git ignores, such as installed packages, do not exist. Check the state of the files before you continue.`;
}

// Reads the history of the session and switches between conversations: new, resume, branch, clone.
import { dirname, resolve } from 'node:path';
import { Fault } from '../../base/index.ts';
import type { History, MoveOptions, SessionLog } from '../../contracts/index.ts';
import {
  type AgentMessage,
  type EntryTree,
  extractText,
  type SessionEntry,
  type SessionStats,
} from '../../protocol/index.ts';
import type { Branch } from '../tree/branching.ts';
import { countMessages } from '../tree/count-messages.ts';
import type { HistoryPorts } from './history-ports.ts';
import type { SessionState } from './session-state.ts';

type BranchPath = Omit<Branch, 'text'>;

export class HistoryFacet implements History {
  readonly #state: SessionState;
  readonly #ports: HistoryPorts;

  constructor(state: SessionState, ports: HistoryPorts) {
    this.#state = state;
    this.#ports = ports;
  }

  messages(): readonly AgentMessage[] {
    return [...this.#state.conversation.messages, ...this.#ports.getHeldMessages()];
  }

  get messageCount(): number {
    return this.#state.conversation.messageCount + this.#ports.getHeldMessages().length;
  }

  /** The newest answer with text. */
  lastAssistantText(): string | null {
    const last = this.#state.conversation.messages.findLast(
      (message) => message.role === 'assistant' && extractText(message.content) !== '',
    );
    return last?.role === 'assistant' ? extractText(last.content) : null;
  }

  stats(): SessionStats {
    const { file, header } = this.#state.conversation;
    return {
      ...(file === undefined ? {} : { sessionFile: file }),
      sessionId: header.id,
      ...countMessages(this.messages()),
    };
  }

  async startNew(options: {
    parentSession?: string | undefined;
    directory?: string | undefined;
  }): Promise<{ cancelled: boolean }> {
    const { hooks, conversation } = this.#state;
    if ((await hooks.beforeSwitch?.({ reason: 'new' }))?.cancel) return { cancelled: true };
    await this.#replaceConversation(() => this.#state.startNew(options));
    await this.#ports.onConversationChanged('new', undefined);
    await this.#notifySessionStart('new', conversation.file);
    return { cancelled: false };
  }

  async openDirectory(directory: string): Promise<{ cancelled: boolean; resumed: boolean }> {
    const { conversation, options } = this.#state;
    if (conversation.file === undefined)
      throw new Fault('refused', 'open_session requires session persistence (omit --no-session)');
    const path = resolve(options.cwd, directory);
    const latest = await options.store.findLatest(path);
    if (latest !== undefined) {
      const { cancelled } = await this.switchTo(latest);
      return { cancelled, resumed: !cancelled };
    }
    const isOpen = dirname(conversation.file) === path && this.messageCount === 0;
    return { cancelled: isOpen ? false : (await this.startNew({ directory: path })).cancelled, resumed: false };
  }

  async switchTo(path: string): Promise<{ cancelled: boolean }> {
    const { options, hooks, conversation } = this.#state;
    const empty = await options.store.findEmptyFile?.(path, options.cwd).catch(() => undefined);
    const file = empty?.exists ? empty.path : await options.store.locate(path, options.cwd);
    await this.#checkSessionFile(file);
    if ((await hooks.beforeSwitch?.({ reason: 'resume', targetSessionFile: file }))?.cancel) return { cancelled: true };
    // The target is the open session, which already holds the lock of its file.
    if (await this.#isOwnLog(file)) {
      await this.#ports.abortActiveWork();
      return { cancelled: false };
    }
    if (empty?.exists) {
      await this.#replaceConversation(() => this.#state.startNew({ file }));
      await this.#ports.onConversationChanged('new', undefined);
    } else {
      const resumed = await options.store.resume(file);
      await this.#replaceConversation(() => this.#state.resume(resumed));
      await this.#ports.onConversationChanged('resumed', resumed.name);
    }
    await this.#notifySessionStart('resume', conversation.file);
    return { cancelled: false };
  }

  async branch(entryId: string): Promise<{ text: string; cancelled: boolean }> {
    const { branchBefore } = await import('../tree/branching.ts');
    const { text, ...branchPath } = branchBefore(await this.#state.conversation.readAll(), entryId);
    return { text, cancelled: await this.#branchToNewSession(entryId, branchPath) };
  }

  async clone(): Promise<{ cancelled: boolean }> {
    const { leafId } = this.#state.conversation;
    return { cancelled: await this.#branchToNewSession(leafId ?? '', await this.#readFullPath()) };
  }

  async #readFullPath(): Promise<BranchPath> {
    const { conversation } = this.#state;
    const { branchAt } = await import('../tree/branching.ts');
    return branchAt(await conversation.readAll(), conversation.leafId);
  }

  /** Continues in a new session that starts with a copy of this path. Returns true if a hook cancelled it. */
  async #branchToNewSession(entryId: string, branchPath: BranchPath): Promise<boolean> {
    const { conversation, options, ports, hooks } = this.#state;
    const { copyPath } = await import('./copy-path.ts');
    const hookResult = await hooks.beforeBranch?.({ entryId });
    if (hookResult?.cancel) return true;
    const { path, labels } = hookResult?.includesFullConversation ? await this.#readFullPath() : branchPath;
    const parent = conversation.file;
    const now = new Date(ports.clock.now()).toISOString();
    const header = { ...conversation.header, id: ports.ids.uuid(), timestamp: now };
    if (parent !== undefined) header.parentSession = parent;
    const labelEntries = labels.map((label) => ({ type: 'label' as const, ...label }));
    const copies = copyPath(path, labelEntries, { nextId: ports.ids.entryId, timestamp: now });
    const log = await this.#writeNewLog(options.store.create(header), copies);
    const name = findSessionName(copies);
    const leafId = copies.at(-1)?.id ?? null;
    await this.#replaceConversation(() => this.#state.resume({ header, log, path: copies, leafId, name, damage: [] }));
    await this.#ports.onConversationChanged(leafId === null ? 'new' : 'resumed', name);
    await this.#notifySessionStart('fork', parent);
    return false;
  }

  async moveTo(
    targetId: string,
    options: MoveOptions = {},
  ): Promise<{ cancelled: boolean; editorText?: string | undefined }> {
    const { moveTo } = await import('./move-to.ts');
    return moveTo(this.#state, this.#ports, targetId, options);
  }

  async branchPoints(): Promise<{ entryId: string; text: string }[]> {
    const { listBranchPoints } = await import('../tree/branching.ts');
    return listBranchPoints(await this.#state.conversation.readAll());
  }

  async entries(since?: string): Promise<{ entries: SessionEntry[]; leafId: string | null }> {
    const all = await this.#state.conversation.readAll();
    const at = since === undefined ? -1 : all.findIndex((entry) => entry.id === since);
    if (since !== undefined && at < 0)
      throw new Fault('not_found', `No entry has the id ${since}`, { details: { reason: 'unknown_since' } });
    return { entries: all.slice(at + 1), leafId: this.#state.conversation.leafId };
  }

  async tree(): Promise<{ tree: EntryTree[]; leafId: string | null }> {
    const { buildTree } = await import('../tree/branching.ts');
    return { tree: buildTree(await this.#state.conversation.readAll()), leafId: this.#state.conversation.leafId };
  }

  async exportHtml(requestedPath?: string, options: { branchOnly?: boolean } = {}): Promise<{ path: string }> {
    // Some hosts send an empty path instead of omitting it.
    const path = requestedPath || undefined;
    const { conversation, ports, options: sessionOptions } = this.#state;
    const entries = await conversation.readAll();
    if (!entries.some((entry) => entry.type === 'message')) {
      throw new Fault('refused', 'Nothing to export yet - start a conversation first');
    }
    const { claimPageFile, resolvePageFile } = await import('./page-file.ts');
    if (path !== undefined && (await this.#isOwnLog(resolvePageFile(ports.files, sessionOptions.cwd, path).path))) {
      throw new Fault('refused', `Cannot export to ${path}: it is the file of this session`);
    }
    const { renderSessionPage } = await import('../export/render-session-page.ts');
    const { header, leafId, file: sessionFile } = conversation;
    const session = {
      ...{ header, entries, leafId, name: this.#ports.getSessionName(), ...options },
      subagentFiles: { sessionFile, files: ports.files, read: (file: string) => sessionOptions.store.read(file) },
      prefix: await this.#ports.getPromptPrefix().catch(() => undefined),
      secrets: ports.listSecrets?.(),
    };
    const page = await renderSessionPage(session, ports.renderMarkup);
    const { cwd, guard } = sessionOptions;
    const files = guard?.guardFiles(cwd, { isForHost: true }) ?? ports.files;
    const target =
      path === undefined
        ? await claimPageFile(files, sessionOptions.cwd, conversation.header.id)
        : resolvePageFile(files, sessionOptions.cwd, path);
    await target.write(page);
    return { path: target.path };
  }

  async #notifySessionStart(reason: 'new' | 'resume' | 'fork', previousSessionFile: string | undefined): Promise<void> {
    await this.#state.hooks.onLifecycleEvent?.({ type: 'session_start', reason, previousSessionFile });
  }

  async #checkSessionFile(file: string): Promise<void> {
    const { cwd, guard, agentDirectory } = this.#state.options;
    if (!guard) return;
    const { checkSessionFile } = await import('../../support/paths/check-session-file.ts');
    const current = this.#state.conversation.file;
    await checkSessionFile({ guard, cwd, agentDirectory, directories: [current && dirname(current)] }, file);
  }

  /** True if the path is the file of the open session, also through symbolic links. */
  async #isOwnLog(path: string): Promise<boolean> {
    const { file } = this.#state.conversation;
    const { files } = this.#state.ports;
    return file !== undefined && (await files.realPath(path)) === (await files.realPath(file));
  }

  /** Writes the entries to a new log. If the write fails, the log is closed and no file is left. */
  async #writeNewLog(log: SessionLog, entries: readonly SessionEntry[]): Promise<SessionLog> {
    try {
      await log.append(entries);
      return log;
    } catch (error) {
      await log.close();
      throw error;
    }
  }

  async #replaceConversation(openNext: () => void): Promise<void> {
    await this.#ports.abortActiveWork();
    await this.#ports.stopShellCommands();
    await this.#ports.saveDigest();
    const { conversation, artifacts } = this.#state;
    await conversation.close();
    await artifacts.close();
    openNext();
  }
}

function findSessionName(entries: readonly SessionEntry[]): string | undefined {
  return entries.findLast((entry) => entry.type === 'session_info' && entry.name)?.name as string | undefined;
}

// Switches between conversations: new, resume, branch, clone. Loaded on demand.
import { dirname, resolve } from 'node:path';
import { Fault } from '../../base/index.ts';
import type { History, SessionLog } from '../../contracts/index.ts';
import type { SessionEntry } from '../../protocol/index.ts';
import { type Branch, branchAt, branchBefore } from '../tree/branching.ts';
import { copyPath } from './copy-path.ts';
import { emitConversationChanged } from './emit-conversation-changed.ts';
import type { HistoryPorts } from './history-ports.ts';
import { isOwnLog } from './own-log.ts';
import type { SessionState } from './session-state.ts';

type BranchPath = Omit<Branch, 'text'>;
type NewSessionOptions = Parameters<History['startNew']>[0] & { directory?: string };

export class ConversationSwitch {
  readonly #state: SessionState;
  readonly #ports: HistoryPorts;

  constructor(state: SessionState, ports: HistoryPorts) {
    this.#state = state;
    this.#ports = ports;
  }

  async startNew(options: NewSessionOptions): Promise<{ cancelled: boolean }> {
    const { hooks, conversation } = this.#state;
    if ((await hooks.beforeSwitch?.({ reason: 'new' }))?.cancel) return { cancelled: true };
    await this.#replaceConversation(() => this.#state.startNew(options));
    await this.#enterConversation('new', undefined);
    await this.#notifySessionStart('new', conversation.file);
    return { cancelled: false };
  }

  async openDirectory(directory: string): Promise<{ cancelled: boolean; resumed: boolean }> {
    const { conversation, options } = this.#state;
    if (conversation.file === undefined)
      throw new Fault('refused', 'open_session requires session persistence (omit --no-session)');
    const path = resolve(options.cwd, directory);
    await this.#checkSessionFile(`${path}/new.jsonl`);
    const latest = await options.store.findLatest(path);
    if (latest !== undefined) {
      const { cancelled } = await this.switchTo(latest);
      return { cancelled, resumed: !cancelled };
    }
    const isOpen = dirname(conversation.file) === path && this.#isEmpty();
    return { cancelled: isOpen ? false : (await this.startNew({ directory: path })).cancelled, resumed: false };
  }

  async switchTo(path: string): Promise<{ cancelled: boolean }> {
    const { options, hooks, conversation } = this.#state;
    const empty = await options.store.findEmptyFile?.(path, options.cwd).catch(() => undefined);
    const file = empty?.exists ? empty.path : await options.store.locate(path, options.cwd);
    await this.#checkSessionFile(file);
    if ((await hooks.beforeSwitch?.({ reason: 'resume', targetSessionFile: file }))?.cancel) return { cancelled: true };
    // The target is the open session, which already holds the lock of its file.
    if (await isOwnLog(this.#state, file)) {
      await this.#ports.abortActiveWork();
      return { cancelled: false };
    }
    if (empty?.exists) {
      await this.#replaceConversation(() => this.#state.startNew({ file }));
      await this.#enterConversation('new', undefined);
    } else {
      const resumed = await options.store.resume(file);
      await this.#replaceConversation(() => this.#state.resume(resumed));
      await this.#enterConversation('resumed', resumed.name);
    }
    await this.#notifySessionStart('resume', conversation.file);
    return { cancelled: false };
  }

  async branch(entryId: string): Promise<{ text: string; cancelled: boolean }> {
    const { text, ...branchPath } = branchBefore(await this.#state.conversation.readAll(), entryId);
    return { text, cancelled: await this.#branchToNewSession(entryId, branchPath) };
  }

  async clone(): Promise<{ cancelled: boolean }> {
    const { leafId } = this.#state.conversation;
    return { cancelled: await this.#branchToNewSession(leafId ?? '', await this.#readFullPath()) };
  }

  async #readFullPath(): Promise<BranchPath> {
    const { conversation } = this.#state;
    return branchAt(await conversation.readAll(), conversation.leafId);
  }

  /** Continues in a new session that starts with a copy of this path. Returns true if a hook cancelled it. */
  async #branchToNewSession(entryId: string, branchPath: BranchPath): Promise<boolean> {
    const { conversation, options, ports, hooks } = this.#state;
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
    await this.#enterConversation(leafId === null ? 'new' : 'resumed', name);
    await this.#notifySessionStart('fork', parent);
    return false;
  }

  async #enterConversation(...args: Parameters<HistoryPorts['onConversationChanged']>): Promise<void> {
    await this.#ports.onConversationChanged(...args);
    await emitConversationChanged(this.#state, 'switched');
  }

  async #notifySessionStart(reason: 'new' | 'resume' | 'fork', previousSessionFile: string | undefined): Promise<void> {
    await this.#state.hooks.onLifecycleEvent?.({ type: 'session_start', reason, previousSessionFile });
  }

  async #checkSessionFile(file: string): Promise<void> {
    const { cwd, guard, agentDirectory, store } = this.#state.options;
    if (!guard) return;
    const { checkSessionFile } = await import('../../support/paths/check-session-file.ts');
    const current = this.#state.conversation.file;
    await checkSessionFile(
      { guard, cwd, agentDirectory, directories: [store.directory, current && dirname(current)] },
      file,
    );
  }

  #isEmpty(): boolean {
    return this.#state.conversation.messageCount + this.#ports.getHeldMessages().length === 0;
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

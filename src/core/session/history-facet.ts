// Reads the history of the session. What changes the conversation is loaded on demand.
import { Fault } from '../../base/index.ts';
import type { History, MoveOptions } from '../../contracts/index.ts';
import {
  type AgentMessage,
  type EntryTree,
  extractText,
  type SessionEntry,
  type SessionStats,
} from '../../protocol/index.ts';
import { countMessages } from '../tree/count-messages.ts';
import type { ConversationSwitch } from './conversation-switch.ts';
import type { HistoryPorts } from './history-ports.ts';
import type { SessionState } from './session-state.ts';

type NewSessionOptions = Parameters<History['startNew']>[0];

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

  async startNew(options: NewSessionOptions): Promise<{ cancelled: boolean }> {
    return (await this.#loadSwitch()).startNew(options);
  }

  async openDirectory(directory: string): Promise<{ cancelled: boolean; resumed: boolean }> {
    return (await this.#loadSwitch()).openDirectory(directory);
  }

  async switchTo(path: string): Promise<{ cancelled: boolean }> {
    return (await this.#loadSwitch()).switchTo(path);
  }

  async branch(entryId: string): Promise<{ text: string; cancelled: boolean }> {
    return (await this.#loadSwitch()).branch(entryId);
  }

  async clone(): Promise<{ cancelled: boolean }> {
    return (await this.#loadSwitch()).clone();
  }

  async #loadSwitch(): Promise<ConversationSwitch> {
    const { ConversationSwitch } = await import('./conversation-switch.ts');
    return new ConversationSwitch(this.#state, this.#ports);
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

  async exportHtml(path?: string, options: { branchOnly?: boolean } = {}): Promise<{ path: string }> {
    const { exportHtml } = await import('./export-html.ts');
    return exportHtml(this.#state, this.#ports, path, options);
  }

  async renderHtml(options?: { branchOnly?: boolean }): Promise<string> {
    return (await import('./export-html.ts')).renderHtml(this.#state, this.#ports, options);
  }
}

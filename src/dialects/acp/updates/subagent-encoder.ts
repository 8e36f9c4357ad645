// Encodes the work of subagents: their tool calls with the id of the parent call, their texts as content of the parent call.
import type { SessionUpdate } from '@agentclientprotocol/sdk';
import { type AgentEvent, type AgentEventOf, extractText } from '../../../protocol/index.ts';
import { limitToEnd, MAX_CONTENT_LENGTH } from './limits.ts';
import { ToolCallEncoder, type ToolCallIds } from './tool-call-encoder.ts';
import { createTextContent } from './tool-content.ts';

/** Characters of the newest message of a subagent that are shown in the parent call. */
const MAX_TEXT_LENGTH = 4000;

interface Subagent {
  readonly id: string;
  /** The session that has the parent call: the main session, or another subagent. */
  readonly owner: ToolCallEncoder;
  readonly parentCallId: string;
  readonly agent: string;
  toolCalls: ToolCallEncoder;
  status: string;
  /** The newest message of the subagent. */
  text: string;
}

export interface SubagentEncoderOptions {
  readonly cwd: string;
  readonly ids: ToolCallIds;
  /** The tool calls of the main session. */
  readonly toolCalls: ToolCallEncoder;
  onCost(cost: number): void;
}

export class SubagentEncoder {
  readonly #options: SubagentEncoderOptions;
  readonly #running = new Map<string, Subagent>();
  /** All subagents of each parent call that is still open, in the order in which they started. */
  readonly #byParent = new Map<string, Subagent[]>();

  constructor(options: SubagentEncoderOptions) {
    this.#options = options;
  }

  encodeLifecycle({ payload }: AgentEventOf<'subagent_lifecycle'>): SessionUpdate[] {
    const { id, agent, status, parentToolCallId } = payload;
    if (status !== 'started') return this.#end(id, status);
    if (parentToolCallId === undefined) return [];
    const owner = this.#findOwner(id);
    const shownParent = owner.getShownId(parentToolCallId);
    const toolCalls = this.#createToolCalls(id, shownParent, false);
    const subagent: Subagent = {
      id,
      owner,
      parentCallId: parentToolCallId,
      agent,
      toolCalls,
      status: 'running',
      text: '',
    };
    this.#running.set(id, subagent);
    this.#byParent.set(shownParent, [...(this.#byParent.get(shownParent) ?? []), subagent]);
    return this.#showTexts(subagent);
  }

  /** A subagent with a copy of the repository has its files at another place. */
  onStart({ id, isolated }: AgentEventOf<'subagent_start'>): void {
    const subagent = this.#running.get(id);
    if (!subagent || !isolated) return;
    subagent.toolCalls = this.#createToolCalls(id, subagent.owner.getShownId(subagent.parentCallId), true);
  }

  encodeEvent(id: string, event: AgentEvent): SessionUpdate[] {
    const subagent = this.#running.get(id);
    if (!subagent) return [];
    switch (event.type) {
      case 'tool_execution_start':
        return subagent.toolCalls.start(event);
      case 'tool_execution_update':
        return this.hasSubagents(subagent.toolCalls.getShownId(event.toolCallId))
          ? []
          : subagent.toolCalls.update(event);
      case 'tool_execution_end':
        this.forgetCall(subagent.toolCalls.getShownId(event.toolCallId));
        return subagent.toolCalls.end(event);
      case 'message_end':
        return event.message.role === 'assistant' ? this.#encodeAnswer(subagent, event.message) : [];
      default:
        return [];
    }
  }

  encodeVerification(id: string, status: string): SessionUpdate[] {
    const subagent = this.#running.get(id);
    if (!subagent) return [];
    subagent.status = status;
    return this.#showTexts(subagent);
  }

  /** The texts of its subagents are the content of this call. */
  hasSubagents(shownCallId: string): boolean {
    return this.#byParent.has(shownCallId);
  }

  forgetCall(shownCallId: string): void {
    this.#byParent.delete(shownCallId);
  }

  /** The subagent that executes a tool call, when the main session does not. */
  findToolCalls(toolCallId: string): ToolCallEncoder | undefined {
    for (const { toolCalls } of this.#running.values()) if (toolCalls.isOpen(toolCallId)) return toolCalls;
    return undefined;
  }

  #encodeAnswer(
    subagent: Subagent,
    { content, usage }: Extract<AgentEventOf<'message_end'>['message'], { role: 'assistant' }>,
  ): SessionUpdate[] {
    this.#options.onCost(usage.cost.total);
    const text = extractText(content);
    if (text.trim() === '') return [];
    subagent.text = limitToEnd(text, MAX_TEXT_LENGTH);
    return this.#showTexts(subagent);
  }

  #end(id: string, status: string): SessionUpdate[] {
    const subagent = this.#running.get(id);
    if (!subagent) return [];
    this.#running.delete(id);
    subagent.status = status;
    return [...subagent.toolCalls.failOpen(), ...this.#showTexts(subagent)];
  }

  #showTexts({ owner, parentCallId }: Subagent): SessionUpdate[] {
    const siblings = this.#byParent.get(owner.getShownId(parentCallId)) ?? [];
    const maxLength = Math.floor(MAX_CONTENT_LENGTH / Math.max(1, siblings.length));
    const content = siblings.map(({ id, agent, status, text }) => {
      const head = `**${id}** (${agent}): ${status}`;
      return createTextContent(limitToEnd(text === '' ? head : `${head}\n\n${text}`, maxLength));
    });
    return content.length > 0 ? owner.showContent(parentCallId, content) : [];
  }

  #createToolCalls(subagentId: string, parentToolCallId: string, hasUnknownFiles: boolean): ToolCallEncoder {
    const { ids, cwd } = this.#options;
    const meta = { parentToolCallId, subagentId };
    return new ToolCallEncoder({ ids, cwd, idPrefix: `${subagentId}/`, meta, hasUnknownFiles });
  }

  /** The id of a subagent of a subagent begins with the id of its parent and a period. */
  #findOwner(id: string): ToolCallEncoder {
    const parent = this.#running.get(id.slice(0, Math.max(0, id.lastIndexOf('.'))));
    return parent?.toolCalls ?? this.#options.toolCalls;
  }
}

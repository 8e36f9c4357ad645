// Encodes the tool calls of one session: each gets one tool_call, its updates and one final status.
import type { SessionUpdate, ToolCallContent, ToolCallStatus } from '@agentclientprotocol/sdk';
import { isRecord } from '../../../base/index.ts';
import type { AgentEventOf, ToolCall } from '../../../protocol/index.ts';
import { describeToolCall, resolveToolPath, type ToolArguments } from './describe-tool-call.ts';
import { createDiffBlocks, parseLineDiff } from './diff-blocks.ts';
import {
  createProgressContent,
  createRawInput,
  createRawOutput,
  createResultContent,
  describeToolContent,
  type ShownResult,
} from './tool-content.ts';

export type ToolCallUpdate = Extract<SessionUpdate, { sessionUpdate: 'tool_call' | 'tool_call_update' }>;

/** The ids of all tool calls of a session, so that none is used twice: some providers repeat ids in later answers. */
export class ToolCallIds {
  readonly #uses = new Map<string, number>();

  reserve(id: string): string {
    const uses = (this.#uses.get(id) ?? 0) + 1;
    this.#uses.set(id, uses);
    return uses === 1 ? id : this.reserve(`${id}#${uses}`);
  }
}

export interface ToolCallScope {
  readonly ids: ToolCallIds;
  readonly cwd: string;
  /** Added before each id. Default: none. */
  readonly idPrefix?: string;
  /** Added to each update. */
  readonly meta?: Record<string, unknown> | undefined;
  /** The files are not in `cwd`, but in a copy of it. */
  readonly hasUnknownFiles?: boolean;
}

interface OpenCall {
  readonly shownId: string;
  readonly toolName: string;
  /** The arguments that the client has received. */
  args: ToolArguments | undefined;
  terminalId: string | undefined;
}

interface EndedCall {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly result: ShownResult;
  readonly isError: boolean;
}

export class ToolCallEncoder {
  readonly #scope: ToolCallScope;
  readonly #open = new Map<string, OpenCall>();
  /** Calls that have ended, by the id of the model, with the id that the client knows. */
  readonly #ended = new Map<string, string>();

  constructor(scope: ToolCallScope) {
    this.#scope = scope;
  }

  isOpen(toolCallId: string): boolean {
    return this.#open.has(toolCallId);
  }

  /** The id of the call, or of the newest call with this id, in updates and permission requests. */
  getShownId(toolCallId: string): string {
    return this.#open.get(toolCallId)?.shownId ?? this.#ended.get(toolCallId) ?? this.#prefix(toolCallId);
  }

  /** The model starts to write a call. Its arguments are not known yet. */
  announce({ id, name }: ToolCall): ToolCallUpdate[] {
    if (this.#open.has(id)) return [];
    const call = this.#add(id, name);
    const { title, kind } = describeToolCall(name, {}, this.#scope.cwd);
    return [this.#create('tool_call', call, { title, name, kind, status: 'pending' })];
  }

  /** The arguments are complete. */
  describe({ id, arguments: args }: ToolCall): ToolCallUpdate[] {
    const call = this.#open.get(id);
    return call && call.args !== args ? [this.#create('tool_call_update', call, this.#describe(call, args))] : [];
  }

  start({ toolCallId, toolName, args }: AgentEventOf<'tool_execution_start'>): ToolCallUpdate[] {
    const open = this.#open.get(toolCallId);
    const call = open ?? this.#add(toolCallId, toolName);
    const fields = call.args === args ? {} : this.#describe(call, args);
    const type = open ? 'tool_call_update' : 'tool_call';
    return [this.#create(type, call, { ...fields, status: 'in_progress' })];
  }

  update({ toolCallId, toolName, partialResult }: AgentEventOf<'tool_execution_update'>): ToolCallUpdate[] {
    const content = createProgressContent(toolName, partialResult);
    return content.length > 0 ? this.showContent(toolCallId, content) : [];
  }

  /** Replaces the content of a running call, unless a terminal is shown. */
  showContent(toolCallId: string, content: ToolCallContent[]): ToolCallUpdate[] {
    const call = this.#open.get(toolCallId);
    if (!call || call.terminalId !== undefined) return [];
    return [this.#create('tool_call_update', call, { status: 'in_progress', content })];
  }

  end(ended: EndedCall): ToolCallUpdate[] {
    const { toolCallId, toolName, result, isError } = ended;
    const open = this.#open.get(toolCallId);
    if (!open && this.#ended.has(toolCallId)) return [];
    const call = open ?? this.#add(toolCallId, toolName);
    this.#close(toolCallId, call);
    const fields = { ...this.#createResultFields(call, result, isError), rawOutput: createRawOutput(result) };
    const status: ToolCallStatus = isError ? 'failed' : 'completed';
    if (open) return [this.#create('tool_call_update', call, { status, ...fields })];
    return [this.#create('tool_call', call, { ...this.#describe(call, {}), status, ...fields })];
  }

  /** A whole call with its result. `undefined`: it never got one. */
  createFinished({ id, name, arguments: args }: ToolCall, ended: EndedCall | undefined): ToolCallUpdate {
    const call = this.#add(id, name);
    const described = this.#describe(call, args);
    this.#close(id, call);
    if (!ended) return this.#create('tool_call', call, { ...described, status: 'failed' });
    const { result, isError } = ended;
    const status: ToolCallStatus = isError ? 'failed' : 'completed';
    const fields = { ...this.#createResultFields(call, result, isError), rawOutput: createRawOutput(result) };
    return this.#create('tool_call', call, { ...described, status, ...fields });
  }

  /** Ends the calls that will not be executed, except those in `kept`. */
  failOpen(kept: ReadonlySet<string> = new Set()): ToolCallUpdate[] {
    return [...this.#open]
      .filter(([id]) => !kept.has(id))
      .map(([id, call]) => {
        this.#close(id, call);
        return this.#create('tool_call_update', call, { status: 'failed' });
      });
  }

  attachTerminal(toolCallId: string, terminalId: string): ToolCallUpdate {
    const call = this.#open.get(toolCallId);
    if (call) call.terminalId = terminalId;
    const content = [{ type: 'terminal' as const, terminalId }];
    if (!call) return this.#create('tool_call_update', { shownId: this.getShownId(toolCallId) }, { content });
    // A permission request shows the call as pending.
    return this.#create('tool_call_update', call, { status: 'in_progress', content });
  }

  #add(id: string, toolName: string): OpenCall {
    const shownId = this.#scope.ids.reserve(this.#prefix(id));
    const call: OpenCall = { shownId, toolName, args: undefined, terminalId: undefined };
    this.#ended.delete(id);
    this.#open.set(id, call);
    return call;
  }

  #close(id: string, call: OpenCall): void {
    this.#open.delete(id);
    this.#ended.set(id, call.shownId);
  }

  #prefix(id: string): string {
    return `${this.#scope.idPrefix ?? ''}${id}`;
  }

  #describe(call: OpenCall, args: ToolArguments) {
    const { cwd, hasUnknownFiles } = this.#scope;
    call.args = args;
    const { locations, ...shown } = describeToolCall(call.toolName, args, cwd);
    const content = call.terminalId === undefined ? describeToolContent(call.toolName, args, cwd) : [];
    return {
      ...shown,
      name: call.toolName,
      ...(locations.length > 0 && !hasUnknownFiles ? { locations } : {}),
      rawInput: createRawInput(args),
      ...(content.length > 0 ? { content } : {}),
    };
  }

  /** Without `content` the client keeps what it shows: the diff of a write. */
  #createResultFields({ toolName, args = {}, terminalId }: OpenCall, result: ShownResult, isError: boolean) {
    if (terminalId !== undefined) return { content: [{ type: 'terminal' as const, terminalId }] };
    const isChange = describesChange(toolName);
    if (!isError && isChange) return this.#createChangeFields(toolName, args, result.details);
    return { content: createResultContent(toolName, result, isError) };
  }

  /** The result of an edit has the changed lines with their context. */
  #createChangeFields(toolName: string, args: ToolArguments, details: unknown) {
    const path = resolveToolPath(args, this.#scope.cwd);
    const { diff, firstChangedLine: line } = isRecord(details) ? details : {};
    const changes = toolName === 'edit' && typeof diff === 'string' ? parseLineDiff(diff) : undefined;
    if (path === undefined || !changes) return {};
    const locations = typeof line === 'number' && !this.#scope.hasUnknownFiles ? { locations: [{ path, line }] } : {};
    return { content: createDiffBlocks(path, changes), ...locations };
  }

  #create(type: 'tool_call' | 'tool_call_update', { shownId }: { shownId: string }, fields: object): ToolCallUpdate {
    const { meta } = this.#scope;
    return {
      sessionUpdate: type,
      toolCallId: shownId,
      ...fields,
      ...(meta ? { _meta: { parley: meta } } : {}),
    } as ToolCallUpdate;
  }
}

function describesChange(toolName: string): boolean {
  return toolName === 'edit' || toolName === 'write';
}

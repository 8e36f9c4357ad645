// Encodes the stored conversation as updates.
import type { SessionUpdate } from '@agentclientprotocol/sdk';
import { isRecord } from '../../../base/index.ts';
import type { AgentMessage, SessionEntry, ToolCall, ToolResultMessage } from '../../../protocol/index.ts';
import type { ClientCapabilities } from '../client-capabilities.ts';
import { createBlockChunks, createMessageChunks, createTextChunks } from './message-chunks.ts';
import { createCompactionUpdate, encodePlanOfResult } from './session-facts.ts';
import { isRefusal } from './stop-reason.ts';
import { ToolCallEncoder, ToolCallIds } from './tool-call-encoder.ts';
import type { ContentItem } from './tool-content.ts';

export interface HistoryContext {
  readonly cwd: string;
  /** Compactions are only included when the client supports them. */
  readonly capabilities?: Pick<ClientCapabilities, 'compaction'>;
  /** The history ends before the first message of which this is true: its run is in progress, and its events follow. */
  readonly isSentLater?: (message: AgentMessage) => boolean;
}

/** The conversation on the branch that ends at `leafId`, from its first entry on, as updates: also what is before a compaction. */
export function* encodeHistory(
  entries: readonly SessionEntry[],
  leafId: string | null,
  context: HistoryContext,
): Iterable<SessionUpdate> {
  const path = collectPath(entries, leafId);
  const toolCalls = new ToolCallEncoder({ ids: new ToolCallIds(), cwd: context.cwd });
  for (const [index, entry] of path.entries()) {
    if (entry.type === 'message' && context.isSentLater?.(entry.message)) return;
    if (entry.type === 'message') yield* encodeMessage(entry.id, entry.message, { toolCalls, path, index });
    else if (entry.type === 'custom_message' && entry.display !== false) {
      yield* createMessageChunks(toBlocks(entry.content), entry.id, { customType: entry.customType });
    } else if (entry.type === 'compaction' && context.capabilities?.compaction) {
      yield createCompactionUpdate(entry.id, { result: entry, aborted: false });
    }
  }
}

/** From the first entry to the leaf. */
function collectPath(entries: readonly SessionEntry[], leafId: string | null): SessionEntry[] {
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const path = new Set<SessionEntry>();
  for (let id = leafId; id !== null; ) {
    const entry = byId.get(id);
    // A damaged log can contain a cycle.
    if (!entry || path.has(entry)) break;
    path.add(entry);
    id = entry.parentId;
  }
  return [...path].reverse();
}

interface PathPosition {
  readonly toolCalls: ToolCallEncoder;
  readonly path: readonly SessionEntry[];
  readonly index: number;
}

function* encodeMessage(id: string, message: AgentMessage, position: PathPosition): Iterable<SessionUpdate> {
  switch (message.role) {
    case 'user':
      yield* createMessageChunks(toBlocks(message.content), id);
      break;
    case 'custom':
      if (message.display !== false) {
        yield* createMessageChunks(toBlocks(message.content), id, { customType: message.customType });
      }
      break;
    case 'bashExecution':
      yield encodeShellCommand(id, message, position.toolCalls);
      break;
    case 'assistant':
      yield* encodeAnswer(id, message, position);
      break;
    default:
  }
}

function* encodeAnswer(
  id: string,
  message: Extract<AgentMessage, { role: 'assistant' }>,
  { toolCalls, path, index }: PathPosition,
): Iterable<SessionUpdate> {
  const results = collectResults(path, index);
  for (const block of toBlocks(message.content)) {
    if (block.type !== 'toolCall') {
      yield* createBlockChunks(block as (typeof message.content)[number], id);
      continue;
    }
    const call = block as ToolCall;
    if (typeof call.id !== 'string' || typeof call.name !== 'string') continue;
    const result = results.get(call.id);
    yield toolCalls.createFinished(
      { ...call, arguments: isRecord(call.arguments) ? call.arguments : {} },
      result && { ...result, result: { content: toBlocks(result.content), details: result.details } },
    );
    if (result) yield* encodePlanOfResult(call.name, result.details, result.isError);
  }
  if (isRefusal(message)) yield* createTextChunks('agent_message_chunk', message.errorMessage ?? '', id);
}

/** The results of the calls of one answer: they come before the next answer. */
function collectResults(path: readonly SessionEntry[], index: number): Map<string, ToolResultMessage> {
  const results = new Map<string, ToolResultMessage>();
  for (let at = index + 1; at < path.length; at++) {
    const entry = path[at];
    if (entry?.type !== 'message') continue;
    if (entry.message.role === 'assistant') break;
    if (entry.message.role === 'toolResult') results.set(entry.message.toolCallId, entry.message);
  }
  return results;
}

/** A command that the user ran is shown like a call of the bash tool. */
function encodeShellCommand(
  id: string,
  { command, output, exitCode, cancelled }: Extract<AgentMessage, { role: 'bashExecution' }>,
  toolCalls: ToolCallEncoder,
): SessionUpdate {
  const content = [{ type: 'text', text: String(output ?? '') }];
  const isError = cancelled || (exitCode !== undefined && exitCode !== 0);
  const details = { exitCode, cancelled };
  const call: ToolCall = { type: 'toolCall', id: `shell-${id}`, name: 'bash', arguments: { command } };
  return toolCalls.createFinished(call, {
    toolCallId: call.id,
    toolName: 'bash',
    result: { content, details },
    isError,
  });
}

/** Other programs write to these files too, so the content is checked. */
function toBlocks(content: unknown): readonly ContentItem[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) ? content.filter((block) => isRecord(block) && typeof block.type === 'string') : [];
}

// Encodes tool calls for Opal.
import { isRecord } from '../../base/index.ts';
import { type AgentEventOf, extractText } from '../../protocol/index.ts';
import type { OpalEvent } from './event-frames.ts';

const MAX_SUMMARY_LENGTH = 80;
/** A long output loses its beginning. This many characters are used to find where the previous update ended. */
const OVERLAP_LENGTH = 256;

export function createToolStartEvent({
  toolName,
  toolCallId,
  args,
}: AgentEventOf<'tool_execution_start'>): OpalEvent & { meta: string } {
  return {
    type: 'tool_execution_start',
    tool: toolName,
    call_id: toolCallId,
    args,
    meta: summarizeCall(toolName, args),
  };
}

export function createToolEndEvent(event: AgentEventOf<'tool_execution_end'>): OpalEvent {
  const { toolName, toolCallId, result, isError } = event;
  const text = extractText(result.content);
  const renderable = getRenderableDetails(result.details);
  const meta = isRecord(result.details) && !renderable ? { meta: result.details } : {};
  return {
    type: 'tool_execution_end',
    tool: toolName,
    call_id: toolCallId,
    result: isError ? { ok: false, error: text } : { ok: true, output: renderable ?? text, ...meta },
  };
}

/** Details with a `kind` can be rendered by the host, so they are sent instead of the text. */
function getRenderableDetails(details: unknown): unknown {
  return isRecord(details) && typeof details.kind === 'string' ? details : undefined;
}

/** The tool name and the first line of the first string argument: a path, a command or a pattern. */
function summarizeCall(tool: string, args: Record<string, unknown>): string {
  const firstText = Object.values(args).find((value): value is string => typeof value === 'string');
  const text = firstText === undefined ? tool : `${tool} ${firstText.split('\n', 1)[0]}`;
  return text.length > MAX_SUMMARY_LENGTH ? `${text.slice(0, MAX_SUMMARY_LENGTH - 1)}…` : text;
}

/** Updates contain the whole output so far. Opal gets only the new part. */
export class ToolOutputDeltas {
  readonly #sentText = new Map<string, string>();

  encodeUpdate(event: AgentEventOf<'tool_execution_update'>): OpalEvent[] {
    const { toolName, toolCallId, partialResult } = event;
    const text = extractText(partialResult.content);
    const chunk = findNewText(this.#sentText.get(toolCallId) ?? '', text);
    this.#sentText.set(toolCallId, text);
    return chunk === '' ? [] : [{ type: 'tool_output', tool: toolName, call_id: toolCallId, chunk }];
  }

  forget(callId: string): void {
    this.#sentText.delete(callId);
  }
}

function findNewText(before: string, now: string): string {
  if (now.startsWith(before)) return now.slice(before.length);
  const end = before.slice(-OVERLAP_LENGTH);
  const at = end === '' ? -1 : now.lastIndexOf(end);
  return at < 0 ? now : now.slice(at + end.length);
}

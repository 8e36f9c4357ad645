// First floor, dialects: tool calls as Opal tells them. Knows no tool by name.
import { isRecord } from '../../base/index.ts';
import { type AgentEventOf, textOf } from '../../protocol/index.ts';
import type { OpalEvent } from './envelope.ts';

const LONGEST_SUMMARY = 80;
/** What comes again in the next update, when the beginning of a long output is no longer shown. */
const OVERLAP = 256;

export function toolStart({
  toolName,
  toolCallId,
  args,
}: AgentEventOf<'tool_execution_start'>): OpalEvent & { meta: string } {
  return { type: 'tool_execution_start', tool: toolName, call_id: toolCallId, args, meta: summary(toolName, args) };
}

export function toolEnd(event: AgentEventOf<'tool_execution_end'>): OpalEvent {
  const { toolName, toolCallId, result, isError } = event;
  const text = textOf(result.content);
  const drawn = drawable(result.details);
  const meta = isRecord(result.details) && !drawn ? { meta: result.details } : {};
  return {
    type: 'tool_execution_end',
    tool: toolName,
    call_id: toolCallId,
    result: isError ? { ok: false, error: text } : { ok: true, output: drawn ?? text, ...meta },
  };
}

/** A result that says what kind it is can be drawn; it takes the place of the text. */
function drawable(details: unknown): unknown {
  return isRecord(details) && typeof details.kind === 'string' ? details : undefined;
}

/** The first words among the arguments: a path, a command, a pattern. */
function summary(tool: string, args: Record<string, unknown>): string {
  const words = Object.values(args).find((value): value is string => typeof value === 'string');
  const text = words === undefined ? tool : `${tool} ${words.split('\n', 1)[0]}`;
  return text.length > LONGEST_SUMMARY ? `${text.slice(0, LONGEST_SUMMARY - 1)}…` : text;
}

/** Updates hold everything so far; here only what is new is told. */
export class ToolOutput {
  readonly #shown = new Map<string, string>();

  grown(event: AgentEventOf<'tool_execution_update'>): OpalEvent[] {
    const { toolName, toolCallId, partialResult } = event;
    const text = textOf(partialResult.content);
    const chunk = newPart(this.#shown.get(toolCallId) ?? '', text);
    this.#shown.set(toolCallId, text);
    return chunk === '' ? [] : [{ type: 'tool_output', tool: toolName, call_id: toolCallId, chunk }];
  }

  forget(callId: string): void {
    this.#shown.delete(callId);
  }
}

function newPart(before: string, now: string): string {
  if (now.startsWith(before)) return now.slice(before.length);
  const end = before.slice(-OVERLAP);
  const at = end === '' ? -1 : now.lastIndexOf(end);
  return at < 0 ? now : now.slice(at + end.length);
}

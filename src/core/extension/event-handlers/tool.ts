// Events before and after a tool call. Extensions can block the call, change its input or change its result.
import { getErrorMessage, isRecord } from '../../../base/index.ts';
import type { Hooks, ToolCallHookResult, ToolResult } from '../../../contracts/index.ts';
import type { HandlerRunner } from '../handler-runner.ts';

/** Handlers may change `input` in place. A handler that throws or times out blocks the call, because it may be a permission check. */
export async function emitToolCall(
  runner: HandlerRunner,
  { toolName, toolCallId, input }: Parameters<NonNullable<Hooks['toolCall']>>[0],
): Promise<ToolCallHookResult> {
  let blockResult: ToolCallHookResult | undefined;
  const event = { type: 'tool_call', toolName, toolCallId, input: input as Record<string, unknown> };
  try {
    await runner.emit(
      event,
      (result, { path }) => {
        if (!isRecord(result) || result.block !== true) return false;
        const reason = typeof result.reason === 'string' && result.reason !== '' ? result.reason : undefined;
        blockResult = { block: true, reason: reason ?? `Tool execution was blocked by an extension (${path})` };
        return true;
      },
      { rethrow: true },
    );
  } catch (thrown) {
    return { block: true, reason: `An extension failed, so the tool was blocked: ${getErrorMessage(thrown)}` };
  }
  return blockResult ?? { input: event.input };
}

export async function emitToolResult(
  runner: HandlerRunner,
  toolResult: Parameters<NonNullable<Hooks['toolResult']>>[0],
): Promise<Partial<ToolResult>> {
  let changes: Partial<ToolResult> = {};
  const event = { type: 'tool_result', ...toolResult, content: [...toolResult.content] };
  await runner.emit(event, (result) => {
    if (!isRecord(result)) return false;
    const { content, details, isError } = result as Partial<ToolResult>;
    changes = {
      ...changes,
      ...(Array.isArray(content) ? { content } : {}),
      ...(details === undefined ? {} : { details }),
      ...(typeof isError === 'boolean' ? { isError } : {}),
    };
    Object.assign(event, changes);
    return false;
  });
  return changes;
}

// First floor, core: tools about to be used, and what came of it, as extensions may object to it or change it.
import { isRecord, messageOf } from '../../../base/index.ts';
import type { CallVerdict, Hooks, ToolResult } from '../../../contracts/index.ts';
import type { HandlerRunner } from '../runner.ts';

/** Handlers may change `input` in place. One that fails, or does not come back, blocks: it may be what guards the gate. */
export async function toolCall(
  runner: HandlerRunner,
  { toolName, toolCallId, input }: Parameters<NonNullable<Hooks['toolCall']>>[0],
): Promise<CallVerdict> {
  let blocked: CallVerdict | undefined;
  const event = { type: 'tool_call', toolName, toolCallId, input: input as Record<string, unknown> };
  try {
    await runner.emit(
      event,
      (result, { path }) => {
        if (!isRecord(result) || result.block !== true) return false;
        const reason = typeof result.reason === 'string' && result.reason !== '' ? result.reason : undefined;
        blocked = { block: true, reason: reason ?? `Tool execution was blocked by an extension (${path})` };
        return true;
      },
      { throws: true },
    );
  } catch (thrown) {
    return { block: true, reason: `An extension failed, so the tool was blocked: ${messageOf(thrown)}` };
  }
  return blocked ?? { input: event.input };
}

export async function toolResult(
  runner: HandlerRunner,
  finished: Parameters<NonNullable<Hooks['toolResult']>>[0],
): Promise<Partial<ToolResult>> {
  let changes: Partial<ToolResult> = {};
  const event = { type: 'tool_result', ...finished, content: [...finished.content] };
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

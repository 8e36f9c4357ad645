// Runs the tool calls of one answer, in order.
import { getErrorMessage } from '../../base/index.ts';
import type { ToolResult } from '../../contracts/index.ts';
import {
  type AgentMessage,
  type AssistantMessage,
  getToolCalls,
  type ToolCall,
  type ToolResultMessage,
} from '../../protocol/index.ts';
import { createErrorResult, getAbortReason } from './error-result.ts';
import { executeTool, resolveCall } from './execute-tool.ts';
import type { RunScope } from './run-scope.ts';

const SKIPPED = 'Skipped due to queued user message.';
const FAILED = 'Tool execution failed due to an error.';
const TRUNCATED = 'The answer reached its length limit before this tool call was complete. Nothing was executed.';

export interface ToolBatch {
  readonly results: ToolResultMessage[];
  /** True if there are results and all of them ask to end the run. */
  readonly terminate: boolean;
}

interface CallOutcome {
  readonly message: ToolResultMessage;
  readonly terminate: boolean;
}

/** What an earlier process has left of one call. */
export interface CallProgress {
  readonly result?: ToolResultMessage | undefined;
  /** The call may have had effects. This is its result, unless its tool only reads. */
  readonly interruption?: string | undefined;
}

/** An answer whose tool calls an earlier process has not finished. */
export interface OpenTurn {
  readonly answer: AssistantMessage;
  /** For each call. */
  readonly progress: readonly CallProgress[];
}

/**
 * Every call gets exactly one result, even if it never ran: providers refuse a history with an unanswered call. With `progress`,
 * only the calls that an earlier process has left are run.
 */
export async function runToolCalls(
  scope: RunScope,
  answer: AssistantMessage,
  newMessages: AgentMessage[],
  progress: readonly CallProgress[] = [],
): Promise<ToolBatch> {
  const results: ToolResultMessage[] = [];
  let terminatingCount = 0;
  let interrupted = false;
  for (const [index, call] of getToolCalls(answer).entries()) {
    const { result, interruption } = progress[index] ?? {};
    if (result) {
      results.push(result);
    } else {
      const isInterrupted = interruption !== undefined && (await canHaveEffects(scope, call));
      const reason = isInterrupted ? interruption : getSkipReason(scope, answer, interrupted);
      const { message, terminate } = reason ? await skipCall(scope, call, reason) : await runCall(scope, call);
      results.push(message);
      newMessages.push(message);
      if (terminate) terminatingCount += 1;
    }
    interrupted = scope.interruptMode === 'immediate' && scope.hasSteering;
  }
  return { results, terminate: terminatingCount > 0 && terminatingCount === results.length };
}

async function canHaveEffects(scope: RunScope, call: ToolCall): Promise<boolean> {
  return (await resolveCall(scope, call)).tool?.effect !== 'read';
}

function getSkipReason(scope: RunScope, answer: AssistantMessage, interrupted: boolean): string | undefined {
  if (answer.stopReason === 'aborted' || scope.signal.aborted) return getAbortReason(scope);
  if (answer.stopReason === 'error') return FAILED;
  if (answer.stopReason === 'length') return TRUNCATED;
  return scope.limits.haltReason ?? (interrupted ? SKIPPED : undefined);
}

async function runCall(scope: RunScope, modelCall: ToolCall): Promise<CallOutcome> {
  const resolved = await resolveCall(scope, modelCall);
  const { call } = resolved;
  const startedAt = scope.clock.now();
  await scope.emit(createStartEvent(call));
  await scope.limits.countToolCall();
  let isFinished = false;
  const result = await executeTool(scope, resolved, (partialResult) => {
    // Ignore updates that a tool sends after its result: hosts do not expect them.
    if (!isFinished) void scope.emit({ ...createStartEvent(call), type: 'tool_execution_update', partialResult });
  }).catch((thrown): ToolResult => createErrorResult(getErrorMessage(thrown)));
  isFinished = true;
  return finishCall(scope, { call, modelCall }, result, scope.clock.now() - startedAt);
}

async function skipCall(scope: RunScope, modelCall: ToolCall, reason: string): Promise<CallOutcome> {
  const { call } = await resolveCall(scope, modelCall);
  await scope.emit(createStartEvent(call));
  return finishCall(scope, { call, modelCall }, createErrorResult(reason), 0);
}

/** The message has the name that the model used, because some providers match results by name. The event has that of the tool that ran. */
async function finishCall(
  scope: RunScope,
  { call, modelCall }: { readonly call: ToolCall; readonly modelCall: ToolCall },
  outcome: ToolResult,
  durationMs: number,
): Promise<CallOutcome> {
  const { isError = false, terminate = false, ...result } = outcome;
  const message: ToolResultMessage = {
    role: 'toolResult',
    toolCallId: call.id,
    toolName: modelCall.name,
    ...result,
    isError,
    timestamp: scope.clock.now(),
  };
  const end = { toolCallId: call.id, toolName: call.name, result, isError, durationMs };
  await scope.emit({ type: 'tool_execution_end', ...end });
  await scope.emit({ type: 'message_start', message });
  await scope.record(message);
  await scope.emit({ type: 'message_end', message });
  return { message, terminate };
}

function createStartEvent(call: ToolCall) {
  return { type: 'tool_execution_start', toolCallId: call.id, toolName: call.name, args: call.arguments } as const;
}

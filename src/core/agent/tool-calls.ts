// First floor, core: the tool calls of one answer, in order. Knows tools by their contract only, never by name.
import { messageOf } from '../../base/index.ts';
import type { ToolResult } from '../../contracts/index.ts';
import {
  type AgentMessage,
  type AssistantMessage,
  callsOf,
  type ToolCall,
  type ToolResultMessage,
} from '../../protocol/index.ts';
import { executeTool } from './execute-tool.ts';
import type { RunScope } from './scope.ts';
import { abortReason, errorResult } from './tool-result.ts';

const SKIPPED = 'Skipped due to queued user message.';
const FAILED = 'Tool execution failed due to an error.';
const CUT_OFF = 'The answer reached its length limit before this tool call was complete. Nothing was executed.';

export interface ToolBatch {
  readonly results: ToolResultMessage[];
  /** There are results, and all of them ask to end the run. One that does not still needs the model. */
  readonly terminate: boolean;
}

interface Finished {
  readonly message: ToolResultMessage;
  readonly terminate: boolean;
}

/** Every call gets exactly one result, also when it never ran: a history with an open call is refused by providers. */
export async function runToolCalls(
  scope: RunScope,
  answer: AssistantMessage,
  made: AgentMessage[],
): Promise<ToolBatch> {
  const results: ToolResultMessage[] = [];
  let ending = 0;
  let interrupted = false;
  for (const call of callsOf(answer)) {
    const reason = reasonNotToRun(scope, answer, interrupted);
    const { message, terminate } = reason ? await refuse(scope, call, reason) : await carryOut(scope, call);
    results.push(message);
    made.push(message);
    if (terminate) ending += 1;
    interrupted = scope.interruptMode === 'immediate' && scope.hasSteering;
  }
  return { results, terminate: ending > 0 && ending === results.length };
}

function reasonNotToRun(scope: RunScope, answer: AssistantMessage, interrupted: boolean): string | undefined {
  if (answer.stopReason === 'aborted' || scope.signal.aborted) return abortReason(scope);
  if (answer.stopReason === 'error') return FAILED;
  if (answer.stopReason === 'length') return CUT_OFF;
  return scope.limits.halted ?? (interrupted ? SKIPPED : undefined);
}

async function carryOut(scope: RunScope, call: ToolCall): Promise<Finished> {
  const begun = scope.clock.now();
  await scope.emit(startOf(call));
  await scope.limits.toolStarts();
  let over = false;
  const result = await executeTool(scope, call, (partialResult) => {
    // A tool that still talks after it has answered would confuse every display.
    if (!over) void scope.emit({ ...startOf(call), type: 'tool_execution_update', partialResult });
  }).catch((thrown): ToolResult => errorResult(messageOf(thrown)));
  over = true;
  return finish(scope, call, result, scope.clock.now() - begun);
}

async function refuse(scope: RunScope, call: ToolCall, reason: string): Promise<Finished> {
  await scope.emit(startOf(call));
  return finish(scope, call, errorResult(reason), 0);
}

async function finish(scope: RunScope, call: ToolCall, outcome: ToolResult, durationMs: number): Promise<Finished> {
  const { isError = false, terminate = false, ...result } = outcome;
  const message: ToolResultMessage = {
    role: 'toolResult',
    toolCallId: call.id,
    toolName: call.name,
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

function startOf(call: ToolCall) {
  return { type: 'tool_execution_start', toolCallId: call.id, toolName: call.name, args: call.arguments } as const;
}

// First floor, core: one tool call from arguments to result. Every failure becomes a result that the model can read.
import { Fault, messageOf } from '../../base/index.ts';
import { check, type Tool, type ToolResult } from '../../contracts/index.ts';
import type { ToolCall } from '../../protocol/index.ts';
import type { RunScope } from './scope.ts';
import { errorResult } from './tool-result.ts';
import { orAfterAbort } from './until-aborted.ts';

export async function executeTool(
  scope: RunScope,
  call: ToolCall,
  update: (partial: ToolResult) => void,
): Promise<ToolResult> {
  const tool = scope.tools.get(call.name);
  if (!tool) return errorResult(`Tool ${call.name} not found`);
  let params: unknown;
  try {
    params = check(tool.params, call.arguments);
  } catch (thrown) {
    return errorResult(`Invalid arguments for tool ${call.name}: ${messageOf(thrown)}`);
  }
  const abandoned = () => errorResult('Tool execution was aborted.');
  return orAfterAbort(attempt(scope, tool, call, params, update), abandoned, scope.signal, scope.clock);
}

async function attempt(
  scope: RunScope,
  tool: Tool,
  call: ToolCall,
  params: unknown,
  update: (partial: ToolResult) => void,
): Promise<ToolResult> {
  try {
    return await tool.run(params, { toolCallId: call.id, signal: scope.signal, update, ...scope.toolSurroundings });
  } catch (thrown) {
    if (thrown instanceof Fault) return errorResult(thrown.message, thrown.details ?? {});
    return errorResult(messageOf(thrown));
  }
}

// First floor, core: one tool call from arguments to result. Every failure becomes a result that the model can read.
import { Fault, messageOf } from '../../base/index.ts';
import { check, type Tool, type ToolResult } from '../../contracts/index.ts';
import type { ToolCall } from '../../protocol/index.ts';
import type { RunScope } from './scope.ts';
import { abortedResult, errorResult } from './tool-result.ts';
import { orAfterAbort } from './until-aborted.ts';

type Update = (partial: ToolResult) => void;
type Input = Record<string, unknown>;

export async function executeTool(scope: RunScope, call: ToolCall, update: Update): Promise<ToolResult> {
  const tool = scope.tools.get(call.name) ?? (await scope.newTool(call.name));
  if (!tool) return errorResult(`Tool ${call.name} not found`);
  const abandoned = () => abortedResult(scope);
  const running = attempt(scope, tool, call, update);
  const result = await orAfterAbort(running, abandoned, scope.signal, scope.clock, tool.abortGraceMs);
  return withReadableImages(result);
}

/** An image that no provider reads would make every later request fail. */
async function withReadableImages(result: ToolResult): Promise<ToolResult> {
  if (!result.content.some(({ type }) => type === 'image')) return result;
  const { readableContent } = await import('../context/images.ts');
  const content = readableContent(result.content);
  return content === result.content ? result : { ...result, content };
}

async function attempt(scope: RunScope, tool: Tool, call: ToolCall, update: Update): Promise<ToolResult> {
  try {
    let params = await checked(tool, call.arguments);
    let input = call.arguments;
    if (scope.hooks.toolCall) {
      const permitted = await permission(scope, tool, call);
      if ('content' in permitted) return permitted;
      // Whoever changes the arguments may get them wrong, as the model may.
      if (permitted.input !== input) params = await checked(tool, permitted.input);
      input = permitted.input;
    }
    if (scope.signal.aborted) return abortedResult(scope);
    const result = await carriedOut(scope, tool, call, params, update);
    return scope.hooks.toolResult ? await revised(scope, call, input, result) : result;
  } catch (thrown) {
    return asResult(thrown);
  }
}

async function checked(tool: Tool, input: Input): Promise<unknown> {
  try {
    const params = check(tool.params, input);
    if (tool.verify) await tool.verify(input);
    return params;
  } catch (thrown) {
    throw new Fault('invalid_params', `Invalid arguments for tool ${tool.name}: ${messageOf(thrown)}`);
  }
}

async function permission(scope: RunScope, tool: Tool, call: ToolCall): Promise<{ input: Input } | ToolResult> {
  const verdict = await scope.hooks.toolCall?.({
    toolCallId: call.id,
    toolName: call.name,
    effect: tool.effect,
    input: structuredClone(call.arguments),
    signal: scope.signal,
  });
  if (verdict && 'block' in verdict) return errorResult(verdict.reason);
  return verdict ?? { input: call.arguments };
}

async function carriedOut(
  scope: RunScope,
  tool: Tool,
  call: ToolCall,
  params: unknown,
  update: Update,
): Promise<ToolResult> {
  try {
    return await tool.run(params, { toolCallId: call.id, signal: scope.signal, update, ...scope.toolSurroundings });
  } catch (thrown) {
    return asResult(thrown);
  }
}

/** What the model is told, after others had a look at it. */
async function revised(scope: RunScope, call: ToolCall, input: Input, result: ToolResult): Promise<ToolResult> {
  const { content, details, isError = false } = result;
  const finished = { toolCallId: call.id, toolName: call.name, input, content, details, isError };
  return { ...result, ...(await scope.hooks.toolResult?.(finished)) };
}

function asResult(thrown: unknown): ToolResult {
  if (thrown instanceof Fault) return errorResult(thrown.message, thrown.details ?? {});
  return errorResult(messageOf(thrown));
}

// Executes one tool call: validation, hooks, run. Every failure becomes an error result for the model.
import { Fault, getErrorMessage } from '../../base/index.ts';
import { type Tool, type ToolResult, validate } from '../../contracts/index.ts';
import type { ToolCall } from '../../protocol/index.ts';
import { createAbortedResult, createErrorResult } from './error-result.ts';
import type { RunScope } from './run-scope.ts';
import { withAbortFallback } from './take-until-aborted.ts';

type UpdateListener = (partial: ToolResult) => void;
type ToolInput = Record<string, unknown>;

/** A call as it is run. */
export interface ResolvedCall {
  readonly tool: Tool | undefined;
  readonly call: ToolCall;
}

/** Finds the tool of a call. A tool may pass the call on to another tool. */
export async function resolveCall(scope: RunScope, call: ToolCall): Promise<ResolvedCall> {
  const tool = scope.tools.get(call.name) ?? (await scope.findNewTool(call.name));
  const delegated = tool?.delegate?.(call.arguments);
  if (!delegated) return { tool, call };
  return { tool: delegated.tool, call: { ...call, name: delegated.tool.name, arguments: delegated.input } };
}

export async function executeTool(
  scope: RunScope,
  { tool, call }: ResolvedCall,
  onUpdate: UpdateListener,
): Promise<ToolResult> {
  if (!tool) return createErrorResult(`Tool ${call.name} not found`);
  const createFallback = () => createAbortedResult(scope);
  const work = validateAndRun(scope, tool, call, onUpdate);
  const result = await withAbortFallback(work, createFallback, scope.signal, scope.clock, tool.abortGraceMs);
  return replaceUnreadableToolImages(result);
}

/** An image that no provider accepts would make every later request fail. */
async function replaceUnreadableToolImages(result: ToolResult): Promise<ToolResult> {
  if (!result.content.some(({ type }) => type === 'image')) return result;
  const { replaceUnreadableImages } = await import('../context/images.ts');
  const content = replaceUnreadableImages(result.content);
  return content === result.content ? result : { ...result, content };
}

async function validateAndRun(
  scope: RunScope,
  tool: Tool,
  call: ToolCall,
  onUpdate: UpdateListener,
): Promise<ToolResult> {
  try {
    let params = await validateArguments(tool, call.arguments);
    let input = call.arguments;
    if (scope.hooks.toolCall) {
      const permitted = await runToolCallHook(scope, tool, call);
      if ('content' in permitted) return permitted;
      // A hook can return invalid arguments, as the model can.
      if (permitted.input !== input) params = await validateArguments(tool, permitted.input);
      input = permitted.input;
    }
    if (scope.signal.aborted) return createAbortedResult(scope);
    if (scope.recordToolStart && tool.effect !== 'read') {
      const problem = await scope.recordToolStart(call.id);
      if (problem !== undefined) return createErrorResult(problem);
      if (scope.signal.aborted) return createAbortedResult(scope);
    }
    const result = await runTool(scope, tool, call, params, onUpdate);
    return scope.hooks.toolResult ? await runToolResultHook(scope, call, input, result) : result;
  } catch (thrown) {
    return toErrorResult(thrown);
  }
}

async function validateArguments(tool: Tool, toolInput: ToolInput): Promise<unknown> {
  try {
    const params = validate(tool.params, toolInput);
    return tool.validateInput ? await tool.validateInput(toolInput) : params;
  } catch (thrown) {
    throw new Fault('invalid_params', `Invalid arguments for tool ${tool.name}: ${getErrorMessage(thrown)}`);
  }
}

async function runToolCallHook(
  scope: RunScope,
  tool: Tool,
  call: ToolCall,
): Promise<{ input: ToolInput } | ToolResult> {
  const hookResult = await scope.hooks.toolCall?.({
    toolCallId: call.id,
    toolName: call.name,
    effect: tool.effect,
    input: structuredClone(call.arguments),
    cwd: scope.toolContext.cwd,
    signal: scope.signal,
    listSubjects: (input) => tool.listSubjects?.(validate(tool.params, input)) ?? [],
    isEscalated: (input) => tool.isEscalated?.(validate(tool.params, input)) ?? false,
    async previewDiff(input) {
      // A call that cannot be previewed fails when it is run, with a message for the model.
      const context = { ...scope.toolContext, signal: scope.signal };
      return tool.previewDiff?.(validate(tool.params, input), context).catch(() => undefined);
    },
  });
  if (hookResult && 'block' in hookResult) return createErrorResult(hookResult.reason);
  return hookResult ?? { input: call.arguments };
}

async function runTool(
  scope: RunScope,
  tool: Tool,
  call: ToolCall,
  params: unknown,
  onUpdate: UpdateListener,
): Promise<ToolResult> {
  try {
    return await tool.run(params, {
      toolCallId: call.id,
      signal: scope.signal,
      update: onUpdate,
      ...scope.toolContext,
    });
  } catch (thrown) {
    return toErrorResult(thrown);
  }
}

/** Returns the result with the changes that the hook made. */
async function runToolResultHook(
  scope: RunScope,
  call: ToolCall,
  toolInput: ToolInput,
  result: ToolResult,
): Promise<ToolResult> {
  const { content, details, isError = false } = result;
  const finished = { toolCallId: call.id, toolName: call.name, input: toolInput, content, details, isError };
  return { ...result, ...(await scope.hooks.toolResult?.(finished)) };
}

function toErrorResult(thrown: unknown): ToolResult {
  if (thrown instanceof Fault) return createErrorResult(thrown.message, thrown.details ?? {});
  return createErrorResult(getErrorMessage(thrown));
}

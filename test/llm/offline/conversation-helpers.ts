// Helpers for conversations with the offline model, with scripted tool results.
import type { ToolDefinition } from '../../../src/contracts/index.ts';
import { offlineModel } from '../../../src/llm/offline/offline-model.ts';
import { type PlanRequest, planStep, type Step } from '../../../src/llm/offline/plan-step.ts';
import {
  type AssistantMessage,
  createEmptyUsage,
  type ImageContent,
  type ModelMessage,
  type ToolCall,
  type ToolResultMessage,
  type UserMessage,
} from '../../../src/protocol/index.ts';

const TOOL_NAMES = ['read', 'bash', 'edit', 'write', 'grep', 'find', 'ls'];
export const tools: ToolDefinition[] = TOOL_NAMES.map((name) => ({
  name,
  description: `the ${name} tool`,
  parameters: { type: 'object', properties: {} },
}));

export function user(...content: (string | ImageContent)[]): UserMessage {
  const blocks = content.map((part) => (typeof part === 'string' ? { type: 'text' as const, text: part } : part));
  return { role: 'user', content: blocks, timestamp: 1 };
}

export const image: ImageContent = { type: 'image', data: 'AA==', mimeType: 'image/png' };

export function assistant(
  content: AssistantMessage['content'],
  overrides: Partial<AssistantMessage> = {},
): AssistantMessage {
  const calls = content.some((block) => block.type === 'toolCall');
  return {
    role: 'assistant',
    content,
    api: offlineModel.api,
    provider: offlineModel.provider,
    model: offlineModel.id,
    usage: createEmptyUsage(),
    stopReason: calls ? 'toolUse' : 'stop',
    timestamp: 2,
    ...overrides,
  };
}

export function call(id: string, name: string, args: Record<string, unknown>): ToolCall {
  return { type: 'toolCall', id, name, arguments: args };
}

export function result(toolCall: ToolCall, text: string, isError = false): ToolResultMessage {
  const content = [{ type: 'text' as const, text }];
  return { role: 'toolResult', toolCallId: toolCall.id, toolName: toolCall.name, content, isError, timestamp: 3 };
}

export function plan(messages: readonly ModelMessage[], overrides: Partial<PlanRequest> = {}): Step {
  return planStep({ systemPrompt: '', messages, tools, thinkingLevel: 'off', ...overrides });
}

export function joinTexts(step: Step): string {
  return step.texts.map((part) => (typeof part === 'string' ? part : `(counts to ${part.countTo})`)).join('\n\n');
}

/** The result of a tool: a text, or an error. */
export type ScriptedResult = string | { error: string };
type ScriptedTools = Record<string, ScriptedResult | ((args: Record<string, unknown>) => ScriptedResult)>;

/** Runs turns until the model calls no more tools. */
export function runConversation(
  history: readonly ModelMessage[],
  results: ScriptedTools,
  overrides: Partial<PlanRequest> = {},
) {
  const messages = [...history];
  const turns: string[][] = [];
  for (;;) {
    const step = plan(messages, overrides);
    const calls = step.calls.map((plannedCall, index) =>
      call(`c${messages.length}_${index}`, plannedCall.name, plannedCall.arguments),
    );
    messages.push(assistant([{ type: 'text', text: joinTexts(step) }, ...calls]));
    if (calls.length === 0) return { turns, text: joinTexts(step), messages };
    turns.push(calls.map((toolCall) => `${toolCall.name} ${JSON.stringify(toolCall.arguments)}`));
    if (turns.length > 20) throw new Error('The model never stops');
    for (const toolCall of calls) {
      const scripted = results[toolCall.name] ?? { error: `Tool ${toolCall.name} not found` };
      const toolResult = typeof scripted === 'function' ? scripted(toolCall.arguments) : scripted;
      messages.push(
        typeof toolResult === 'string' ? result(toolCall, toolResult) : result(toolCall, toolResult.error, true),
      );
    }
  }
}

/** No surrogate pair was split. */
export function hasNoSplitCharacters(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}

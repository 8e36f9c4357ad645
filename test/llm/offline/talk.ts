// A conversation with the offline model in a test: its own steps, tools that answer from a table.
import type { ToolOffer } from '../../../src/contracts/index.ts';
import { offlineModel } from '../../../src/llm/offline/model.ts';
import { planStep, type Question, type Step } from '../../../src/llm/offline/plan.ts';
import {
  type AssistantMessage,
  type ImageContent,
  type ModelMessage,
  noUsage,
  type ToolCall,
  type ToolResultMessage,
  type UserMessage,
} from '../../../src/protocol/index.ts';

const TOOL_NAMES = ['read', 'bash', 'edit', 'write', 'grep', 'find', 'ls'];
export const tools: ToolOffer[] = TOOL_NAMES.map((name) => ({
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
  more: Partial<AssistantMessage> = {},
): AssistantMessage {
  const calls = content.some((block) => block.type === 'toolCall');
  return {
    role: 'assistant',
    content,
    api: offlineModel.api,
    provider: offlineModel.provider,
    model: offlineModel.id,
    usage: noUsage(),
    stopReason: calls ? 'toolUse' : 'stop',
    timestamp: 2,
    ...more,
  };
}

export function call(id: string, name: string, args: Record<string, unknown>): ToolCall {
  return { type: 'toolCall', id, name, arguments: args };
}

export function result(of: ToolCall, text: string, isError = false): ToolResultMessage {
  const content = [{ type: 'text' as const, text }];
  return { role: 'toolResult', toolCallId: of.id, toolName: of.name, content, isError, timestamp: 3 };
}

export function ask(messages: readonly ModelMessage[], more: Partial<Question> = {}): Step {
  return planStep({ systemPrompt: '', messages, tools, thinkingLevel: 'off', ...more });
}

export function wordsOf(step: Step): string {
  return step.speech.map((part) => (typeof part === 'string' ? part : `(counts to ${part.countTo})`)).join('\n\n');
}

/** What a tool answers: a text, or an error. */
export type Answer = string | { error: string };
type Tools = Record<string, Answer | ((args: Record<string, unknown>) => Answer)>;

/** Plays turns until the model calls no more tools. */
export function play(history: readonly ModelMessage[], answers: Tools, more: Partial<Question> = {}) {
  const messages = [...history];
  const turns: string[][] = [];
  for (;;) {
    const step = ask(messages, more);
    const calls = step.calls.map((planned, index) =>
      call(`c${messages.length}_${index}`, planned.name, planned.arguments),
    );
    messages.push(assistant([{ type: 'text', text: wordsOf(step) }, ...calls]));
    if (calls.length === 0) return { turns, words: wordsOf(step), messages };
    turns.push(calls.map((made) => `${made.name} ${JSON.stringify(made.arguments)}`));
    if (turns.length > 20) throw new Error('The model never stops');
    for (const made of calls) {
      const known = answers[made.name] ?? { error: `Tool ${made.name} not found` };
      const answer = typeof known === 'function' ? known(made.arguments) : known;
      messages.push(typeof answer === 'string' ? result(made, answer) : result(made, answer.error, true));
    }
  }
}

/** No character was cut in two. */
export function isWhole(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}

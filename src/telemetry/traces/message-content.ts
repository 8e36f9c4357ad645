// Converts messages to the JSON of the GenAI semantic conventions, without secrets. Used only if the user wants content in traces.
import { createRedactor } from '../../base/redaction.ts';
import type { AgentMessage, AssistantMessage } from '../../protocol/index.ts';
import type { Attributes } from '../vendor/open-telemetry.ts';
import { toFinishReason } from './span-attributes.ts';

/** Of each text in a message. Collectors refuse requests of some MiB. */
const MAX_TEXT_LENGTH = 16 * 1024;

type Part = Readonly<Record<string, unknown>> & { readonly type: string };

/** Each method returns the attributes of a span. */
export interface ContentRecorder {
  describeInput(messages: readonly AgentMessage[]): Attributes;
  describeOutput(message: AssistantMessage): Attributes;
  describeInstructions(systemPrompt: string): Attributes;
  describeArguments(args: unknown): Attributes;
  describeResult(result: unknown): Attributes;
  describeError(message: string): string;
}

/** `listSecrets` is called for each text, because keys can become known later. */
export function createContentRecorder(listSecrets: () => readonly string[]): ContentRecorder {
  const redact = createRedactor({ [Symbol.iterator]: () => listSecrets()[Symbol.iterator]() });
  /** Truncated after the secrets are removed, so that no part of one is left. */
  const clean = (text: string) => redact(text).slice(0, MAX_TEXT_LENGTH);
  const toText = (value: unknown) =>
    redact(JSON.stringify(value, (_, member) => (typeof member === 'string' ? clean(member) : member)) ?? '');
  return {
    describeInput: (messages) =>
      messages.length === 0 ? {} : { 'gen_ai.input.messages': toText(messages.map(toInputMessage)) },
    describeOutput: (message) => ({ 'gen_ai.output.messages': toText([toOutputMessage(message)]) }),
    describeInstructions: (systemPrompt) =>
      systemPrompt === '' ? {} : { 'gen_ai.system_instructions': toText([{ type: 'text', content: systemPrompt }]) },
    describeArguments: (args) => ({ 'gen_ai.tool.call.arguments': toText(args) }),
    describeResult: (result) => ({ 'gen_ai.tool.call.result': toText(result) }),
    describeError: clean,
  };
}

function toOutputMessage(message: AssistantMessage) {
  return { role: 'assistant', parts: toParts(message.content), finish_reason: toFinishReason(message.stopReason) };
}

function toInputMessage(message: AgentMessage): { role: string; parts: Part[] } {
  switch (message.role) {
    case 'toolResult': {
      const result = toParts(message.content);
      return { role: 'tool', parts: [{ type: 'tool_call_response', id: message.toolCallId, result }] };
    }
    case 'bashExecution':
      return { role: 'user', parts: toParts(`${message.command}\n${message.output}`) };
    case 'compactionSummary':
    case 'branchSummary':
      return { role: 'user', parts: toParts(message.summary) };
    case 'assistant':
      return { role: 'assistant', parts: toParts(message.content) };
    default:
      return { role: 'user', parts: toParts(message.content) };
  }
}

function toParts(content: string | readonly { readonly type: string }[]): Part[] {
  if (typeof content === 'string') return [{ type: 'text', content }];
  return content.map((block) => {
    const fields = block as Readonly<Record<string, unknown>> & { readonly type: string };
    if (block.type === 'text') return { type: 'text', content: fields.text };
    if (block.type === 'thinking') return { type: 'reasoning', content: fields.thinking };
    if (block.type === 'toolCall')
      return { type: 'tool_call', id: fields.id, name: fields.name, arguments: fields.arguments };
    // The data of an image is too large for a span.
    return { type: block.type };
  });
}

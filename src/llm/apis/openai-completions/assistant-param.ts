// Converts an earlier answer to the Chat Completions format, including its thinking.

import type {
  ChatCompletionAssistantMessageParam,
  ChatCompletionMessageFunctionToolCall,
} from 'openai/resources/chat/completions';
import { tryParseJson } from '../../../base/index.ts';
import type { ModelRequest } from '../../../contracts/index.ts';
import type { AssistantMessage, ThinkingContent, ToolCall } from '../../../protocol/index.ts';
import type { Compat } from '../../providers/compat.ts';
import { joinDetails, parseSignature, THINKING_FIELDS, type ThinkingField } from './signature.ts';

interface ThinkingChunk {
  type: 'thinking';
  thinking: { type: 'text'; text: string }[];
}

type Content = string | null | ({ type: 'text'; text: string } | ThinkingChunk)[];
type WireCall = ChatCompletionMessageFunctionToolCall & { extra_content?: unknown };

/** The message of the format, with the thinking fields that providers added. */
export type AssistantParam = Pick<ChatCompletionAssistantMessageParam, 'role'> & { content: Content } & {
  [field in ThinkingField]?: string;
} & { reasoning_details?: Record<string, unknown>[]; tool_calls?: WireCall[] };

/** `undefined` when the message is empty, for example when the answer was aborted before its first token. */
export function toAssistantParam(
  message: AssistantMessage,
  request: ModelRequest,
  compat: Compat,
): AssistantParam | undefined {
  const calls = message.content.filter((block) => block.type === 'toolCall');
  const thoughts = compat.replaysThinking ? message.content.filter((block) => block.type === 'thinking') : [];
  const content = buildContent(message, thoughts, compat);
  if (content === null && calls.length === 0) return undefined;
  return {
    role: 'assistant',
    content,
    ...buildReplayFields(thoughts, request, compat),
    ...(calls.length === 0 ? {} : { tool_calls: calls.map(toCallParam) }),
  };
}

function buildContent(message: AssistantMessage, thoughts: readonly ThinkingContent[], compat: Compat): Content {
  const texts = message.content.flatMap((block) => (block.type === 'text' && block.text.trim() ? [block.text] : []));
  const text = texts.join('\n\n');
  const parts = texts.map((item) => ({ type: 'text' as const, text: item }));
  const chunks = filterBySignature(thoughts, 'content').map(toThinkingChunk);
  if (chunks.length > 0) return [...chunks, ...parts];
  const tagged = compat.requiresThinkTags
    ? filterBySignature(thoughts, 'think').map((block) => `<think>${block.thinking}</think>`)
    : [];
  const asText = compat.requiresThinkingAsText ? thoughts.map((block) => block.thinking) : [];
  return [...asText, ...tagged, text].filter((piece) => piece !== '').join('\n\n') || null;
}

function filterBySignature(thoughts: readonly ThinkingContent[], form: string): ThinkingContent[] {
  return thoughts.filter(({ thinkingSignature, thinking }) => thinkingSignature === form && thinking !== '');
}

function toThinkingChunk({ thinking }: ThinkingContent): ThinkingChunk {
  return { type: 'thinking', thinking: [{ type: 'text', text: thinking }] };
}

function buildReplayFields(
  thoughts: readonly ThinkingContent[],
  request: ModelRequest,
  compat: Compat,
): Partial<AssistantParam> {
  const details = thoughts.flatMap(({ thinkingSignature, thinking }) => {
    const detail = parseSignature(thinkingSignature);
    return typeof detail === 'object' ? [{ detail, text: thinking }] : [];
  });
  if (details.length > 0) return { reasoning_details: joinDetails(details) };
  if (compat.requiresThinkingAsText) return {};
  const field = THINKING_FIELDS.find((name) => filterBySignature(thoughts, name).length > 0);
  if (field)
    return {
      [field]: filterBySignature(thoughts, field)
        .map(({ thinking }) => thinking)
        .join('\n\n'),
    };
  // Required even if the answer had no thinking. A space is the shortest accepted value.
  const isRequired = compat.requiresReasoningContentOnAssistantMessages && request.thinkingLevel !== 'off';
  return isRequired && request.model.reasoning ? { reasoning_content: ' ' } : {};
}

function toCallParam({ id, name, arguments: args, thoughtSignature }: ToolCall): WireCall {
  return {
    id,
    type: 'function',
    function: { name, arguments: JSON.stringify(args) },
    ...(thoughtSignature === undefined ? {} : { extra_content: tryParseJson(thoughtSignature) }),
  };
}

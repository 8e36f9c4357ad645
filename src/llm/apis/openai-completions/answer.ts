// First floor, llm: one earlier answer as Chat Completions wants it back, its thinking included. Pure.
import type {
  ChatCompletionAssistantMessageParam,
  ChatCompletionMessageFunctionToolCall,
} from 'openai/resources/chat/completions';
import type { ModelRequest } from '../../../contracts/index.ts';
import type { AssistantMessage, ThinkingContent, ToolCall } from '../../../protocol/index.ts';
import type { Compat } from '../../providers/compat.ts';
import { FIELDS, joinDetails, readSignature, type ThinkingField } from './signature.ts';

interface ThinkingChunk {
  type: 'thinking';
  thinking: { type: 'text'; text: string }[];
}

type Content = string | null | ({ type: 'text'; text: string } | ThinkingChunk)[];
type WireCall = ChatCompletionMessageFunctionToolCall & { extra_content?: unknown };

/** The format's own message, and what hosts added to it for thinking. */
export type AnswerParam = Pick<ChatCompletionAssistantMessageParam, 'role'> & { content: Content } & {
  [field in ThinkingField]?: string;
} & { reasoning_details?: Record<string, unknown>[]; tool_calls?: WireCall[] };

/** `undefined` when nothing is left to say: the answer was stopped before its first word. */
export function answerParam(message: AssistantMessage, request: ModelRequest, compat: Compat): AnswerParam | undefined {
  const calls = message.content.filter((block) => block.type === 'toolCall');
  const thoughts = compat.replaysThinking ? message.content.filter((block) => block.type === 'thinking') : [];
  const content = contentOf(message, thoughts, compat);
  if (content === null && calls.length === 0) return undefined;
  return {
    role: 'assistant',
    content,
    ...fieldsOf(thoughts, request, compat),
    ...(calls.length === 0 ? {} : { tool_calls: calls.map(callParam) }),
  };
}

function contentOf(message: AssistantMessage, thoughts: readonly ThinkingContent[], compat: Compat): Content {
  const texts = message.content.flatMap((block) => (block.type === 'text' && block.text.trim() ? [block.text] : []));
  const text = texts.join('\n\n');
  const parts = texts.map((each) => ({ type: 'text' as const, text: each }));
  const chunks = of(thoughts, 'content').map(thinkingChunk);
  if (chunks.length > 0) return [...chunks, ...parts];
  const tagged = compat.requiresThinkTags
    ? of(thoughts, 'think').map((block) => `<think>${block.thinking}</think>`)
    : [];
  const spoken = compat.requiresThinkingAsText ? thoughts.map((block) => block.thinking) : [];
  return [...spoken, ...tagged, text].filter((piece) => piece !== '').join('\n\n') || null;
}

function of(thoughts: readonly ThinkingContent[], form: string): ThinkingContent[] {
  return thoughts.filter(({ thinkingSignature, thinking }) => thinkingSignature === form && thinking !== '');
}

function thinkingChunk({ thinking }: ThinkingContent): ThinkingChunk {
  return { type: 'thinking', thinking: [{ type: 'text', text: thinking }] };
}

function fieldsOf(thoughts: readonly ThinkingContent[], request: ModelRequest, compat: Compat): Partial<AnswerParam> {
  const details = thoughts.flatMap(({ thinkingSignature, thinking }) => {
    const detail = readSignature(thinkingSignature);
    return typeof detail === 'object' ? [{ detail, text: thinking }] : [];
  });
  if (details.length > 0) return { reasoning_details: joinDetails(details) };
  if (compat.requiresThinkingAsText) return {};
  const field = FIELDS.find((name) => of(thoughts, name).length > 0);
  if (field)
    return {
      [field]: of(thoughts, field)
        .map(({ thinking }) => thinking)
        .join('\n\n'),
    };
  // Even where there was none; a blank is the least that counts as there.
  const due = compat.requiresReasoningContentOnAssistantMessages && request.thinkingLevel !== 'off';
  return due && request.model.reasoning ? { reasoning_content: ' ' } : {};
}

function callParam({ id, name, arguments: args, thoughtSignature }: ToolCall): WireCall {
  return {
    id,
    type: 'function',
    function: { name, arguments: JSON.stringify(args) },
    ...(thoughtSignature === undefined ? {} : { extra_content: parsed(thoughtSignature) }),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

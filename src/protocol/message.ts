// Schemas of the messages of a session.
import {
  array,
  boolean,
  type InferOutput,
  literal,
  number,
  object,
  optional,
  picklist,
  string,
  union,
  unknown,
} from 'valibot';
import { assistantContent, attachment, type TextContent, type ToolCall, userContent } from './content.ts';
import { usage } from './usage.ts';

/** Milliseconds since the epoch. */
const timestamp = number();

export const userMessage = object({
  role: literal('user'),
  content: union([string(), userContent]),
  attachments: optional(array(attachment)),
  timestamp,
});

export const stopReason = picklist(['stop', 'length', 'toolUse', 'error', 'aborted']);

export const assistantMessage = object({
  role: literal('assistant'),
  content: assistantContent,
  api: string(),
  provider: string(),
  model: string(),
  usage,
  stopReason,
  errorMessage: optional(string()),
  timestamp,
});

export const toolResultMessage = object({
  role: literal('toolResult'),
  toolCallId: string(),
  toolName: string(),
  content: userContent,
  details: optional(unknown()),
  isError: boolean(),
  timestamp,
});

/** A command that the host ran with `bash`, not the model. */
export const bashExecutionMessage = object({
  role: literal('bashExecution'),
  command: string(),
  output: string(),
  exitCode: optional(number()),
  cancelled: boolean(),
  truncated: boolean(),
  artifactId: optional(string()),
  excludeFromContext: optional(boolean()),
  timestamp,
});

/** A message that an extension or the agent itself adds to the context. */
export const customMessage = object({
  role: literal('custom'),
  customType: string(),
  content: union([string(), userContent]),
  display: boolean(),
  details: optional(unknown()),
  timestamp,
});

export const compactionSummaryMessage = object({
  role: literal('compactionSummary'),
  summary: string(),
  tokensBefore: number(),
  timestamp,
});

export const branchSummaryMessage = object({
  role: literal('branchSummary'),
  summary: string(),
  fromId: string(),
  timestamp,
});

/** The messages that a model accepts. All other messages are converted to one of these before a request. */
export const modelMessage = union([userMessage, assistantMessage, toolResultMessage]);

export const agentMessage = union([
  userMessage,
  assistantMessage,
  toolResultMessage,
  bashExecutionMessage,
  customMessage,
  compactionSummaryMessage,
  branchSummaryMessage,
]);

export type UserMessage = InferOutput<typeof userMessage>;
export type AssistantMessage = InferOutput<typeof assistantMessage>;
export type StopReason = InferOutput<typeof stopReason>;
export type ToolResultMessage = InferOutput<typeof toolResultMessage>;
export type BashExecutionMessage = InferOutput<typeof bashExecutionMessage>;
export type CustomMessage = InferOutput<typeof customMessage>;
export type ModelMessage = InferOutput<typeof modelMessage>;
export type AgentMessage = InferOutput<typeof agentMessage>;

/** The text blocks of a message's content, joined by newlines. */
export function extractText(content: string | readonly { type: string }[]): string {
  if (typeof content === 'string') return content;
  return content
    .filter((block): block is TextContent => block.type === 'text')
    .map((block) => block.text)
    .join('\n');
}

export function getToolCalls(message: AssistantMessage): ToolCall[] {
  return message.content.filter((block): block is ToolCall => block.type === 'toolCall');
}

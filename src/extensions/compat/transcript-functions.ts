// Functions of pi-ai for transcripts with system messages. Pure.
import { isRecord } from '../../base/index.ts';
import type { ToolDefinition } from '../../contracts/index.ts';
import {
  createInitialSystemMessage,
  getCurrentSystemMessage,
  getCurrentSystemPrompt,
  getCurrentTools,
  getSystemMessageText,
  isSystemMessage,
  type SystemMessage,
} from '../../core/extension/index.ts';

type Message = { readonly role: string };

interface Context {
  systemPrompt?: string;
  messages: readonly Message[];
  tools?: readonly ToolDefinition[];
}

type Transcript = { messages: Message[] };

function normalizeContext({ systemPrompt, messages, tools, ...rest }: Context): Transcript {
  const first = createInitialSystemMessage(systemPrompt, tools);
  return { ...rest, messages: first ? [first, ...messages] : [...messages] };
}

function getInitialSystemMessage(messages: readonly Message[]): SystemMessage | undefined {
  const [first] = messages;
  return isSystemMessage(first) ? first : undefined;
}

function withoutInitialSystemMessage(messages: readonly Message[]): Message[] {
  return messages.slice(getInitialSystemMessage(messages) ? 1 : 0);
}

/** Puts the effect of all system messages into the first one. */
function collapseSystemMessages<C extends Transcript>(context: C): C {
  const first = getCurrentSystemMessage(context.messages);
  const others = context.messages.filter((message) => !isSystemMessage(message));
  return { ...context, messages: first ? [first, ...others] : others };
}

function resolveTranscript<C extends Transcript>(context: C, keepsSystemMessages?: boolean): C {
  return keepsSystemMessages ? context : collapseSystemMessages(context);
}

/** Only the fields that a model sees. */
function toToolDeclaration({ name, description, parameters }: ToolDefinition): ToolDefinition {
  return { name, description, parameters: JSON.parse(JSON.stringify(parameters ?? {})) };
}

function declarationsEqual(left: ToolDefinition, right: ToolDefinition): boolean {
  return JSON.stringify(toToolDeclaration(left)) === JSON.stringify(toToolDeclaration(right));
}

/** A changed tool is removed and added. */
function getToolStateChanges(previous: readonly ToolDefinition[], current: readonly ToolDefinition[]) {
  const has = (tools: readonly ToolDefinition[], tool: ToolDefinition) =>
    tools.some((other) => other.name === tool.name && declarationsEqual(other, tool));
  return {
    toolsAdded: current.filter((tool) => !has(previous, tool)),
    toolsRemoved: previous.filter((tool) => !has(current, tool)).map(({ name }) => ({ name })),
  };
}

function listAddedTools(messages: readonly Message[]): ToolDefinition[] {
  return messages.filter(isSystemMessage).flatMap(({ toolsAdded = [] }) => toolsAdded);
}

function getDeclaredTools(messages: readonly Message[]): ToolDefinition[] {
  return [...new Map(listAddedTools(messages).map((tool) => [tool.name, tool])).values()];
}

function hasToolRedefinitions(messages: readonly Message[]): boolean {
  const declared = new Map<string, ToolDefinition>();
  return listAddedTools(messages).some((tool) => {
    const earlier = declared.get(tool.name);
    declared.set(tool.name, tool);
    return earlier !== undefined && !declarationsEqual(earlier, tool);
  });
}

function hasNonAdditiveToolChanges(messages: readonly Message[]): boolean {
  const systemMessages = messages.filter(isSystemMessage);
  return hasToolRedefinitions(messages) || systemMessages.some(({ toolsRemoved = [] }) => toolsRemoved.length > 0);
}

/** Requests carry one list of tools: the current ones. */
function resolveTranscriptTools(messages: readonly Message[]) {
  return { requestTools: getCurrentTools(messages), foldedSystemMessages: messages.filter(isSystemMessage).length };
}

function renderSystemMessageUpdate(message: SystemMessage): string {
  const sections = Object.entries(message.sections ?? {}).map(([name, text]) =>
    text === null ? `The section "${name}" no longer applies.` : `The section "${name}" is now:\n${text}`,
  );
  return [getSystemMessageText({ ...message, sections: {} }), ...sections].filter((text) => text !== '').join('\n\n');
}

function contentText(content: unknown, separator = '\n'): string {
  if (typeof content === 'string') return content;
  const blocks = Array.isArray(content) ? content : [];
  return blocks
    .flatMap((block) => (isRecord(block) && block.type === 'text' ? [String(block.text)] : []))
    .join(separator);
}

export const transcriptFunctions = {
  createInitialSystemMessage,
  getCurrentSystemMessage,
  getCurrentSystemPrompt,
  getCurrentTools,
  getSystemMessageText,
  normalizeContext,
  getInitialSystemMessage,
  withoutInitialSystemMessage,
  collapseSystemMessages,
  resolveTranscript,
  toToolDeclaration,
  declarationsEqual,
  getToolStateChanges,
  getDeclaredTools,
  hasToolRedefinitions,
  hasNonAdditiveToolChanges,
  resolveTranscriptTools,
  renderSystemMessageUpdate,
  contentText,
};

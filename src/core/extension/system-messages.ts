// System messages of pi: the first message of a transcript has the system prompt and the tools, later ones change them. Pure.
import { isRecord } from '../../base/index.ts';
import type { ToolDefinition } from '../../contracts/index.ts';
import { extractText, type TextContent } from '../../protocol/index.ts';

export interface SystemMessage {
  role: 'system';
  content: string | TextContent[];
  /** Named parts of the prompt after `content`. `null` removes a part that an earlier message has. */
  sections?: Record<string, string | null>;
  toolsAdded?: ToolDefinition[];
  toolsRemoved?: { name: string }[];
  timestamp: number;
}

type Transcript = readonly { readonly role: string }[];

export function isSystemMessage(message: unknown): message is SystemMessage {
  return isRecord(message) && message.role === 'system';
}

/** `undefined` when there is neither a prompt nor a tool. */
export function createInitialSystemMessage(
  systemPrompt: string | undefined,
  tools: readonly ToolDefinition[] | undefined,
): SystemMessage | undefined {
  if (!systemPrompt && !tools?.length) return undefined;
  return {
    role: 'system',
    content: systemPrompt ?? '',
    ...(tools?.length ? { toolsAdded: [...tools] } : {}),
    timestamp: 0,
  };
}

/** The content, then the sections. */
export function getSystemMessageText({ content, sections = {} }: SystemMessage): string {
  const parts = [typeof content === 'string' ? content : extractText(content), ...Object.values(sections)];
  return parts.filter((part) => part).join('\n\n');
}

export function getCurrentTools(messages: Transcript): ToolDefinition[] {
  const tools = new Map<string, ToolDefinition>();
  for (const { toolsRemoved = [], toolsAdded = [] } of messages.filter(isSystemMessage)) {
    for (const { name } of toolsRemoved) tools.delete(name);
    for (const tool of toolsAdded) tools.set(tool.name, tool);
  }
  return [...tools.values()];
}

/** One message with the prompt and the tools after all system messages of the transcript. */
export function getCurrentSystemMessage(messages: Transcript): SystemMessage | undefined {
  const systemMessages = messages.filter(isSystemMessage);
  const [first] = systemMessages;
  if (!first) return undefined;
  const texts = systemMessages.map((message) => getSystemMessageText({ ...message, sections: {} }));
  const patched = Object.assign({}, ...systemMessages.map(({ sections }) => sections)) as Record<string, string | null>;
  const sections = Object.fromEntries(Object.entries(patched).filter(([, text]) => text !== null));
  const tools = getCurrentTools(messages);
  return {
    role: 'system',
    content: texts.filter((text) => text !== '').join('\n\n'),
    ...(Object.keys(sections).length > 0 ? { sections } : {}),
    ...(tools.length > 0 ? { toolsAdded: tools } : {}),
    timestamp: first.timestamp,
  };
}

export function getCurrentSystemPrompt(messages: Transcript): string {
  const message = getCurrentSystemMessage(messages);
  return message ? getSystemMessageText(message) : '';
}

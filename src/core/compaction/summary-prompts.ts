// The prompts of a compaction, and the assembly of the summary from the model's answers. Pure.
import type { Tool } from '../../contracts/index.ts';
import { type AgentMessage, extractText, getToolCalls } from '../../protocol/index.ts';

/** Longer tool results are truncated in the text that the model summarises. */
const MAX_RESULT_CHARACTERS = 2000;

export const SUMMARY_SYSTEM_PROMPT =
  'You write summaries of conversations between a user and a coding agent. Read the conversation and answer with the summary only, in the requested format. Do not continue the conversation, and do not answer questions in it.';

const SUMMARY_FORMAT = `Write a summary that lets another model continue this work. Use exactly this format:

## Goal
The user's goal.

## Constraints & Preferences
- What the user asked for or ruled out, or "(none)".

## Progress
### Done
- [x] What is finished.

### In Progress
- [ ] Work in progress.

### Blocked
- Blockers, if any.

## Key Decisions
- **Decision**: why.

## Next Steps
1. What comes next, in order.

## Critical Context
- Facts, names, paths and errors that are needed to continue the work, or "(none)".

Keep it short, and keep file paths, function names and error messages exactly as they are.`;

const UPDATE_INSTRUCTION = `The summary in <previous-summary> covers what came before this conversation. Carry everything over that still matters, move finished work to Done, and add what is new. `;

const TURN_PREFIX_INSTRUCTION = `This is the beginning of a turn that is too long to keep; its end is kept as it is. Summarise, in a few lines, what the user asked for in this turn, what was done so far, and what is needed to understand the rest.`;

export function buildHistoryPrompt(
  messages: readonly AgentMessage[],
  previous: string | undefined,
  customInstructions: string | undefined,
): string {
  const parts = [formatConversation(messages)];
  if (previous) parts.push(`<previous-summary>\n${previous}\n</previous-summary>`);
  parts.push(`${previous ? UPDATE_INSTRUCTION : ''}${SUMMARY_FORMAT}`);
  return [...parts, ...formatFocus(customInstructions)].join('\n\n');
}

export function buildTurnPrefixPrompt(
  messages: readonly AgentMessage[],
  customInstructions: string | undefined,
): string {
  return [formatConversation(messages), TURN_PREFIX_INSTRUCTION, ...formatFocus(customInstructions)].join('\n\n');
}

/** The prompt for summarising a branch that is left. With `replaceInstructions` only the custom instructions are used. */
export function buildBranchPrompt(messages: readonly AgentMessage[], instructions: BranchInstructions): string {
  const { customInstructions, replaceInstructions } = instructions;
  if (!customInstructions || !replaceInstructions) return buildHistoryPrompt(messages, undefined, customInstructions);
  return `${formatConversation(messages)}\n\n${customInstructions}`;
}

export interface BranchInstructions {
  readonly customInstructions?: string | undefined;
  readonly replaceInstructions?: boolean | undefined;
}

function formatFocus(customInstructions: string | undefined): string[] {
  return customInstructions ? [`Additional focus: ${customInstructions}`] : [];
}

/** Formats the messages as one text, so that the model does not continue the conversation. */
function formatConversation(messages: readonly AgentMessage[]): string {
  return `<conversation>\n${messages.flatMap(formatMessage).join('\n\n')}\n</conversation>`;
}

function formatMessage(message: AgentMessage): string[] {
  switch (message.role) {
    case 'assistant': {
      const thinking = message.content
        .flatMap((block) => (block.type === 'thinking' ? [block.thinking] : []))
        .join('\n');
      const text = extractText(message.content);
      const calls = getToolCalls(message).map((call) => `${call.name}(${formatArguments(call.arguments)})`);
      return [
        ...(thinking ? [`[Assistant thinking]: ${thinking}`] : []),
        ...(text ? [`[Assistant]: ${text}`] : []),
        ...(calls.length > 0 ? [`[Assistant tool calls]: ${calls.join('; ')}`] : []),
      ];
    }
    case 'toolResult':
      return [`[Tool result]: ${truncate(extractText(message.content))}`];
    case 'bashExecution':
      return message.excludeFromContext ? [] : [`[User]: Ran \`${message.command}\`\n${truncate(message.output)}`];
    case 'compactionSummary':
    case 'branchSummary':
      return [`[User]: ${message.summary}`];
    default: {
      const text = extractText(message.content);
      return text === '' ? [] : [`[User]: ${text}`];
    }
  }
}

function formatArguments(toolArguments: Record<string, unknown>): string {
  return Object.entries(toolArguments)
    .map(([key, value]) => `${key}=${truncate(JSON.stringify(value) ?? 'undefined')}`)
    .join(', ');
}

function truncate(text: string): string {
  return text.length <= MAX_RESULT_CHARACTERS
    ? text
    : `${text.slice(0, MAX_RESULT_CHARACTERS)}\n… (${text.length - MAX_RESULT_CHARACTERS} more characters)`;
}

export interface FileDetails {
  readFiles: string[];
  modifiedFiles: string[];
}

/** Files that were read or modified, including those of previous compactions. A modified file is not listed as read. */
export function collectFileDetails(
  messages: readonly AgentMessage[],
  tools: readonly Tool[],
  previous: unknown,
): FileDetails {
  const fileAccessByTool = new Map(tools.map((tool) => [tool.name, tool.fileAccess]));
  const previousDetails = previous as Partial<FileDetails> | undefined;
  const read = new Set(filterStrings(previousDetails?.readFiles));
  const modified = new Set(filterStrings(previousDetails?.modifiedFiles));
  for (const call of messages.flatMap((m) => (m.role === 'assistant' ? getToolCalls(m) : []))) {
    const { path } = call.arguments;
    if (typeof path !== 'string') continue;
    if (fileAccessByTool.get(call.name) === 'read') read.add(path);
    if (fileAccessByTool.get(call.name) === 'modified') modified.add(path);
  }
  return { readFiles: [...read].filter((path) => !modified.has(path)).sort(), modifiedFiles: [...modified].sort() };
}

function filterStrings(list: unknown): string[] {
  return Array.isArray(list) ? list.filter((item) => typeof item === 'string') : [];
}

/** Joins the summary of the history, the summary of the split turn and the file lists. */
export function assembleSummary(
  history: string | undefined,
  turnPrefix: string | undefined,
  files: FileDetails,
): string {
  const parts = [history ?? 'No prior history.'];
  if (turnPrefix) parts.push(`---\n\n**Turn Context (split turn):**\n\n${turnPrefix}`);
  if (files.readFiles.length > 0) parts.push(`<read-files>\n${files.readFiles.join('\n')}\n</read-files>`);
  if (files.modifiedFiles.length > 0) {
    parts.push(`<modified-files>\n${files.modifiedFiles.join('\n')}\n</modified-files>`);
  }
  return parts.join('\n\n');
}

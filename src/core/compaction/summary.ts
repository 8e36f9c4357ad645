// First floor, core: the words of a compaction: what the model is asked for, and how its answer becomes the summary. Pure.
import type { Tool } from '../../contracts/index.ts';
import { type AgentMessage, callsOf, textOf } from '../../protocol/index.ts';

/** A tool result in the transcript is there to be summarised, not repeated. */
const LONGEST_RESULT = 2000;

export const SUMMARY_SYSTEM_PROMPT =
  'You write summaries of conversations between a user and a coding agent. Read the conversation and answer with the summary only, in the form that is asked for. Do not continue the conversation, and do not answer questions in it.';

const FORM = `Write a summary that lets another model carry on with this work. Use exactly this form:

## Goal
What the user wants to reach.

## Constraints & Preferences
- What the user asked for or ruled out, or "(none)".

## Progress
### Done
- [x] What is finished.

### In Progress
- [ ] What is under way.

### Blocked
- What is in the way, if anything.

## Key Decisions
- **Decision**: why.

## Next Steps
1. What comes next, in order.

## Critical Context
- Facts, names, paths and errors without which the work could not go on, or "(none)".

Keep it short, and keep file paths, function names and error messages exactly as they are.`;

const UPDATE = `The summary in <previous-summary> covers what came before this conversation. Carry everything over that still matters, move finished work to Done, and add what is new. `;

const PREFIX_FORM = `This is the beginning of a turn that is too long to keep; its end is kept as it is. Summarise, in a few lines, what the user asked for in this turn, what was done so far, and what is needed to understand the rest.`;

export function historyRequest(
  messages: readonly AgentMessage[],
  previous: string | undefined,
  customInstructions: string | undefined,
): string {
  const parts = [conversationOf(messages)];
  if (previous) parts.push(`<previous-summary>\n${previous}\n</previous-summary>`);
  parts.push(`${previous ? UPDATE : ''}${FORM}`);
  return [...parts, ...focus(customInstructions)].join('\n\n');
}

export function prefixRequest(messages: readonly AgentMessage[], customInstructions: string | undefined): string {
  return [conversationOf(messages), PREFIX_FORM, ...focus(customInstructions)].join('\n\n');
}

/** For what is left behind on another line. Instructions that replace ours are all that is asked for. */
export function branchRequest(messages: readonly AgentMessage[], instructions: BranchInstructions): string {
  const { customInstructions, replaceInstructions } = instructions;
  if (!customInstructions || !replaceInstructions) return historyRequest(messages, undefined, customInstructions);
  return `${conversationOf(messages)}\n\n${customInstructions}`;
}

export interface BranchInstructions {
  readonly customInstructions?: string | undefined;
  readonly replaceInstructions?: boolean | undefined;
}

function focus(customInstructions: string | undefined): string[] {
  return customInstructions ? [`Additional focus: ${customInstructions}`] : [];
}

/** One text, so that no provider mistakes the conversation for one to be continued. */
function conversationOf(messages: readonly AgentMessage[]): string {
  return `<conversation>\n${messages.flatMap(lines).join('\n\n')}\n</conversation>`;
}

function lines(message: AgentMessage): string[] {
  switch (message.role) {
    case 'assistant': {
      const thinking = message.content
        .flatMap((block) => (block.type === 'thinking' ? [block.thinking] : []))
        .join('\n');
      const text = textOf(message.content);
      const calls = callsOf(message).map((call) => `${call.name}(${args(call.arguments)})`);
      return [
        ...(thinking ? [`[Assistant thinking]: ${thinking}`] : []),
        ...(text ? [`[Assistant]: ${text}`] : []),
        ...(calls.length > 0 ? [`[Assistant tool calls]: ${calls.join('; ')}`] : []),
      ];
    }
    case 'toolResult':
      return [`[Tool result]: ${cut(textOf(message.content))}`];
    case 'bashExecution':
      return message.excludeFromContext ? [] : [`[User]: Ran \`${message.command}\`\n${cut(message.output)}`];
    case 'compactionSummary':
    case 'branchSummary':
      return [`[User]: ${message.summary}`];
    default: {
      const text = textOf(message.content);
      return text === '' ? [] : [`[User]: ${text}`];
    }
  }
}

function args(given: Record<string, unknown>): string {
  return Object.entries(given)
    .map(([key, value]) => `${key}=${cut(JSON.stringify(value) ?? 'undefined')}`)
    .join(', ');
}

function cut(text: string): string {
  return text.length <= LONGEST_RESULT
    ? text
    : `${text.slice(0, LONGEST_RESULT)}\n… (${text.length - LONGEST_RESULT} more characters)`;
}

export interface FileDetails {
  readFiles: string[];
  modifiedFiles: string[];
}

/** The files that were touched, so far and in compactions before; a file that was changed is not listed as read. */
export function fileDetails(messages: readonly AgentMessage[], tools: readonly Tool[], previous: unknown): FileDetails {
  const what = new Map(tools.map((tool) => [tool.name, tool.file]));
  const before = previous as Partial<FileDetails> | undefined;
  const read = new Set(strings(before?.readFiles));
  const modified = new Set(strings(before?.modifiedFiles));
  for (const call of messages.flatMap((m) => (m.role === 'assistant' ? callsOf(m) : []))) {
    const { path } = call.arguments;
    if (typeof path !== 'string') continue;
    if (what.get(call.name) === 'read') read.add(path);
    if (what.get(call.name) === 'modified') modified.add(path);
  }
  return { readFiles: [...read].filter((path) => !modified.has(path)).sort(), modifiedFiles: [...modified].sort() };
}

function strings(list: unknown): string[] {
  return Array.isArray(list) ? list.filter((item) => typeof item === 'string') : [];
}

/** The summary as it is kept: the history, the split turn, the files. */
export function finished(history: string | undefined, turnPrefix: string | undefined, files: FileDetails): string {
  const parts = [history ?? 'No prior history.'];
  if (turnPrefix) parts.push(`---\n\n**Turn Context (split turn):**\n\n${turnPrefix}`);
  if (files.readFiles.length > 0) parts.push(`<read-files>\n${files.readFiles.join('\n')}\n</read-files>`);
  if (files.modifiedFiles.length > 0) {
    parts.push(`<modified-files>\n${files.modifiedFiles.join('\n')}\n</modified-files>`);
  }
  return parts.join('\n\n');
}

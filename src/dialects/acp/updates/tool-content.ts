// The content of tool calls: text, images and diffs.
import type { ContentBlock, ToolCallContent } from '@agentclientprotocol/sdk';
import { escapeInvisible } from '../../../base/escape-invisible.ts';
import { isRecord } from '../../../base/index.ts';
import { extractText } from '../../../protocol/index.ts';
import { describeToolCall, getText, resolveToolPath, type ToolArguments } from './describe-tool-call.ts';
import { createDiffBlocks, type TextChange } from './diff-blocks.ts';
import { limitText, limitToEnd, limitValue, MAX_CONTENT_LENGTH, MAX_RAW_LENGTH } from './limits.ts';

/** A block of a message or of a tool result. Stored blocks may have been written by other programs. */
export interface ContentItem {
  readonly type: string;
  readonly text?: unknown;
}

export interface ShownResult {
  readonly content: readonly ContentItem[];
  readonly details?: unknown;
}

/** Characters of the output that is shown while a tool runs. Every update contains all of it. */
const MAX_PROGRESS_LENGTH = 10_000;
/** Base64 characters: more than the largest image that the tools return. */
const MAX_IMAGE_LENGTH = 8 * 1024 * 1024;
/** Tools whose output is not Markdown. Clients render text as Markdown. */
const PLAIN_OUTPUT: ReadonlySet<string> = new Set(['bash', 'read', 'ls', 'find', 'grep']);

/** What a call will do, derived from its arguments: the change of an edit, or a command that the title does not show whole. */
export function describeToolContent(toolName: string, args: ToolArguments, cwd: string): ToolCallContent[] {
  if (toolName === 'bash') return describeCommand(args, cwd);
  const path = resolveToolPath(args, cwd) ?? getText(args, 'path');
  if (path === undefined) return [];
  if (toolName === 'edit') return createDiffBlocks(path, listEdits(args));
  if (toolName !== 'write' || typeof args.content !== 'string') return [];
  return createDiffBlocks(path, [{ oldText: null, newText: args.content }]);
}

/** The content of a running call: the end of its output. */
export function createProgressContent(toolName: string, result: ShownResult): ToolCallContent[] {
  const text = limitToEnd(extractText(result.content), MAX_PROGRESS_LENGTH);
  return text === '' ? [] : [createTextContent(PLAIN_OUTPUT.has(toolName) ? fence(text) : text)];
}

/** The content of a finished call. `isPlain`: the text is not Markdown. */
export function createResultContent(toolName: string, result: ShownResult, isError: boolean): ToolCallContent[] {
  const isPlain = isError || PLAIN_OUTPUT.has(toolName);
  let left = MAX_CONTENT_LENGTH;
  return result.content.flatMap((block): ToolCallContent[] => {
    const text = block.type === 'text' ? block.text : undefined;
    if (typeof text !== 'string') return toImageBlocks(block).map((content) => ({ type: 'content', content }));
    if (text === '' || left <= 0) return [];
    const limited = limitText(text, left);
    left -= limited.length;
    return [createTextContent(isPlain ? fence(limited) : limited)];
  });
}

/** The raw output of a finished call: its text and the details for display. */
export function createRawOutput(result: ShownResult): Record<string, unknown> {
  const details = limitValue(result.details, MAX_RAW_LENGTH);
  const hasDetails = details !== undefined && !(isRecord(details) && Object.keys(details).length === 0);
  return { text: limitText(extractText(result.content), MAX_RAW_LENGTH), ...(hasDetails ? { details } : {}) };
}

export function createRawInput(args: ToolArguments): unknown {
  return limitValue(args, MAX_RAW_LENGTH);
}

export function createTextContent(text: string): ToolCallContent {
  return { type: 'content', content: { type: 'text', text } };
}

/** Empty for blocks that are not images. An image that is too large is replaced by a note. */
export function toImageBlocks(block: ContentItem): ContentBlock[] {
  if (block.type !== 'image') return [];
  const { data, mimeType, source } = block as Partial<Record<'data' | 'mimeType' | 'source', unknown>>;
  if (isRecord(source) && typeof source.url === 'string') {
    return [{ type: 'resource_link', name: 'image', uri: source.url }];
  }
  if (typeof data !== 'string' || typeof mimeType !== 'string') return [];
  if (data.length > MAX_IMAGE_LENGTH) {
    return [{ type: 'text', text: `[An image is not shown: its data has ${data.length} characters]` }];
  }
  return [{ type: 'image', data, mimeType }];
}

/** A code block whose delimiter does not occur in the text. */
export function fence(text: string, language = ''): string {
  const longest = Math.max(2, ...(text.match(/`{3,}/g) ?? []).map((run) => run.length));
  const delimiter = '`'.repeat(longest + 1);
  return `${delimiter}${language}\n${text}${text.endsWith('\n') ? '' : '\n'}${delimiter}`;
}

function describeCommand(args: ToolArguments, cwd: string): ToolCallContent[] {
  const command = getText(args, 'command');
  if (command === undefined || describeToolCall('bash', args, cwd).title.includes(command)) return [];
  const visible = limitText(command, MAX_CONTENT_LENGTH).replace(/[^\n\t]+/g, escapeInvisible);
  return [createTextContent(fence(visible, 'sh'))];
}

function listEdits(args: ToolArguments): TextChange[] {
  const edits = Array.isArray(args.edits) ? args.edits.filter(isRecord) : [];
  return [...edits, args].flatMap(({ oldText, newText }) =>
    typeof oldText === 'string' && typeof newText === 'string' ? [{ oldText, newText }] : [],
  );
}

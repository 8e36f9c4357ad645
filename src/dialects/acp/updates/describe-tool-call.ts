// How a tool call is shown to a person: title, kind and file locations.
import { isAbsolute, relative, resolve, sep } from 'node:path';
import type { ToolCallLocation, ToolKind } from '@agentclientprotocol/sdk';
import { escapeInvisible } from '../../../base/escape-invisible.ts';
import { getOwnValue, isRecord } from '../../../base/index.ts';

export type ToolArguments = Readonly<Record<string, unknown>>;

export interface ToolCallDescription {
  readonly title: string;
  readonly kind: ToolKind;
  readonly locations: ToolCallLocation[];
}

interface ToolPresentation {
  readonly kind: ToolKind;
  /** `path` formats a path argument for display. */
  formatTitle(args: ToolArguments, path: (name: string) => string | undefined): string;
  /** The tool opens the file in `path`. */
  readonly opensFile?: boolean;
}

export const MAX_TITLE_LENGTH = 250;
const MCP_PREFIX = 'mcp__';
const URI_SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;

const TOOLS: Readonly<Record<string, ToolPresentation>> = {
  read: {
    kind: 'read',
    opensFile: true,
    formatTitle: (args, path) => `Read ${path('path') ?? 'a file'}${formatLineRange(args)}`,
  },
  write: { kind: 'edit', opensFile: true, formatTitle: (_, path) => `Write ${path('path') ?? 'a file'}` },
  edit: { kind: 'edit', opensFile: true, formatTitle: (_, path) => `Edit ${path('path') ?? 'a file'}` },
  ls: { kind: 'search', formatTitle: (_, path) => `List files${formatDirectory(path('path'))}` },
  find: {
    kind: 'search',
    formatTitle: (args, path) => `Find ${quote(args.pattern) ?? 'files'}${formatDirectory(path('path'))}`,
  },
  grep: {
    kind: 'search',
    formatTitle(args, path) {
      const glob = getText(args, 'glob');
      const target = `${formatDirectory(path('path'))}${glob === undefined ? '' : ` (${glob})`}`;
      return `Search for ${quote(args.pattern) ?? 'text'}${target}`;
    },
  },
  bash: { kind: 'execute', formatTitle: (args) => getText(args, 'command') ?? 'Run a command' },
  task: { kind: 'other', formatTitle: formatTaskTitle },
  todo_write: { kind: 'think', formatTitle: () => 'Update the todo list' },
  tasks: { kind: 'think', formatTitle: () => 'Update the tracked tasks' },
  ask: { kind: 'other', formatTitle: (args) => `Ask: ${getText(args, 'question') ?? 'a question'}` },
};

export function describeToolCall(toolName: string, args: ToolArguments, cwd: string): ToolCallDescription {
  const tool = getOwnValue(TOOLS, toolName);
  const formatPath = (name: string) => formatDisplayPath(getText(args, name), cwd);
  const title = tool ? tool.formatTitle(args, formatPath) : formatUnknownTitle(toolName, args);
  return {
    title: isShellCommand(toolName, args) ? toInlineCode(toTitle(title)) : toTitle(title),
    kind: tool?.kind ?? 'other',
    locations: tool?.opensFile ? locateFile(args, cwd) : [],
  };
}

/** The absolute path of a path argument; `undefined` for URIs and for paths that depend on the home directory. */
export function resolveToolPath(args: ToolArguments, cwd: string): string | undefined {
  const path = getText(args, 'path')?.replace(/^@/, '');
  if (path === undefined || path.includes('\0') || URI_SCHEME.test(path)) return undefined;
  return path === '~' || path.startsWith('~/') ? undefined : resolve(cwd, path);
}

/** `undefined` when the argument is missing, empty or not a text. */
export function getText(args: ToolArguments, name: string): string | undefined {
  const value = Object.hasOwn(args, name) ? args[name] : undefined;
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** One line of bounded length in which every character is visible. Line breaks are shown as `↵`. */
export function toTitle(text: string): string {
  const line = text
    .slice(0, 4 * MAX_TITLE_LENGTH)
    .split(/[\r\n]/)
    .map((part) => part.replaceAll('\t', ' ').trim())
    .filter((part) => part !== '')
    .join(' ↵ ');
  const visible = escapeInvisible(line);
  const isCut = visible.length > MAX_TITLE_LENGTH || text.length > 4 * MAX_TITLE_LENGTH;
  return isCut ? `${visible.slice(0, MAX_TITLE_LENGTH - 1).toWellFormed()}…` : visible;
}

function isShellCommand(toolName: string, args: ToolArguments): boolean {
  return toolName === 'bash' && getText(args, 'command') !== undefined;
}

/** Markdown code that contains backticks needs longer delimiters. */
function toInlineCode(text: string): string {
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const delimiter = '`'.repeat(longest + 1);
  const padding = longest > 0 ? ' ' : '';
  return `${delimiter}${padding}${text}${padding}${delimiter}`;
}

function formatDisplayPath(path: string | undefined, cwd: string): string | undefined {
  const shown = path?.replace(/^@/, '');
  if (shown === undefined || !isAbsolute(shown)) return shown;
  const fromCwd = relative(cwd, shown);
  if (fromCwd === '') return '.';
  return fromCwd === '..' || fromCwd.startsWith(`..${sep}`) || isAbsolute(fromCwd) ? shown : fromCwd;
}

function formatDirectory(path: string | undefined): string {
  return path === undefined || path === '.' ? '' : ` in ${path}`;
}

function formatLineRange({ offset, limit }: ToolArguments): string {
  const first = toLine(offset);
  const count = toLine(limit);
  if (count !== undefined) return `:${first ?? 1}-${(first ?? 1) + count - 1}`;
  return first === undefined ? '' : `:${first}`;
}

function toLine(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 && value < 2 ** 31 ? value : undefined;
}

function locateFile(args: ToolArguments, cwd: string): ToolCallLocation[] {
  const path = resolveToolPath(args, cwd);
  if (path === undefined) return [];
  const line = toLine(args.offset);
  return [line === undefined ? { path } : { path, line }];
}

function quote(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? `"${value}"` : undefined;
}

function formatTaskTitle(args: ToolArguments): string {
  const agent = getText(args, 'agent') ?? 'subagents';
  const tasks = Array.isArray(args.tasks) ? args.tasks.filter(isRecord) : [];
  const [first] = tasks;
  if (!first) return `Delegate to ${agent}`;
  if (tasks.length > 1) return `Delegate ${tasks.length} tasks to ${agent}`;
  const task = getText(first, 'description') ?? getText(first, 'assignment') ?? getText(first, 'task');
  return task === undefined ? `Delegate to ${agent}` : `Delegate to ${agent}: ${task}`;
}

/** Tools of MCP servers are shown as `server: tool`. Other tools are shown with their first text argument. */
function formatUnknownTitle(toolName: string, args: ToolArguments): string {
  const name = formatToolName(toolName);
  const text = Object.values(args).find((value) => typeof value === 'string' && value.trim() !== '');
  return typeof text === 'string' ? `${name} ${text.slice(0, MAX_TITLE_LENGTH)}` : name;
}

function formatToolName(toolName: string): string {
  const at = toolName.startsWith(MCP_PREFIX) ? toolName.indexOf('__', MCP_PREFIX.length) : -1;
  return at < 0 ? toolName : `${toolName.slice(MCP_PREFIX.length, at)}: ${toolName.slice(at + 2)}`;
}

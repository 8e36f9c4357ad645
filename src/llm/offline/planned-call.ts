// Maps an intent to a tool call, using the offered tools and their schemas.

import { isRecord } from '../../base/index.ts';
import type { ToolDefinition } from '../../contracts/index.ts';
import type { ToolIntent } from './intent.ts';

export interface PlannedCall {
  name: string;
  arguments: Record<string, unknown>;
}

const TOOL_BY_KIND: Readonly<Record<ToolIntent['kind'], string>> = {
  list: 'ls',
  find: 'find',
  search: 'grep',
  read: 'read',
  summarise: 'read',
  run: 'bash',
  replace: 'edit',
  create: 'write',
  append: 'bash',
};

export function getToolName(intent: ToolIntent): string {
  return TOOL_BY_KIND[intent.kind];
}

const READ_ONLY_KINDS: ReadonlySet<ToolIntent['kind']> = new Set(['list', 'find', 'search', 'read', 'summarise']);

/** Read-only calls change nothing, so several may share one turn and the request may be imprecise. */
export function isReadOnly(intent: ToolIntent): boolean {
  return READ_ONLY_KINDS.has(intent.kind);
}

/** The tool call for an intent; `undefined` when its tool is not offered. */
export function planToolCall(intent: ToolIntent, tools: readonly ToolDefinition[]): PlannedCall | undefined {
  const tool = tools.find((tool) => tool.name === getToolName(intent));
  return tool && { name: tool.name, arguments: buildArguments(intent, tool) };
}

function buildArguments(intent: ToolIntent, tool: ToolDefinition): Record<string, unknown> {
  switch (intent.kind) {
    case 'list':
      return { path: intent.path };
    case 'find':
      return { pattern: intent.pattern, ...(intent.path !== undefined && { path: intent.path }) };
    case 'search':
      return buildSearchArguments(intent);
    case 'read':
      return buildReadArguments(intent);
    case 'summarise':
      return { path: intent.path };
    case 'run':
      return { command: intent.command };
    case 'replace':
      return buildEditArguments(intent, tool);
    case 'create':
      return { path: intent.path, content: intent.content };
    case 'append':
      return { command: `printf '%s\\n' ${quoteShellWord(intent.content)} >> ${quoteShellWord(intent.path)}` };
  }
}

function buildSearchArguments(intent: ToolIntent & { kind: 'search' }): Record<string, unknown> {
  const literal = !intent.regex && /[\\^$.*+?()[\]{}|]/.test(intent.pattern);
  return {
    pattern: intent.pattern,
    ...(intent.path !== undefined && { path: intent.path }),
    ...(intent.glob !== undefined && { glob: intent.glob }),
    ...(intent.ignoreCase && { ignoreCase: true }),
    ...(literal && { literal: true }),
  };
}

function buildReadArguments({ path, from, to }: ToolIntent & { kind: 'read' }): Record<string, unknown> {
  if (from === undefined) return { path };
  return { path, offset: from, ...(to !== undefined && { limit: to - from + 1 }) };
}

/** Some edit tools take a list of edits, others one pair of texts; the offered schema decides. */
function buildEditArguments(intent: ToolIntent & { kind: 'replace' }, tool: ToolDefinition): Record<string, unknown> {
  const { path, oldText, newText } = intent;
  const properties = isRecord(tool.parameters.properties) ? tool.parameters.properties : {};
  const takesList = Object.hasOwn(properties, 'edits') && !Object.hasOwn(properties, 'oldText');
  return takesList ? { path, edits: [{ oldText, newText }] } : { path, oldText, newText };
}

/** Quotes any text as one word of a POSIX shell. */
function quoteShellWord(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

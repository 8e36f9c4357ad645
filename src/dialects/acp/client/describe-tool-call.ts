// A short description of a tool call, used until src/dialects/acp/updates provides the complete one.
import { resolve } from 'node:path';
import type { ToolCallContent, ToolCallLocation, ToolKind } from '@agentclientprotocol/sdk';

type Arguments = Readonly<Record<string, unknown>>;

const KINDS: Readonly<Record<string, ToolKind>> = {
  read: 'read',
  write: 'edit',
  edit: 'edit',
  bash: 'execute',
  grep: 'search',
  find: 'search',
  ls: 'search',
};

export function describeToolCall(
  toolName: string,
  args: Arguments,
  cwd: string,
): { title: string; kind: ToolKind; locations: ToolCallLocation[] } {
  const { path, command } = args;
  const subject = typeof command === 'string' ? command : path;
  return {
    title: typeof subject === 'string' ? `${toolName} ${subject}` : toolName,
    kind: KINDS[toolName] ?? 'other',
    locations: typeof path === 'string' ? [{ path: resolve(cwd, path) }] : [],
  };
}

export function describeToolContent(toolName: string, args: Arguments, cwd: string): ToolCallContent[] {
  const { path, content, oldText, newText } = args;
  if (typeof path !== 'string') return [];
  if (toolName === 'write' && typeof content === 'string') {
    return [{ type: 'diff', path: resolve(cwd, path), newText: content }];
  }
  if (typeof oldText !== 'string' || typeof newText !== 'string') return [];
  return [{ type: 'diff', path: resolve(cwd, path), oldText, newText }];
}

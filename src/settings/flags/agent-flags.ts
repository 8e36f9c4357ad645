// The flags about the agent: its model, session, prompt and tools. In the order of the help text.
import { resolve } from 'node:path';
import { THINKING_LEVELS } from '../../protocol/index.ts';
import type { Flag } from './flag.ts';

export const MODEL_FLAGS = [
  { name: 'provider', kind: 'text', placeholder: 'NAME', option: 'provider' },
  {
    name: 'model',
    kind: 'text',
    placeholder: 'ID',
    option: 'model',
  },
  {
    name: 'thinking',
    kind: 'choice',
    choices: THINKING_LEVELS,
    placeholder: 'LEVEL',
    option: 'thinkingLevel',
  },
  {
    name: 'api-key',
    kind: 'text',
    placeholder: 'KEY',
    option: 'apiKey',
  },
  {
    name: 'models',
    kind: 'list',
    placeholder: 'a,b',
    option: 'modelPatterns',
  },
  { name: 'list-models', kind: 'search', placeholder: 'SEARCH' },
] as const satisfies readonly Flag[];

export const SESSION_FLAGS = [
  {
    name: 'no-session',
    kind: 'switch',
    option: 'persist',
    convert: (): boolean => false,
  },
  {
    name: 'session-dir',
    kind: 'text',
    placeholder: 'PATH',
    option: 'sessionDirectory',
    convert: (path: string) => resolve(path),
  },
  { name: 'store', kind: 'text', placeholder: 'URL', setting: 'store', rejectsEmpty: true },
  {
    name: 'continue',
    short: 'c',
    kind: 'switch',
    option: 'continueLatest',
    isForFirstSession: true,
  },
  {
    name: 'resume',
    short: 'r',
    kind: 'switch',
    isForFirstSession: true,
  },
  {
    name: 'session',
    kind: 'text',
    placeholder: 'PATH|ID',
    option: 'session',
    isForFirstSession: true,
  },
  {
    name: 'session-id',
    kind: 'text',
    placeholder: 'ID',
    option: 'sessionId',
    isForFirstSession: true,
  },
  {
    name: 'fork',
    kind: 'text',
    placeholder: 'PATH|ID',
    option: 'fork',
    isForFirstSession: true,
  },
  {
    name: 'name',
    short: 'n',
    kind: 'text',
    placeholder: 'NAME',
    option: 'name',
    convert: (name: string) => name.trim() || undefined,
    isForFirstSession: true,
  },
  { name: 'cwd', kind: 'text', placeholder: 'PATH' },
] as const satisfies readonly Flag[];

export const PROMPT_AND_TOOL_FLAGS = [
  {
    name: 'system-prompt',
    kind: 'text',
    placeholder: 'TEXT',
    option: 'systemPrompt',
  },
  {
    name: 'append-system-prompt',
    kind: 'text',
    placeholder: 'TEXT',
    option: 'appendSystemPrompt',
  },
  {
    name: 'tools',
    short: 't',
    kind: 'list',
    placeholder: 'a,b',
    option: 'toolNames',
  },
  {
    name: 'exclude-tools',
    alias: 'xt',
    kind: 'lists',
    placeholder: 'a,b',
    option: 'excludedTools',
  },
  {
    name: 'no-builtin-tools',
    alias: 'nbt',
    kind: 'switch',
    option: 'noBuiltinTools',
  },
  {
    name: 'skill',
    kind: 'repeat',
    placeholder: 'PATH',
    option: 'skillPaths',
  },
  { name: 'no-skills', alias: 'ns', kind: 'switch', option: 'noSkills' },
  {
    name: 'prompt-template',
    kind: 'repeat',
    placeholder: 'PATH',
    option: 'templatePaths',
  },
  {
    name: 'no-prompt-templates',
    alias: 'np',
    kind: 'switch',
    option: 'noTemplates',
  },
  { name: 'no-rules', kind: 'switch', option: 'noRules' },
  // After `tools`, which it overrides.
  {
    name: 'no-tools',
    alias: 'nt',
    kind: 'switch',
    option: 'toolNames',
    convert: (): readonly string[] => [],
  },
  {
    name: 'no-context-files',
    alias: 'nc',
    kind: 'switch',
    option: 'noContextFiles',
  },
  {
    name: 'mcp-config',
    kind: 'repeat',
    placeholder: 'FILE',
    option: 'mcpConfigPaths',
    convert: (paths: readonly string[]): readonly string[] => paths.map((path) => resolve(path)),
  },
  { name: 'extension', short: 'e', kind: 'repeat', placeholder: 'PATH' },
  { name: 'no-extensions', alias: 'ne', kind: 'switch' },
  {
    name: 'bare',
    kind: 'switch',
    option: 'bare',
  },
] as const satisfies readonly Flag[];

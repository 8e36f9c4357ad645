// Table of all command-line flags. The parser, the type of the options and the help text follow from it.
import { APPROVAL_MODES, EOF_ACTIONS, STREAM_MODES, THINKING_LEVELS } from '../settings/index.ts';

/**
 * - `switch`: present or absent.
 * - `text`, `choice`: one value; the last occurrence wins.
 * - `number`, `count`: above 0; a count is an integer.
 * - `list`: values separated by commas; the last occurrence wins.
 * - `lists`: like `list`, but all occurrences are merged, and an empty list is an error.
 * - `repeat`: one value per occurrence; all are kept.
 * - `search`: with or without a value; the empty string means no value.
 */
export type FlagKind = 'switch' | 'text' | 'choice' | 'number' | 'count' | 'list' | 'lists' | 'repeat' | 'search';

/**
 * In the order of the help text. Flags of the group `accepted` have no effect and are not in the help text: hosts of pi and
 * oh-my-pi pass them. A flag that restricts something must not be in that group, unless Parley lacks the restricted feature.
 */
export const FLAG_GROUPS = ['Mode', 'Model', 'Session', 'Prompt and tools', 'Limits', 'Program', 'accepted'] as const;

export interface Flag {
  readonly name: string;
  readonly short?: string;
  /** A short form of two or three letters, such as `-xt`. */
  readonly alias?: string;
  /** The name of the flag that this flag stands for. */
  readonly aliasOf?: string;
  readonly kind: FlagKind;
  readonly choices?: readonly string[];
  /** Name of the value in the help text. */
  readonly placeholder?: string;
  readonly doc: string;
  readonly group: (typeof FLAG_GROUPS)[number];
}

export const FLAGS = [
  {
    name: 'mode',
    kind: 'choice',
    choices: ['text', 'json', 'rpc'],
    doc: 'Print the answer as text, print events as JSON lines, or serve a host over RPC',
    group: 'Mode',
  },
  {
    name: 'print',
    short: 'p',
    kind: 'switch',
    doc: 'Answer the message and exit (the default when a message is given)',
    group: 'Mode',
  },
  { name: 'dialect', kind: 'text', placeholder: 'NAME', doc: 'The protocol dialect of RPC mode', group: 'Mode' },
  {
    name: 'stream',
    kind: 'choice',
    choices: STREAM_MODES,
    doc: 'Send the whole partial message in every update, or only the new text',
    group: 'Mode',
  },
  {
    name: 'on-eof',
    kind: 'choice',
    choices: EOF_ACTIONS,
    doc: 'When the host closes stdin: finish the running work, or abort it',
    group: 'Mode',
  },

  { name: 'provider', kind: 'text', placeholder: 'NAME', doc: 'The provider to use', group: 'Model' },
  { name: 'model', kind: 'text', placeholder: 'ID', doc: 'The model to use', group: 'Model' },
  {
    name: 'thinking',
    kind: 'choice',
    choices: THINKING_LEVELS,
    placeholder: 'LEVEL',
    doc: 'The thinking level',
    group: 'Model',
  },
  { name: 'api-key', kind: 'text', placeholder: 'KEY', doc: 'The API key for the selected provider', group: 'Model' },
  {
    name: 'models',
    kind: 'list',
    placeholder: 'a,b',
    doc: 'The models that cycle_model switches between',
    group: 'Model',
  },
  {
    name: 'list-models',
    kind: 'search',
    placeholder: 'SEARCH',
    doc: 'List the available models and exit',
    group: 'Model',
  },

  { name: 'no-session', kind: 'switch', doc: 'Do not save the session to disk', group: 'Session' },
  { name: 'session-dir', kind: 'text', placeholder: 'PATH', doc: 'The directory of session files', group: 'Session' },
  {
    name: 'continue',
    short: 'c',
    kind: 'switch',
    doc: 'Continue the latest session of this directory',
    group: 'Session',
  },
  {
    name: 'resume',
    short: 'r',
    kind: 'switch',
    doc: 'Choose the session to continue from a list',
    group: 'Session',
  },
  { name: 'session', kind: 'text', placeholder: 'PATH|ID', doc: 'Continue this session', group: 'Session' },
  {
    name: 'session-id',
    kind: 'text',
    placeholder: 'ID',
    doc: 'Continue the session of this directory with exactly this id, or create it',
    group: 'Session',
  },
  {
    name: 'fork',
    kind: 'text',
    placeholder: 'PATH|ID',
    doc: 'Start a new session with the history of another',
    group: 'Session',
  },
  {
    name: 'name',
    short: 'n',
    kind: 'text',
    placeholder: 'NAME',
    doc: 'Set the display name of the session',
    group: 'Session',
  },
  { name: 'cwd', kind: 'text', placeholder: 'PATH', doc: 'Work in this directory', group: 'Session' },

  {
    name: 'system-prompt',
    kind: 'text',
    placeholder: 'TEXT',
    doc: 'Replace the system prompt',
    group: 'Prompt and tools',
  },
  {
    name: 'append-system-prompt',
    kind: 'text',
    placeholder: 'TEXT',
    doc: 'Add to the system prompt',
    group: 'Prompt and tools',
  },
  {
    name: 'tools',
    short: 't',
    kind: 'list',
    placeholder: 'a,b',
    doc: 'Offer the model only these tools',
    group: 'Prompt and tools',
  },
  {
    name: 'exclude-tools',
    alias: 'xt',
    kind: 'lists',
    placeholder: 'a,b',
    doc: 'Never offer the model these tools; overrides all other settings',
    group: 'Prompt and tools',
  },
  {
    name: 'no-builtin-tools',
    alias: 'nbt',
    kind: 'switch',
    doc: 'Offer the model only tools of extensions and of the host',
    group: 'Prompt and tools',
  },
  {
    name: 'skill',
    kind: 'repeat',
    placeholder: 'PATH',
    doc: 'Load a skill or a directory of skills, in addition to the discovered ones',
    group: 'Prompt and tools',
  },
  { name: 'no-skills', alias: 'ns', kind: 'switch', doc: 'Do not discover skills', group: 'Prompt and tools' },
  {
    name: 'prompt-template',
    kind: 'repeat',
    placeholder: 'PATH',
    doc: 'Load a prompt template or a directory of templates',
    group: 'Prompt and tools',
  },
  {
    name: 'no-prompt-templates',
    alias: 'np',
    kind: 'switch',
    doc: 'Do not discover prompt templates',
    group: 'Prompt and tools',
  },
  { name: 'no-rules', kind: 'switch', doc: 'Do not discover rules', group: 'Prompt and tools' },
  { name: 'no-tools', alias: 'nt', kind: 'switch', doc: 'Offer the model no tools', group: 'Prompt and tools' },
  {
    name: 'no-context-files',
    alias: 'nc',
    kind: 'switch',
    doc: 'Do not read AGENTS.md and CLAUDE.md',
    group: 'Prompt and tools',
  },

  { name: 'max-cost', kind: 'number', placeholder: 'USD', doc: 'Maximum model cost in US dollars', group: 'Limits' },
  { name: 'max-time', kind: 'number', placeholder: 'SECONDS', doc: 'Maximum run time of the session', group: 'Limits' },
  { name: 'max-turns', kind: 'count', placeholder: 'N', doc: 'Maximum turns per prompt', group: 'Limits' },
  {
    name: 'max-tokens',
    kind: 'count',
    placeholder: 'N',
    doc: 'Maximum tokens, input and output together',
    group: 'Limits',
  },
  { name: 'max-input-tokens', kind: 'count', placeholder: 'N', doc: 'Maximum input tokens', group: 'Limits' },
  { name: 'max-output-tokens', kind: 'count', placeholder: 'N', doc: 'Maximum output tokens', group: 'Limits' },
  { name: 'max-tool-calls', kind: 'count', placeholder: 'N', doc: 'Maximum tool calls', group: 'Limits' },
  { name: 'max-subagents', kind: 'count', placeholder: 'N', doc: 'Maximum subagents', group: 'Limits' },

  {
    name: 'trust',
    kind: 'switch',
    doc: 'Trust the project for this run: use its settings, extensions, skills, rules and agents',
    group: 'Program',
  },
  {
    name: 'no-trust',
    kind: 'switch',
    doc: 'Do not trust the project for this run, even if it was trusted before',
    group: 'Program',
  },
  { name: 'approve', short: 'a', aliasOf: 'trust', kind: 'switch', doc: 'The same as --trust', group: 'Program' },
  {
    name: 'no-approve',
    alias: 'na',
    aliasOf: 'no-trust',
    kind: 'switch',
    doc: 'The same as --no-trust',
    group: 'Program',
  },
  {
    name: 'approval-mode',
    kind: 'choice',
    choices: APPROVAL_MODES,
    placeholder: 'MODE',
    doc: 'When to ask the host for approval before a tool runs',
    group: 'Program',
  },
  {
    name: 'auto-approve',
    kind: 'switch',
    doc: 'The same as --approval-mode never',
    group: 'Program',
  },
  { name: 'yolo', aliasOf: 'auto-approve', kind: 'switch', doc: 'The same as --auto-approve', group: 'accepted' },
  { name: 'no-ui', kind: 'switch', doc: 'Do not ask the host whether to trust the project', group: 'Program' },
  { name: 'set', kind: 'repeat', placeholder: 'KEY=VALUE', doc: 'Set a setting for this run', group: 'Program' },
  { name: 'log-file', kind: 'text', placeholder: 'PATH', doc: 'Write diagnostics to this file', group: 'Program' },
  { name: 'help', short: 'h', kind: 'switch', doc: 'Show this text', group: 'Program' },
  { name: 'version', short: 'v', kind: 'switch', doc: 'Show the version', group: 'Program' },

  {
    name: 'export',
    kind: 'text',
    placeholder: 'PATH',
    doc: 'Export a session as an HTML page and exit',
    group: 'accepted',
  },
  {
    name: 'extension',
    short: 'e',
    kind: 'repeat',
    placeholder: 'PATH',
    doc: 'Load an extension',
    group: 'Prompt and tools',
  },
  { name: 'no-extensions', alias: 'ne', kind: 'switch', doc: 'Do not discover extensions', group: 'Prompt and tools' },
  { name: 'theme', kind: 'repeat', placeholder: 'PATH', doc: 'Colours of a terminal', group: 'accepted' },
  { name: 'no-themes', kind: 'switch', doc: 'Do not discover themes', group: 'accepted' },
  { name: 'use-theme', kind: 'text', placeholder: 'NAME', doc: 'Colours of a terminal', group: 'accepted' },
  {
    name: 'tui-mode',
    kind: 'text',
    placeholder: 'MODE',
    doc: 'The mode of the terminal user interface',
    group: 'accepted',
  },
  {
    name: 'no-lsp',
    kind: 'switch',
    doc: 'Accepted for compatibility; language servers are never used',
    group: 'accepted',
  },
  {
    name: 'no-pty',
    kind: 'switch',
    doc: 'Accepted for compatibility; commands never get a pseudo-terminal',
    group: 'accepted',
  },
  { name: 'no-title', kind: 'switch', doc: 'Do not change the terminal title', group: 'accepted' },
  { name: 'offline', kind: 'switch', doc: 'Do not use the network at startup', group: 'accepted' },
  { name: 'verbose', kind: 'switch', doc: 'Print more at startup', group: 'accepted' },
] as const satisfies readonly Flag[];

// The hall: every flag, declared once. Parsing, the type of the options and the help text all follow from this table.
import { APPROVAL_MODES, ON_EOF, STREAMS, THINKING_LEVELS } from '../app/choices.ts';

/**
 * - `switch`: given or not.
 * - `text`, `choice`: one value; the last one given counts.
 * - `number`, `count`: above 0; a count is whole.
 * - `list`: values separated by commas; the last list given counts.
 * - `lists`: the same, but every list given counts, and an empty one is an error.
 * - `repeat`: one value each time it is given.
 * - `search`: with a value or without one; the empty string stands for none.
 */
export type FlagKind = 'switch' | 'text' | 'choice' | 'number' | 'count' | 'list' | 'lists' | 'repeat' | 'search';

/**
 * In the order of the help text. What is only `accepted` has no effect here: hosts of pi and oh-my-pi pass it, help does not
 * offer it. A flag that restricts something must never be in that group, unless what it restricts does not exist here.
 */
export const GROUPS = ['Mode', 'Model', 'Session', 'Prompt and tools', 'Limits', 'Program', 'accepted'] as const;

export interface Flag {
  readonly name: string;
  readonly short?: string;
  /** A short form of two or three letters. */
  readonly alias?: string;
  /** The flag of which this one is another name. */
  readonly as?: string;
  readonly kind: FlagKind;
  readonly choices?: readonly string[];
  /** What the value is called in the help text. */
  readonly value?: string;
  readonly doc: string;
  readonly group: (typeof GROUPS)[number];
}

export const FLAGS = [
  {
    name: 'mode',
    kind: 'choice',
    choices: ['text', 'json', 'rpc'],
    doc: 'Answer in text, print events as JSON lines, or serve a host',
    group: 'Mode',
  },
  {
    name: 'print',
    short: 'p',
    kind: 'switch',
    doc: 'Answer the message and exit (what text mode does anyway)',
    group: 'Mode',
  },
  { name: 'dialect', kind: 'text', value: 'NAME', doc: 'The protocol spoken in RPC mode', group: 'Mode' },
  {
    name: 'stream',
    kind: 'choice',
    choices: STREAMS,
    doc: 'Repeat the growing message in every update, or send only what is new',
    group: 'Mode',
  },
  {
    name: 'on-eof',
    kind: 'choice',
    choices: ON_EOF,
    doc: 'When the host closes stdin: finish the running work, or abort it',
    group: 'Mode',
  },

  { name: 'provider', kind: 'text', value: 'NAME', doc: 'The provider to use', group: 'Model' },
  { name: 'model', kind: 'text', value: 'ID', doc: 'The model to use', group: 'Model' },
  {
    name: 'thinking',
    kind: 'choice',
    choices: THINKING_LEVELS,
    value: 'LEVEL',
    doc: 'How hard the model thinks',
    group: 'Model',
  },
  { name: 'api-key', kind: 'text', value: 'KEY', doc: 'The key for the chosen provider', group: 'Model' },
  { name: 'models', kind: 'list', value: 'a,b', doc: 'The models that cycle_model goes through', group: 'Model' },
  {
    name: 'list-models',
    kind: 'search',
    value: 'SEARCH',
    doc: 'Show the models that can be used, and exit',
    group: 'Model',
  },

  { name: 'no-session', kind: 'switch', doc: 'Write nothing to disk', group: 'Session' },
  { name: 'session-dir', kind: 'text', value: 'PATH', doc: 'Where session files are kept', group: 'Session' },
  {
    name: 'continue',
    short: 'c',
    kind: 'switch',
    doc: 'Go on with the latest session of this directory',
    group: 'Session',
  },
  {
    name: 'resume',
    short: 'r',
    kind: 'switch',
    doc: 'Choose the session to go on with from a list',
    group: 'Session',
  },
  { name: 'session', kind: 'text', value: 'PATH|ID', doc: 'Go on with this session', group: 'Session' },
  {
    name: 'session-id',
    kind: 'text',
    value: 'ID',
    doc: 'Continue the session of this directory with exactly this id, or create it',
    group: 'Session',
  },
  {
    name: 'fork',
    kind: 'text',
    value: 'PATH|ID',
    doc: 'Begin a new session with the history of another',
    group: 'Session',
  },
  { name: 'name', short: 'n', kind: 'text', value: 'NAME', doc: 'Give the session a display name', group: 'Session' },
  { name: 'cwd', kind: 'text', value: 'PATH', doc: 'Work in this directory', group: 'Session' },

  { name: 'system-prompt', kind: 'text', value: 'TEXT', doc: 'Replace the system prompt', group: 'Prompt and tools' },
  {
    name: 'append-system-prompt',
    kind: 'text',
    value: 'TEXT',
    doc: 'Add to the system prompt',
    group: 'Prompt and tools',
  },
  {
    name: 'tools',
    short: 't',
    kind: 'list',
    value: 'a,b',
    doc: 'Offer the model only these tools',
    group: 'Prompt and tools',
  },
  {
    name: 'exclude-tools',
    alias: 'xt',
    kind: 'lists',
    value: 'a,b',
    doc: 'Never offer the model these tools, whatever else is said',
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
    value: 'PATH',
    doc: 'A skill, or a folder of them, beside those that are found',
    group: 'Prompt and tools',
  },
  { name: 'no-skills', alias: 'ns', kind: 'switch', doc: 'Look for no skills', group: 'Prompt and tools' },
  {
    name: 'prompt-template',
    kind: 'repeat',
    value: 'PATH',
    doc: 'A prompt template, or a folder of them',
    group: 'Prompt and tools',
  },
  {
    name: 'no-prompt-templates',
    alias: 'np',
    kind: 'switch',
    doc: 'Look for no prompt templates',
    group: 'Prompt and tools',
  },
  { name: 'no-rules', kind: 'switch', doc: 'Look for no rules', group: 'Prompt and tools' },
  { name: 'no-tools', alias: 'nt', kind: 'switch', doc: 'Offer the model no tools', group: 'Prompt and tools' },
  {
    name: 'no-context-files',
    alias: 'nc',
    kind: 'switch',
    doc: 'Do not read AGENTS.md and CLAUDE.md',
    group: 'Prompt and tools',
  },

  { name: 'max-cost', kind: 'number', value: 'USD', doc: 'What the models may cost', group: 'Limits' },
  { name: 'max-time', kind: 'number', value: 'SECONDS', doc: 'The run time of the session', group: 'Limits' },
  { name: 'max-turns', kind: 'count', value: 'N', doc: 'Turns for each prompt', group: 'Limits' },
  { name: 'max-tokens', kind: 'count', value: 'N', doc: 'Tokens in and out together', group: 'Limits' },
  { name: 'max-input-tokens', kind: 'count', value: 'N', doc: 'Tokens that the model reads', group: 'Limits' },
  { name: 'max-output-tokens', kind: 'count', value: 'N', doc: 'Tokens that the model writes', group: 'Limits' },
  { name: 'max-tool-calls', kind: 'count', value: 'N', doc: 'Tool calls', group: 'Limits' },
  { name: 'max-subagents', kind: 'count', value: 'N', doc: 'Subagents', group: 'Limits' },

  { name: 'trust', kind: 'switch', doc: 'Let what the project brings along count, this time', group: 'Program' },
  { name: 'no-trust', kind: 'switch', doc: 'Do not, whatever was decided earlier', group: 'Program' },
  { name: 'approve', short: 'a', as: 'trust', kind: 'switch', doc: 'The same as --trust', group: 'Program' },
  { name: 'no-approve', alias: 'na', as: 'no-trust', kind: 'switch', doc: 'The same as --no-trust', group: 'Program' },
  {
    name: 'approval-mode',
    kind: 'choice',
    choices: APPROVAL_MODES,
    value: 'MODE',
    doc: 'When the host is asked before a tool acts',
    group: 'Program',
  },
  {
    name: 'auto-approve',
    kind: 'switch',
    doc: 'The same as --approval-mode never',
    group: 'Program',
  },
  { name: 'yolo', as: 'auto-approve', kind: 'switch', doc: 'The same as --auto-approve', group: 'accepted' },
  { name: 'no-ui', kind: 'switch', doc: 'Ask the host nothing by itself', group: 'Program' },
  { name: 'set', kind: 'repeat', value: 'KEY=VALUE', doc: 'Give a setting a value for this run', group: 'Program' },
  { name: 'log-file', kind: 'text', value: 'PATH', doc: 'Write diagnostics to this file', group: 'Program' },
  { name: 'help', short: 'h', kind: 'switch', doc: 'Show this text', group: 'Program' },
  { name: 'version', short: 'v', kind: 'switch', doc: 'Show the version', group: 'Program' },

  { name: 'export', kind: 'text', value: 'PATH', doc: 'Write a session as a page and exit', group: 'accepted' },
  { name: 'extension', short: 'e', kind: 'repeat', value: 'PATH', doc: 'Load an extension', group: 'Prompt and tools' },
  { name: 'no-extensions', alias: 'ne', kind: 'switch', doc: 'Look for no extensions', group: 'Prompt and tools' },
  { name: 'theme', kind: 'repeat', value: 'PATH', doc: 'Colours of a terminal', group: 'accepted' },
  { name: 'no-themes', kind: 'switch', doc: 'Look for no themes', group: 'accepted' },
  { name: 'use-theme', kind: 'text', value: 'NAME', doc: 'Colours of a terminal', group: 'accepted' },
  { name: 'tui-mode', kind: 'text', value: 'MODE', doc: 'How a terminal is used', group: 'accepted' },
  { name: 'no-lsp', kind: 'switch', doc: 'Use no language servers: there are none here', group: 'accepted' },
  { name: 'no-pty', kind: 'switch', doc: 'Give commands no terminal: they never have one', group: 'accepted' },
  { name: 'no-title', kind: 'switch', doc: 'Leave the terminal title alone', group: 'accepted' },
  { name: 'offline', kind: 'switch', doc: 'Fetch nothing at start-up', group: 'accepted' },
  { name: 'verbose', kind: 'switch', doc: 'Say more at start-up', group: 'accepted' },
] as const satisfies readonly Flag[];

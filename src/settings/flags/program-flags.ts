// The flags about the program: its mode, limits, trust and approval, and the flags of other programs. In the order of the help text.
import {
  APPROVAL_MODES,
  APPROVAL_MODES_OF_CLAUDE_CODE,
  EOF_ACTIONS,
  parseApprovalMode,
  SANDBOX_MODES,
  STREAM_MODES,
} from '../option-values.ts';
import type { Flag } from './flag.ts';

export const MODE_FLAGS = [
  {
    name: 'mode',
    kind: 'choice',
    choices: ['text', 'json', 'rpc', 'rpc-ui', 'acp'],
    doc: 'Print the answer as text, print events as JSON lines, or serve a host over RPC; rpc-ui also lets the model ask the user (ask.enabled); acp serves an editor',
  },
  {
    name: 'print',
    short: 'p',
    kind: 'switch',
    doc: 'Answer the message and exit (the default when a message is given)',
  },
  { name: 'dialect', kind: 'text', placeholder: 'NAME', setting: 'dialect', doc: 'The protocol dialect of RPC mode' },
  {
    name: 'stream',
    kind: 'choice',
    choices: STREAM_MODES,
    setting: 'rpc.stream',
    doc: 'Send the whole partial message in every update, or only the new text',
  },
  {
    name: 'on-eof',
    kind: 'choice',
    choices: EOF_ACTIONS,
    setting: 'rpc.onEof',
    doc: 'When the host closes stdin: finish the running work, or abort it',
  },
] as const satisfies readonly Flag[];

export const LIMIT_FLAGS = [
  {
    name: 'max-cost',
    kind: 'number',
    placeholder: 'USD',
    setting: 'task.budget.maxCostUsd',
    doc: 'Maximum model cost in US dollars',
  },
  {
    name: 'max-time',
    kind: 'number',
    placeholder: 'SECONDS',
    setting: 'task.budget.maxWallTimeMs',
    convert: (seconds: number) => Math.max(1, Math.round(seconds * 1000)),
    doc: 'Maximum run time of the session',
  },
  { name: 'max-turns', kind: 'count', placeholder: 'N', option: 'maxTurns', doc: 'Maximum turns per prompt' },
  {
    name: 'max-tokens',
    kind: 'count',
    placeholder: 'N',
    setting: 'task.budget.maxTotalTokens',
    doc: 'Maximum tokens, input and output together',
  },
  {
    name: 'max-input-tokens',
    kind: 'count',
    placeholder: 'N',
    setting: 'task.budget.maxInputTokens',
    doc: 'Maximum input tokens',
  },
  {
    name: 'max-output-tokens',
    kind: 'count',
    placeholder: 'N',
    setting: 'task.budget.maxOutputTokens',
    doc: 'Maximum output tokens',
  },
  {
    name: 'max-tool-calls',
    kind: 'count',
    placeholder: 'N',
    setting: 'task.budget.maxToolCalls',
    doc: 'Maximum tool calls',
  },
  {
    name: 'max-subagents',
    kind: 'count',
    placeholder: 'N',
    setting: 'task.budget.maxSubagents',
    doc: 'Maximum subagents',
  },
] as const satisfies readonly Flag[];

export const PROGRAM_FLAGS = [
  {
    name: 'trust',
    kind: 'switch',
    doc: 'Trust the project for this run: use its settings, extensions, skills, rules and agents',
  },
  { name: 'no-trust', kind: 'switch', doc: 'Do not trust the project for this run, even if it was trusted before' },
  { name: 'approve', short: 'a', aliasOf: 'trust', kind: 'switch', doc: 'The same as --trust' },
  { name: 'no-approve', alias: 'na', aliasOf: 'no-trust', kind: 'switch', doc: 'The same as --no-trust' },
  {
    name: 'approval-mode',
    kind: 'choice',
    choices: APPROVAL_MODES,
    placeholder: 'MODE',
    setting: 'approval',
    convert: parseApprovalMode,
    doc: 'What needs the approval of the host: full (nothing), auto-edit (commands), ask (commands and changes of files), always; read-only allows neither',
  },
  {
    name: 'sandbox',
    kind: 'choice',
    choices: SANDBOX_MODES,
    placeholder: 'MODE',
    setting: 'sandbox',
    doc: 'What the commands of tools may change: everything, only the working directory, or nothing',
  },
  {
    name: 'allow',
    kind: 'repeat',
    placeholder: 'RULE',
    setting: 'permissions.allow',
    convert: (rules: readonly string[]) => [...rules],
    doc: "Allow tool calls without an approval, such as 'bash(npm test)'; may be repeated",
  },
  {
    name: 'deny',
    kind: 'repeat',
    placeholder: 'RULE',
    setting: 'permissions.deny',
    convert: (rules: readonly string[]) => [...rules],
    doc: "Never run tool calls, such as 'bash(git push *)'; may be repeated",
  },
  {
    name: 'auto-approve',
    kind: 'switch',
    setting: 'approval',
    convert: () => 'never' as const,
    doc: 'The same as --approval-mode never',
  },
  { name: 'no-ui', kind: 'switch', doc: 'Do not ask the host whether to trust the project' },
  { name: 'set', kind: 'repeat', placeholder: 'KEY=VALUE', doc: 'Set a setting for this run' },
  { name: 'log-file', kind: 'text', placeholder: 'PATH', doc: 'Write diagnostics to this file' },
  { name: 'help', short: 'h', kind: 'switch', doc: 'Show this text' },
  { name: 'version', short: 'v', kind: 'switch', doc: 'Show the version' },
] as const satisfies readonly Flag[];

/**
 * Accepted for hosts of other programs, and not in the help text. Those that stand for no other flag have no effect. A flag that
 * restricts something must not be here, unless Parley lacks the restricted feature.
 */
export const ACCEPTED_FLAGS = [
  { name: 'yolo', aliasOf: 'auto-approve', kind: 'switch', doc: 'The same as --auto-approve' },
  {
    name: 'permission-mode',
    kind: 'choice',
    choices: APPROVAL_MODES_OF_CLAUDE_CODE,
    setting: 'approval',
    convert: parseApprovalMode,
    doc: 'As --approval-mode, with the names of Claude Code, too',
  },
  { name: 'export', kind: 'text', placeholder: 'PATH', doc: 'Export a session as an HTML page and exit' },
  { name: 'theme', kind: 'repeat', placeholder: 'PATH', doc: 'Colours of a terminal' },
  { name: 'no-themes', kind: 'switch', doc: 'Do not discover themes' },
  { name: 'use-theme', kind: 'text', placeholder: 'NAME', doc: 'Colours of a terminal' },
  { name: 'tui-mode', kind: 'text', placeholder: 'MODE', doc: 'The mode of the terminal user interface' },
  { name: 'no-lsp', kind: 'switch', doc: 'Accepted for compatibility; language servers are never used' },
  { name: 'no-pty', kind: 'switch', doc: 'Accepted for compatibility; commands never get a pseudo-terminal' },
  { name: 'no-title', kind: 'switch', doc: 'Do not change the terminal title' },
  { name: 'offline', kind: 'switch', doc: 'Do not use the network at startup' },
  { name: 'verbose', kind: 'switch', doc: 'Print more at startup' },
] as const satisfies readonly Flag[];

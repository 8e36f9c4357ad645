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
  },
  {
    name: 'print',
    short: 'p',
    kind: 'switch',
  },
  { name: 'dialect', kind: 'text', placeholder: 'NAME', setting: 'dialect' },
  {
    name: 'stream',
    kind: 'choice',
    choices: STREAM_MODES,
    setting: 'rpc.stream',
  },
  {
    name: 'on-eof',
    kind: 'choice',
    choices: EOF_ACTIONS,
    setting: 'rpc.onEof',
  },
  { name: 'socket', kind: 'text', placeholder: 'PATH', rejectsEmpty: true },
] as const satisfies readonly Flag[];

export const LIMIT_FLAGS = [
  {
    name: 'max-cost',
    kind: 'number',
    placeholder: 'USD',
    setting: 'task.budget.maxCostUsd',
  },
  {
    name: 'max-time',
    kind: 'number',
    placeholder: 'SECONDS',
    setting: 'task.budget.maxWallTimeMs',
    convert: (seconds: number) => Math.max(1, Math.round(seconds * 1000)),
  },
  { name: 'max-turns', kind: 'count', placeholder: 'N', option: 'maxTurns' },
  {
    name: 'max-tokens',
    kind: 'count',
    placeholder: 'N',
    setting: 'task.budget.maxTotalTokens',
  },
  {
    name: 'max-input-tokens',
    kind: 'count',
    placeholder: 'N',
    setting: 'task.budget.maxInputTokens',
  },
  {
    name: 'max-output-tokens',
    kind: 'count',
    placeholder: 'N',
    setting: 'task.budget.maxOutputTokens',
  },
  {
    name: 'max-tool-calls',
    kind: 'count',
    placeholder: 'N',
    setting: 'task.budget.maxToolCalls',
  },
  {
    name: 'max-subagents',
    kind: 'count',
    placeholder: 'N',
    setting: 'task.budget.maxSubagents',
  },
] as const satisfies readonly Flag[];

export const PROGRAM_FLAGS = [
  {
    name: 'trust',
    kind: 'switch',
  },
  { name: 'no-trust', kind: 'switch' },
  { name: 'approve', short: 'a', aliasOf: 'trust', kind: 'switch' },
  { name: 'no-approve', alias: 'na', aliasOf: 'no-trust', kind: 'switch' },
  {
    name: 'approval-mode',
    kind: 'choice',
    choices: APPROVAL_MODES,
    placeholder: 'MODE',
    setting: 'approval',
    convert: parseApprovalMode,
  },
  {
    name: 'sandbox',
    kind: 'choice',
    choices: SANDBOX_MODES,
    placeholder: 'MODE',
    setting: 'sandbox',
  },
  {
    name: 'allow',
    kind: 'repeat',
    placeholder: 'RULE',
    setting: 'permissions.allow',
    convert: (rules: readonly string[]) => [...rules],
  },
  {
    name: 'deny',
    kind: 'repeat',
    placeholder: 'RULE',
    setting: 'permissions.deny',
    convert: (rules: readonly string[]) => [...rules],
  },
  {
    name: 'auto-approve',
    kind: 'switch',
    setting: 'approval',
    convert: () => 'never' as const,
  },
  { name: 'no-ui', kind: 'switch' },
  { name: 'set', kind: 'repeat', placeholder: 'KEY=VALUE' },
  { name: 'log-file', kind: 'text', placeholder: 'PATH' },
  { name: 'help', short: 'h', kind: 'switch' },
  { name: 'version', short: 'v', kind: 'switch' },
] as const satisfies readonly Flag[];

/**
 * Accepted for hosts of other programs, and not in the help text. Those that stand for no other flag have no effect. A flag that
 * restricts something must not be here, unless Parley lacks the restricted feature.
 */
export const ACCEPTED_FLAGS = [
  { name: 'yolo', aliasOf: 'auto-approve', kind: 'switch' },
  {
    name: 'permission-mode',
    kind: 'choice',
    choices: APPROVAL_MODES_OF_CLAUDE_CODE,
    setting: 'approval',
    convert: parseApprovalMode,
  },
  { name: 'export', kind: 'text', placeholder: 'PATH' },
  { name: 'theme', kind: 'repeat', placeholder: 'PATH' },
  { name: 'no-themes', kind: 'switch' },
  { name: 'use-theme', kind: 'text', placeholder: 'NAME' },
  { name: 'tui-mode', kind: 'text', placeholder: 'MODE' },
  { name: 'no-lsp', kind: 'switch' },
  { name: 'no-pty', kind: 'switch' },
  { name: 'no-title', kind: 'switch' },
  { name: 'offline', kind: 'switch' },
  { name: 'verbose', kind: 'switch' },
] as const satisfies readonly Flag[];

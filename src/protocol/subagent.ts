// Schemas of subagents and of the verification of their work. The format is that of pisces.
import {
  array,
  boolean,
  type InferOutput,
  looseObject,
  nullable,
  number,
  object,
  optional,
  picklist,
  record,
  string,
  unknown,
} from 'valibot';
import { usage } from './usage.ts';

export const verificationOnFailure = picklist(['return_failure', 'retry_once', 'discard_patch']);

/** The commands that the work of a task must pass: a profile of the settings, or fields that override those of the profile. */
export const verificationRequest = looseObject({
  profile: optional(string()),
  mode: optional(string()),
  commands: optional(array(unknown())),
  lspDiagnostics: optional(boolean()),
  maxRetries: optional(number()),
  onFailure: optional(verificationOnFailure),
});

export const verificationCommandResult = object({
  name: string(),
  command: string(),
  exitCode: number(),
  durationMs: number(),
  optional: optional(boolean()),
  timedOut: optional(boolean()),
  /** Path of the complete output; absent when there was none. */
  artifactPath: optional(string()),
  /** The last lines of stdout and stderr. */
  outputPreview: optional(string()),
});

export const verificationAttempt = object({
  attempt: number(),
  status: picklist(['passed', 'failed', 'skipped']),
  /** Milliseconds since 1970. */
  startedAt: number(),
  endedAt: number(),
  commandResults: array(verificationCommandResult),
  error: optional(string()),
});

export const verificationResult = object({
  requested: boolean(),
  profile: optional(string()),
  mode: optional(picklist(['none', 'command'])),
  status: picklist(['not_requested', 'passed', 'failed', 'skipped']),
  attempts: array(verificationAttempt),
  retriesUsed: number(),
  onFailure: optional(verificationOnFailure),
});

/** The result of one subagent. */
export const subagentResult = object({
  index: number(),
  id: string(),
  agent: string(),
  agentSource: picklist(['bundled', 'user', 'project']),
  /** The full prompt of the subagent. */
  task: string(),
  assignment: optional(string()),
  description: optional(string()),
  /** 0 when the subagent completed and its work passed verification. */
  exitCode: number(),
  output: string(),
  stderr: string(),
  /** `output` is only the beginning; the complete output is at `outputPath`. */
  truncated: boolean(),
  durationMs: number(),
  tokens: number(),
  modelOverride: optional(string()),
  error: optional(string()),
  aborted: optional(boolean()),
  /** `budget_exceeded` when the budget stopped it or prevented its start, `stopped` when the host stopped it alone. */
  abortReason: optional(string()),
  usage: optional(usage),
  outputPath: optional(string()),
  patchPath: optional(string()),
  branchName: optional(string()),
  /** Changes in repositories inside the repository, each with its folder. */
  nestedPatches: optional(array(object({ path: string(), patchPath: string() }))),
  /** Repositories that it created inside the repository, each with its folder and the path of a saved copy. */
  newRepositories: optional(array(object({ path: string(), keptPath: string() }))),
  /** Whether its change is applied to the main tree; if not, `error` gives the reason. Absent when nothing changed or not isolated. */
  applied: optional(boolean()),
  /** The answer as structured data, when the request has a schema and the answer matches it. */
  extractedToolData: optional(record(string(), unknown())),
  outputMeta: optional(object({ lineCount: number(), charCount: number() })),
  verification: optional(verificationResult),
});

export const subagentProgress = object({
  index: number(),
  id: string(),
  agent: string(),
  status: picklist(['pending', 'running', 'completed', 'failed', 'aborted']),
  currentTool: optional(string()),
  recentTools: array(object({ tool: string(), args: string(), endMs: number() })),
  recentOutput: array(string()),
  toolCount: number(),
  tokens: number(),
  durationMs: number(),
});

const identityFields = {
  /** Index among the tasks of the same call. */
  index: number(),
  agent: string(),
  agentSource: picklist(['bundled', 'user', 'project']),
  /** Path of its session log; absent with `--no-session`. */
  sessionFile: optional(string()),
  /** The call of the task tool that started it. */
  parentToolCallId: optional(string()),
};

export const subagentLifecycle = object({
  id: string(),
  ...identityFields,
  description: optional(string()),
  status: picklist(['started', 'completed', 'failed', 'aborted']),
  /** `budget_exceeded` when the budget stopped it, `stopped` when the host stopped it alone. */
  abortReason: optional(string()),
});

export const subagentProgressPayload = object({
  ...identityFields,
  /** The full prompt of the subagent. */
  task: string(),
  assignment: optional(string()),
  progress: subagentProgress,
});

const { error, abortReason, outputPath, patchPath, branchName, applied, verification } = subagentResult.entries;

/** A running subagent, or one that has ended. */
export const subagentSnapshot = object({
  id: string(),
  ...identityFields,
  description: optional(string()),
  status: subagentProgress.entries.status,
  task: optional(string()),
  assignment: optional(string()),
  /** Milliseconds since 1970. */
  lastUpdate: number(),
  progress: optional(subagentProgress),
  /** This field and those that follow: only if it has ended. If it was continued, the numbers are those of all its runs. */
  isolated: optional(boolean()),
  durationMs: optional(number()),
  tokens: optional(number()),
  /** US dollars. */
  cost: optional(number()),
  ...{ error, abortReason, outputPath, patchPath, branchName, applied, verification },
});

/** The `details` of the task tool's results. `progress` is present while the tool is running. */
export const taskDetails = object({
  projectAgentsDir: nullable(string()),
  results: array(subagentResult),
  totalDurationMs: number(),
  usage: optional(usage),
  outputPaths: optional(array(string())),
  progress: optional(array(subagentProgress)),
});

export type VerificationOnFailure = InferOutput<typeof verificationOnFailure>;
export type VerificationCommandResult = InferOutput<typeof verificationCommandResult>;
export type VerificationAttempt = InferOutput<typeof verificationAttempt>;
export type VerificationResult = InferOutput<typeof verificationResult>;
export type SubagentResult = InferOutput<typeof subagentResult>;
export type SubagentLifecycle = InferOutput<typeof subagentLifecycle>;
export type SubagentProgressPayload = InferOutput<typeof subagentProgressPayload>;
export type SubagentSnapshot = InferOutput<typeof subagentSnapshot>;
export type SubagentProgress = InferOutput<typeof subagentProgress>;

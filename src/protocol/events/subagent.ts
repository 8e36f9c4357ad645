// Ground floor: the events of subagents and of the checks on their work. `id` names the task throughout, repairs included.
import { array, boolean, number, object, optional, picklist, string } from 'valibot';
import { event } from '../event.ts';
import { subagentResult, verificationResult } from '../subagent.ts';

const { error, aborted, abortReason, patchPath, nestedPatches, newRepositories } = subagentResult.entries;
const attempt = { id: string(), attempt: number() };

export const subagentStart = event(
  'subagent_start',
  'A subagent begins to work on its task. Tasks that are refused or cancelled before that have no events.',
  object({ id: string(), agent: string(), isolated: boolean() }),
);

export const subagentSession = event(
  'subagent_session',
  'The session of a subagent is open: which model and tools it has, and what it is told. A repair has one of its own.',
  object({ id: string(), model: string(), contextWindow: number(), tools: array(string()), prompt: string() }),
  { stability: 'experimental' },
);

export const subagentEnd = event(
  'subagent_end',
  'A subagent is done, its work is checked and its worktree is gone. Exactly one for each start. When the exit code is not 0, the fields from `error` on say why and where its change is kept.',
  object({
    ...{ id: string(), agent: string(), exitCode: number(), verification: optional(verificationResult) },
    ...{ error, aborted, abortReason, patchPath, nestedPatches, newRepositories },
  }),
);

export const subagentVerificationStart = event(
  'subagent_verification_start',
  'An attempt to verify what a subagent did begins.',
  object({ ...attempt, profile: optional(string()) }),
);

export const subagentVerificationCommandStart = event(
  'subagent_verification_command_start',
  'A command of the verification is about to run.',
  object({ ...attempt, commandName: string() }),
);

export const subagentVerificationCommandEnd = event(
  'subagent_verification_command_end',
  'A command of the verification is over. `artifactId` is the path of its output, when it had any.',
  object({
    ...attempt,
    commandName: string(),
    exitCode: number(),
    durationMs: number(),
    artifactId: optional(string()),
  }),
);

export const subagentVerificationEnd = event(
  'subagent_verification_end',
  'An attempt to verify is over. `budget_exceeded` when the budget stopped it, or the repair that would have followed.',
  object({ ...attempt, status: picklist(['passed', 'failed', 'skipped', 'budget_exceeded']) }),
);

// Events of subagents and of the verification of their work. `id` is the id of the task, also in repair runs.
import { array, boolean, looseObject, number, object, optional, picklist, string } from 'valibot';
import { event } from '../event.ts';
import { subagentLifecycle, subagentProgressPayload, subagentResult, verificationResult } from '../subagent.ts';

const { error, aborted, abortReason, patchPath, nestedPatches, newRepositories } = subagentResult.entries;
const attemptFields = { id: string(), attempt: number() };

export const subagentStart = event(
  'subagent_start',
  'A subagent starts to work on its task. Tasks that are refused or cancelled before that have no events.',
  object({ id: string(), agent: string(), isolated: boolean() }),
);

export const subagentSession = event(
  'subagent_session',
  'The session of a subagent is open. Contains its model, its tools and its prompt. A repair run has its own session and its own event.',
  object({ id: string(), model: string(), contextWindow: number(), tools: array(string()), prompt: string() }),
  { stability: 'experimental' },
);

export const subagentEnd = event(
  'subagent_end',
  'A subagent has ended, its work is verified and its worktree is removed. Sent exactly once for each subagent_start. When `exitCode` is not 0, the fields from `error` on give the reason and the location of its saved changes.',
  object({
    ...{ id: string(), agent: string(), exitCode: number(), verification: optional(verificationResult) },
    ...{ error, aborted, abortReason, patchPath, nestedPatches, newRepositories },
  }),
);

export const subagentVerificationStart = event(
  'subagent_verification_start',
  'A verification attempt starts.',
  object({ ...attemptFields, profile: optional(string()) }),
);

export const subagentVerificationCommandStart = event(
  'subagent_verification_command_start',
  'A verification command starts.',
  object({ ...attemptFields, commandName: string() }),
);

export const subagentVerificationCommandEnd = event(
  'subagent_verification_command_end',
  'A verification command has ended. `artifactId` is the path of its output, if there was any.',
  object({
    ...attemptFields,
    commandName: string(),
    exitCode: number(),
    durationMs: number(),
    artifactId: optional(string()),
  }),
);

export const subagentVerificationEnd = event(
  'subagent_verification_end',
  'A verification attempt has ended. The status is `budget_exceeded` when the budget stopped the attempt or the repair that would have followed.',
  object({ ...attemptFields, status: picklist(['passed', 'failed', 'skipped', 'budget_exceeded']) }),
);

export const subagentLifecycleEvent = event(
  'subagent_lifecycle',
  'A subagent has started or ended. Sent only to hosts that subscribed with set_subagent_subscription.',
  object({ payload: subagentLifecycle }),
  { stability: 'experimental' },
);

export const subagentProgressEvent = event(
  'subagent_progress',
  'The progress of a subagent. Sent at a limited rate, only to hosts that subscribed with set_subagent_subscription.',
  object({ payload: subagentProgressPayload }),
  { durable: false, stability: 'experimental' },
);

export const subagentEvent = event(
  'subagent_event',
  'An event of the session of a subagent, in the form its own host would receive. Sent only at the level `events` of set_subagent_subscription.',
  object({ payload: object({ id: string(), event: looseObject({ type: string() }) }) }),
  { stability: 'experimental' },
);

// A prompt that a worker runs in a copy of a repository, and what the worker returns. Both are files of the session.
import { array, boolean, type InferOutput, literal, number, object, optional, picklist, string } from 'valibot';
import { verificationOnFailure, verificationResult } from './subagent.ts';

export const SUBMISSION_FILE = 'submission.json';
export const RESULT_FILE = 'result.json';
/** The change of the work, as a binary unified diff against the commit. */
export const PATCH_FILE = 'result.patch';
/** The change after the last turn, with which another worker goes on. */
export const WORKSPACE_FILE = 'workspace.patch';

/** Ended ones have one of the last three. */
export const submissionState = picklist(['queued', 'running', 'succeeded', 'failed', 'cancelled']);

export const submissionRequest = object({
  version: literal(1),
  prompt: string(),
  queue: string(),
  /** Directory or URL. Absent: the worker begins with an empty directory. */
  repository: optional(string()),
  /** Commit, branch or tag. */
  commit: optional(string()),
  /** Commands that must succeed after the run. */
  verify: array(string()),
  onFailure: verificationOnFailure,
});

export const submissionResult = object({
  status: picklist(['succeeded', 'failed', 'cancelled']),
  /** The last answer of the model. */
  text: string(),
  error: optional(string()),
  /** The commit that the work began with. */
  commit: optional(string()),
  /** Whether files were changed. */
  hasPatch: boolean(),
  verification: optional(verificationResult),
  /** US dollars. */
  cost: number(),
  /** The process that finished the work. */
  worker: string(),
});

export type SubmissionState = InferOutput<typeof submissionState>;
export type SubmissionRequest = InferOutput<typeof submissionRequest>;
export type SubmissionResult = InferOutput<typeof submissionResult>;

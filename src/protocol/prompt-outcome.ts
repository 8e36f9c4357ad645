// Schema of the outcome of an accepted prompt.
import { boolean, type InferOutput, number, object, optional, picklist, string } from 'valibot';

/** Why a prompt failed. */
export const promptError = object({
  message: string(),
  provider: optional(string()),
  /** Id of the model. */
  model: optional(string()),
  /** HTTP status of the provider's response. */
  httpStatus: optional(number()),
  /** The same prompt could succeed later. Automatic retries are already used up. */
  retryable: boolean(),
});

export const promptOutcome = object({
  /** False when the prompt did not reach the model: an extension handled it, or it was removed from the queue. */
  agentInvoked: boolean(),
  status: picklist(['completed', 'aborted', 'error']),
  error: optional(promptError),
  /** No run is in progress and no prompt is about to start one. When false, `session_settled` follows later. */
  sessionSettled: boolean(),
});

export type PromptError = InferOutput<typeof promptError>;
export type PromptOutcome = InferOutput<typeof promptOutcome>;

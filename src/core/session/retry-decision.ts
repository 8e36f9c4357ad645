// Decides about the retry of a failed answer, and describes its failure. Loaded with the first prompt.
import type { AssistantMessage, PromptError, ProviderFailure } from '../../protocol/index.ts';
import { computeRetryDelay, isTransient } from '../policy/retry-policy.ts';
import type { RetryFacet } from './retry-facet.ts';

/** The delay before the next request; `undefined` if the request is not repeated after this answer. */
export function planRetry(
  { enabled, attempt, settings }: RetryFacet,
  answer: AssistantMessage,
  providerFailure: ProviderFailure | undefined,
): number | undefined {
  if (!enabled || attempt >= settings.maxRetries || !isTransient(answer, providerFailure)) return undefined;
  return computeRetryDelay(attempt + 1, settings, providerFailure);
}

/** Why a failed answer ends the run. */
export function describeError({ providerFailure }: RetryFacet, answer: AssistantMessage): PromptError {
  const { errorMessage = 'The model request failed', provider, model } = answer;
  const httpStatus = providerFailure?.status;
  const retryable = isTransient(answer, providerFailure);
  return { message: errorMessage, provider, model, ...(httpStatus === undefined ? {} : { httpStatus }), retryable };
}

// Creates an AgentSession from its facets.
import type { AgentSession } from '../../contracts/index.ts';
import { ModelFacet } from './model-facet.ts';
import { createFacade } from './session-facade.ts';
import { createFacets, restoreResumed, type SessionFacets } from './session-facets.ts';
import { type SessionLimits, UNLIMITED } from './session-limits.ts';
import type { SessionOptions } from './session-options.ts';
import { SessionState } from './session-state.ts';

export async function createSession(options: SessionOptions): Promise<AgentSession> {
  const state = new SessionState(options);
  const models = new ModelFacet(state);
  const facets = createFacets(state, models, await createLimits(state));
  await restoreResumed(facets);
  // The permissions of a subagent were decided when it was started.
  if (!options.parentLink) applyTrustDecisions(facets);
  state.broadcast.startDelivery();
  return createFacade(facets);
}

/** LimitFacet is loaded only if there is a limit. */
async function createLimits(state: SessionState): Promise<SessionLimits> {
  const { budget, maxTurns, parentLink } = state.options;
  if (!budget && maxTurns === undefined && !parentLink?.budgetAccount) return UNLIMITED;
  return new (await import('./limit-facet.ts')).LimitFacet(state);
}

function applyTrustDecisions(facets: SessionFacets): void {
  const { state, requestBuilder, rules, runs } = facets;
  const { options } = state;
  const { budget } = options;
  options.resourceLocator.onTrusted(async () => {
    requestBuilder.reset();
    rules.reset();
    if (options.budget === budget) return;
    const limitsReplaced = replaceLimits(facets, await createLimits(state));
    // Waiting for a run in progress would delay the reply to the command that sets the trust.
    if (runs.isSettled) await limitsReplaced;
  });
}

/** A run in progress keeps the limits it started with. */
async function replaceLimits(facets: SessionFacets, next: SessionLimits): Promise<void> {
  await facets.runs.waitUntilSettled();
  const { spent } = facets.limits;
  facets.limits = next;
  await next.adoptSpending(spent);
}

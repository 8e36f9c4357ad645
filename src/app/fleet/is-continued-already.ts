// Tells whether a refusal to continue a run means that it is in progress.
import { Fault, getFaultReason } from '../../base/index.ts';

/**
 * Whether `continue_run` was refused because a client has continued the run meanwhile, or has sent a prompt. Faults with a reason are
 * others: for example, the node that has the session open does not answer.
 */
export function isContinuedAlready(problem: unknown): boolean {
  if (!(problem instanceof Fault) || (problem.code !== 'busy' && problem.code !== 'refused')) return false;
  return getFaultReason(problem) === undefined;
}

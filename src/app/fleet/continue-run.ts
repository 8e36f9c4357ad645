// Continues the run of a process that has ended.
import { createDeferred, Fault, getErrorMessage, getFaultReason } from '../../base/index.ts';
import type { AgentSession, Clock, Log, RunReference } from '../../contracts/index.ts';
import { isContinuedAlready } from './is-continued-already.ts';
import type { RunTracker } from './run-tracker.ts';

export interface ContinueRunOptions {
  readonly tracker: RunTracker;
  readonly clock: Clock;
  readonly log: Log;
  /** Opens the session if necessary. */
  findSession(run: RunReference): Promise<AgentSession>;
  /** Asks the process that has the session open to continue its run. Resolves when it has accepted that. */
  continueElsewhere(run: RunReference): Promise<void>;
}

const RETRY_MS = 1000;
/** For example, a repository cannot be reached. */
const MAX_RETRY_MS = 30_000;

/** Resolves when the run has ended, or when another process executes it. */
export async function continueRun(options: ContinueRunOptions, run: RunReference): Promise<void> {
  const { tracker, clock, log } = options;
  for (let retryMs = RETRY_MS; ; retryMs = Math.min(2 * retryMs, MAX_RETRY_MS)) {
    // Another node gets the workflow when this one has ended.
    if (tracker.isStopping) return createDeferred().promise as Promise<void>;
    try {
      await tryContinue(options, run);
      return;
    } catch (problem) {
      if (problem instanceof Fault && problem.code === 'not_found') return;
      log('a run cannot be continued yet', { session: run.sessionId, error: getErrorMessage(problem) });
      await clock.sleep(retryMs);
    }
  }
}

export interface ContinueTakenOptions extends Pick<ContinueRunOptions, 'tracker' | 'log'> {
  /** Continues the run as soon as it is possible. */
  continueLater(run: RunReference): Promise<void>;
}

/**
 * Called when a session was opened, before a client can use it. For clients, the run of a node that has ended is still in progress: what
 * they send now must be queued behind it.
 */
export async function continueTaken(
  { tracker, log, continueLater }: ContinueTakenOptions,
  run: RunReference,
  session: AgentSession,
): Promise<void> {
  if (!tracker.removeTaken(run) || !session.runs.isInterrupted) return;
  try {
    await acceptContinuation(session);
  } catch (problem) {
    log('the run of an ended process is continued later', { session: run.sessionId, error: getErrorMessage(problem) });
    await continueLater(run);
  }
}

async function tryContinue(options: ContinueRunOptions, run: RunReference): Promise<void> {
  const { tracker, findSession, continueElsewhere } = options;
  const ended = tracker.adopt(run);
  try {
    const session = await findSession(run);
    if (session.runs.isInterrupted) await acceptContinuation(session);
    // For example, its budget is used up.
    if (session.runs.isSettled) tracker.forget(run);
  } catch (problem) {
    tracker.forget(run);
    if (getFaultReason(problem) !== 'in_use') throw problem;
    // A client has opened the session on another node before.
    await continueElsewhere(run);
    return;
  }
  await ended;
}

/** Resolves when the continuation is stored. */
async function acceptContinuation(session: AgentSession): Promise<void> {
  const accepted = createDeferred();
  const finished = session.runs.continueInterrupted({ source: 'takeover', onAccepted: () => accepted.resolve() });
  // A failure after it was accepted is an event of the run.
  finished.catch((problem: unknown) => accepted.reject(problem));
  try {
    await accepted.promise;
  } catch (problem) {
    if (!isContinuedAlready(problem)) throw problem;
  }
}

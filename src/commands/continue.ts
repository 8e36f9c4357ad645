// The command that continues a run after the program was killed.
import { object, picklist } from 'valibot';
import { command } from '../contracts/index.ts';

export const continueRun = command({
  name: 'continue_run',
  stability: 'experimental',
  doc: 'Continue the run that was interrupted because the program was killed (`isInterrupted` of get_state), without a new user message. Tool calls that have no result are recorded as interrupted, and the model is asked again. The log of a session in a database says which calls were started: the others are run first. Answered like prompt: when accepted, and in the omp dialect `prompt_result` reports how the run ended. Messages that were queued before stay queued and are delivered by the run. Refused when the last run has ended, and during a run.',
  lane: 'run',
  params: object({}),
  result: object({ disposition: picklist(['started']) }),
  async run(_, { session, accept, reportOutcome, markSlow }) {
    await session.runs.continueInterrupted({ onAccepted: accept, onOutcome: reportOutcome, onDelayed: markSlow });
    return { disposition: 'started' as const };
  },
});

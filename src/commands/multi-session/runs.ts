// Commands that control the work of one session, for dialects with many sessions in one process.
import { object } from 'valibot';
import { command } from '../../contracts/index.ts';

export const abortAll = command({
  name: 'abort_all',
  stability: 'experimental',
  doc: 'Stop the current run and remove all queued messages. Answered after the last event of the run.',
  lane: 'now',
  long: true,
  params: object({}),
  async run(_, { session }) {
    // The queue first: otherwise the end of the run could start the next message.
    await session.queues.clear();
    await session.runs.abort();
    if (session.compaction.isRunning) await session.compaction.abort();
  },
});

// Commands that control the work of one session, for dialects with many sessions in one process.
import { object } from 'valibot';
import { command } from '../../contracts/index.ts';
import { approvalPolicy } from '../../protocol/index.ts';

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

export const setApprovalPolicy = command({
  name: 'set_approval_policy',
  stability: 'experimental',
  doc: 'When the host must approve tool calls of this session, from the next tool call on. `read-only` denies tools that write or execute.',
  lane: 'now',
  params: object({ policy: approvalPolicy }),
  result: object({ policy: approvalPolicy }),
  async run({ policy }, { session: { approval } }) {
    approval.policy = policy;
    return { policy };
  },
});

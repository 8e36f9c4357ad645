// The command that replaces the conversation with a document for the next agent.
import { nullable, object, optional, string } from 'valibot';
import { Fault } from '../base/index.ts';
import { command } from '../contracts/index.ts';

const HANDOFF_FILE = 'handoff.md';
const HANDOFF_INSTRUCTIONS =
  'The summary is a handoff document: another agent continues the work without any other knowledge of this conversation. Name the exact files, commands, decisions and open questions, and the very next step.';

export const handoff = command({
  name: 'handoff',
  stability: 'experimental',
  doc: 'Write a document with everything that another agent needs to continue, and replace the conversation with it. It is also saved next to the session file. Refused during a run. `null` when an extension cancelled it.',
  lane: 'ordered',
  long: true,
  params: object({ customInstructions: optional(string()) }),
  result: nullable(object({ savedPath: optional(string()) })),
  examples: [{ customInstructions: 'Describe the failing test in detail' }],
  async run({ customInstructions }, { session }) {
    const { runs, compaction, history, sidecarFiles } = session;
    if (runs.isRunning) throw new Fault('busy', 'Cannot hand off while a response is in progress');
    if (compaction.isRunning) throw new Fault('busy', 'Compaction is already in progress');
    if (history.messages().length < 2) throw new Fault('refused', 'Nothing to hand off (no messages yet)');
    const instructions = [HANDOFF_INSTRUCTIONS, customInstructions?.trim()].filter(Boolean).join('\n\n');
    try {
      const { summary } = await compaction.compact(instructions, { keepMessages: 1 });
      const savedPath = await sidecarFiles.write(HANDOFF_FILE, `${summary}\n`);
      return savedPath === undefined ? {} : { savedPath };
    } catch (thrown) {
      if (thrown instanceof Fault && thrown.code === 'aborted') return null;
      throw thrown;
    }
  },
});

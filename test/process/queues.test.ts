// The program and messages that wait: behind a compaction, behind a run that fails or is aborted, and at the end of the input.
import { describe, expect, test } from 'vitest';
import { deferred } from '../../src/base/index.ts';
import { startRpc } from '../support/program.ts';
import { startScriptedProvider } from '../support/scripted-provider.ts';

const LONG = 'a question that is long enough to be summarised '.repeat(20);

describe('a prompt sent at agent_end while a threshold compaction follows', () => {
  test('waits and runs; the session is not streaming then', async () => {
    const summary = deferred();
    const { place, flags, asked } = await startScriptedProvider(
      [
        { text: LONG },
        { text: LONG, input: 190_000 },
        { text: 'the summary', after: summary.promise },
        { text: 'Third answer.' },
      ],
      { contextWindow: 200_000 },
    );
    const program = startRpc([...flags, '--set', 'compaction.keepRecentTokens=10'], { place });
    program.send({ type: 'prompt', message: LONG });
    await program.frame({ type: 'agent_settled' });
    program.send({ type: 'prompt', message: LONG });
    await program.frame({ type: 'agent_end', willRetry: false });
    program.send({ id: 'p', type: 'prompt', message: 'third' });
    await program.frame({ type: 'auto_compaction_start' });
    const { data } = await program.ask({ type: 'get_state' });
    expect(data).toMatchObject({ isStreaming: false, isCompacting: true });
    summary.resolve();
    expect(await program.frame({ type: 'response', id: 'p' })).toMatchObject({ success: true });
    await program.frame({ type: 'agent_settled' });
    expect(asked.at(-1)).toBe('third');
  });
});

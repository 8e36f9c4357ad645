// An unexpected error after a prompt was accepted: the run ends with its events, then the failure is sent with the id of
// the prompt, and the agent continues.
import { expect, test, vi } from 'vitest';
import { waitUntil } from '../support/wait-until.ts';
import { Gates } from './gates.ts';
import { createHarness } from './harness.ts';

test.each(['prompt', 'abort_and_prompt'])('an error during the run of %s is sent as a later failure', async (type) => {
  const gates = new Gates();
  gates.open();
  const harness = await createHarness(['call'], gates, (frame, { clock }) => {
    // Thrown once inside the agent itself, not in a tool or a model.
    if (frame.type !== 'tool_execution_start') return;
    vi.spyOn(clock, 'now').mockImplementationOnce(() => {
      throw new Error('clock failure');
    });
  });
  const getSent = () => harness.timeline.filter(({ direction }) => direction === 'out').map(({ frame }) => frame);
  const getReplies = (id: string) => getSent().filter((frame) => frame.type === 'response' && frame.id === id);
  harness.send({ id: 'p', type, message: 'go' });
  await waitUntil(() => getReplies('p').length === 2);
  expect(getReplies('p')).toEqual([
    { id: 'p', type: 'response', command: type, success: true, data: { disposition: 'started' } },
    { id: 'p', type: 'response', command: type, success: false, error: 'clock failure' },
  ]);
  const ends = getSent().filter(
    (frame) =>
      ['agent_end', 'agent_settled', 'prompt_result', 'session_settled'].includes(frame.type) ||
      frame === getReplies('p')[1],
  );
  expect(ends.map((frame) => frame.type)).toEqual([
    ...['agent_end', 'agent_settled', 'prompt_result', 'session_settled'],
    'response',
  ]);
  expect(ends[2]).toMatchObject({ id: 'p', agentInvoked: true, status: 'error', error: { message: 'clock failure' } });
  harness.send({ id: 'q', type: 'prompt', message: 'and now' });
  await harness.close();
  expect(getReplies('q')).toMatchObject([{ success: true }]);
  expect(getSent().at(-1)?.type).toBe('session_settled');
});

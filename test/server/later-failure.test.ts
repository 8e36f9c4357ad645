// What nobody foresaw happens after a prompt was accepted: the run still ends with its events, then the failure is told under
// the id that was acknowledged, and the agent lives on.
import { expect, test, vi } from 'vitest';
import { until } from '../support/until.ts';
import { Gates } from './gates.ts';
import { createWorld } from './world.ts';

test.each(['prompt', 'abort_and_prompt'])('%s', async (type) => {
  const gates = new Gates();
  gates.open();
  const world = await createWorld(['call'], gates, (frame, { clock }) => {
    // Once, in the middle of the agent's own work: no tool and no model is to blame.
    if (frame.type !== 'tool_execution_start') return;
    vi.spyOn(clock, 'now').mockImplementationOnce(() => {
      throw new Error('the clock stood still');
    });
  });
  const told = () => world.timeline.filter(({ direction }) => direction === 'out').map(({ frame }) => frame);
  const replies = (id: string) => told().filter((frame) => frame.type === 'response' && frame.id === id);
  world.send({ id: 'p', type, message: 'go' });
  await until(() => replies('p').length === 2);
  expect(replies('p')).toEqual([
    { id: 'p', type: 'response', command: type, success: true },
    { id: 'p', type: 'response', command: type, success: false, error: 'the clock stood still' },
  ]);
  const ends = told().filter(
    (frame) => ['agent_end', 'agent_settled'].includes(frame.type) || frame === replies('p')[1],
  );
  expect(ends.map((frame) => frame.type)).toEqual(['agent_end', 'agent_settled', 'response']);
  world.send({ id: 'q', type: 'prompt', message: 'and now' });
  await world.leave();
  expect(replies('q')).toMatchObject([{ success: true }]);
  expect(told().at(-1)?.type).toBe('agent_settled');
});

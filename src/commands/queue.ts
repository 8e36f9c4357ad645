// First floor, commands: how queued messages reach the model. Changes hold for this session only.
import { array, object, string } from 'valibot';
import { command } from '../contracts/index.ts';
import { interruptMode, queueMode } from '../protocol/index.ts';

export const setSteeringMode = command({
  name: 'set_steering_mode',
  doc: 'Give the model one steering message a turn, or all that wait at once.',
  lane: 'ordered',
  params: object({ mode: queueMode }),
  examples: [{ mode: 'all' }],
  async run({ mode }, { session }) {
    session.queues.steeringMode = mode;
  },
});

export const setFollowUpMode = command({
  name: 'set_follow_up_mode',
  doc: 'Give the model one follow-up at a time, or all that wait at once.',
  lane: 'ordered',
  params: object({ mode: queueMode }),
  examples: [{ mode: 'one-at-a-time' }],
  async run({ mode }, { session }) {
    session.queues.followUpMode = mode;
  },
});

export const setInterruptMode = command({
  name: 'set_interrupt_mode',
  doc: '`immediate`: steering is looked for between the tool calls of a turn, and the calls that remain are skipped. `wait`: only after the turn.',
  lane: 'ordered',
  params: object({ mode: interruptMode }),
  examples: [{ mode: 'wait' }],
  async run({ mode }, { session }) {
    session.queues.interruptMode = mode;
  },
});

export const clearQueue = command({
  name: 'clear_queue',
  doc: 'Take back every queued message and return the texts.',
  lane: 'ordered',
  params: object({}),
  result: object({ steering: array(string()), followUp: array(string()) }),
  run: (_, { session }) => session.queues.clear(),
});

// Commands for queued messages. Mode changes apply to this session only.
import { array, object, string } from 'valibot';
import { command } from '../contracts/index.ts';
import { interruptMode, queueMode } from '../protocol/index.ts';

export const setSteeringMode = command({
  name: 'set_steering_mode',
  doc: 'Deliver one queued steering message per turn, or all at once.',
  lane: 'ordered',
  params: object({ mode: queueMode }),
  examples: [{ mode: 'all' }],
  async run({ mode }, { session }) {
    session.queues.steeringMode = mode;
  },
});

export const setFollowUpMode = command({
  name: 'set_follow_up_mode',
  doc: 'Deliver one queued follow-up message at a time, or all at once.',
  lane: 'ordered',
  params: object({ mode: queueMode }),
  examples: [{ mode: 'one-at-a-time' }],
  async run({ mode }, { session }) {
    session.queues.followUpMode = mode;
  },
});

export const setInterruptMode = command({
  name: 'set_interrupt_mode',
  doc: '`immediate`: steering messages are delivered between the tool calls of a turn, and the remaining calls are skipped. `wait`: they are delivered only after the turn.',
  lane: 'ordered',
  params: object({ mode: interruptMode }),
  examples: [{ mode: 'wait' }],
  async run({ mode }, { session }) {
    session.queues.interruptMode = mode;
  },
});

export const clearQueue = command({
  name: 'clear_queue',
  doc: 'Remove all queued messages and return their texts.',
  lane: 'ordered',
  params: object({}),
  result: object({ steering: array(string()), followUp: array(string()) }),
  run: (_, { session }) => session.queues.clear(),
});

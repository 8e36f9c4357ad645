// Events of subagents for hosts that subscribed with set_subagent_subscription. `id` is the id of the task.
import { looseObject, object, string } from 'valibot';
import { event } from '../event.ts';
import { subagentLifecycle, subagentProgressPayload } from '../subagent.ts';

export const subagentLifecycleEvent = event(
  'subagent_lifecycle',
  'A subagent has started or ended. Sent only to hosts that subscribed with set_subagent_subscription.',
  object({ payload: subagentLifecycle }),
  { stability: 'experimental' },
);

export const subagentProgressEvent = event(
  'subagent_progress',
  'The progress of a subagent. Sent at a limited rate, only to hosts that subscribed with set_subagent_subscription.',
  object({ payload: subagentProgressPayload }),
  { durable: false, stability: 'experimental' },
);

export const subagentEvent = event(
  'subagent_event',
  'An event of the session of a subagent, in the form its own host would receive. Sent only at the level `events` of set_subagent_subscription.',
  object({ payload: object({ id: string(), event: looseObject({ type: string() }) }) }),
  { stability: 'experimental' },
);

// Ground floor: the events of subagents for hosts that watch them closely. `id` names the task, as in the other events of subagents.
import { looseObject, object, string } from 'valibot';
import { event } from '../event.ts';
import { subagentAdvance, subagentLifecycle } from '../subagent.ts';

export const subagentLifecycleChanged = event(
  'subagent_lifecycle',
  'A subagent begins or is over. Told to hosts that have asked for it with set_subagent_subscription.',
  object({ payload: subagentLifecycle }),
  { stability: 'experimental' },
);

export const subagentProgressed = event(
  'subagent_progress',
  'What a subagent is doing. Told at a bounded rate to hosts that have asked for it with set_subagent_subscription.',
  object({ payload: subagentAdvance }),
  { durable: false, stability: 'experimental' },
);

export const subagentEvent = event(
  'subagent_event',
  'Something happened in the session of a subagent: the event as its own host would be told. Only at the level `events` of set_subagent_subscription.',
  object({ payload: object({ id: string(), event: looseObject({ type: string() }) }) }),
  { stability: 'experimental' },
);

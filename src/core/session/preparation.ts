// First floor, core: what others put around a prompt before its run begins. Knows what they say, not who they are.
import type { UserInput } from '../../contracts/index.ts';
import type { CustomMessage, EntryBody, UserMessage } from '../../protocol/index.ts';
import type { Delivery } from '../agent/scope.ts';
import { orAfterAbort } from '../agent/until-aborted.ts';
import type { Asking } from './asking.ts';
import type { Seat } from './seat.ts';

export interface PreparedRun {
  /** To follow the prompt. */
  deliveries: Delivery[];
  /** In the place of the session's own, for this run. */
  systemPrompt?: string | undefined;
}

const UNCHANGED: PreparedRun = { deliveries: [] };

/** The run is accepted already: a hook that fails does not end it. */
export async function prepareRun(
  seat: Seat,
  asking: Asking,
  { message: prompt, images = [] }: UserInput,
  signal: AbortSignal,
): Promise<PreparedRun> {
  const { hooks, ports } = seat;
  if (!hooks.beforeRun) return UNCHANGED;
  try {
    const { prompt: systemPrompt, sources } = await asking.opening();
    const asked = hooks.beforeRun({ prompt, images, systemPrompt, sources });
    const said = await orAfterAbort(asked, () => undefined, signal, ports.clock);
    const deliveries = (said?.messages ?? []).map((message) => deliveryOf(seat, message));
    return { deliveries, systemPrompt: said?.systemPrompt };
  } catch (thrown) {
    ports.log('preparing a run failed', { error: String(thrown) });
    return UNCHANGED;
  }
}

export function deliveryOf({ conversation }: Seat, message: CustomMessage): Delivery {
  return { message, store: () => conversation.record([entryOf(message)]) };
}

/** Words of others have an entry of their own kind, as other programs write it. */
export function entryOf(message: UserMessage | CustomMessage): EntryBody {
  if (message.role === 'user') return { type: 'message', message };
  const { role: _, timestamp: __, ...body } = message;
  return { type: 'custom_message', ...body };
}

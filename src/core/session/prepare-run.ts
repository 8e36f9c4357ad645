// Runs the beforeRun hook, which can add messages after the prompt and replace the system prompt.
import type { UserInput } from '../../contracts/index.ts';
import type { CustomMessage, EntryBody, UserMessage } from '../../protocol/index.ts';
import type { Delivery } from '../agent/run-scope.ts';
import { withAbortFallback } from '../agent/take-until-aborted.ts';
import type { RequestBuilder } from './request-builder.ts';
import type { SessionState } from './session-state.ts';

export interface PreparedRun {
  /** Delivered after the prompt. */
  deliveries: Delivery[];
  /** Replaces the system prompt of the session during this run. */
  systemPrompt?: string | undefined;
}

const UNCHANGED: PreparedRun = { deliveries: [] };

/** The run is already accepted, so a failing hook does not end it. */
export async function prepareRun(
  state: SessionState,
  requestBuilder: RequestBuilder,
  { message: prompt, images = [] }: UserInput,
  signal: AbortSignal,
): Promise<PreparedRun> {
  const { hooks, ports } = state;
  if (!hooks.beforeRun) return UNCHANGED;
  try {
    // Reading the prefix may take long, too: it waits for MCP servers.
    const callHook = async () => {
      const { systemPrompt, sources } = await requestBuilder.getPromptPrefix();
      return signal.aborted ? undefined : hooks.beforeRun?.({ prompt, images, systemPrompt, sources });
    };
    const hookResult = await withAbortFallback(callHook(), () => undefined, signal, ports.clock);
    const deliveries = (hookResult?.messages ?? []).map((message) => createDelivery(state, message));
    return { deliveries, systemPrompt: hookResult?.systemPrompt };
  } catch (thrown) {
    ports.log('beforeRun hook failed', { error: String(thrown) });
    return UNCHANGED;
  }
}

export function createDelivery({ conversation }: SessionState, message: CustomMessage): Delivery {
  return { message, store: () => conversation.record([toEntryBody(message)]) };
}

/** Custom messages are stored as `custom_message` entries, the format that other programs use. */
export function toEntryBody(message: UserMessage | CustomMessage): EntryBody {
  if (message.role === 'user') return { type: 'message', message };
  const { role: _, timestamp: __, ...body } = message;
  return { type: 'custom_message', ...body };
}

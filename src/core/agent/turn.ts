// First floor, core: one answer, streamed. Turns the model's stream into message events and a kept message.
import { messageOf } from '../../base/index.ts';
import type { AssistantMessage, AssistantMessageEvent, Failure } from '../../protocol/index.ts';
import type { RunScope } from './scope.ts';
import { untilAborted } from './until-aborted.ts';

export const ABORTED = 'Request was aborted';

export async function streamAnswer(scope: RunScope): Promise<AssistantMessage> {
  const stage = createStage(scope);
  if (scope.signal.aborted) return stage.end(stage.broken());
  try {
    const stream = untilAborted(await scope.ask(), scope.signal, scope.clock);
    for await (const first of stream) {
      for (let event: AssistantMessageEvent | undefined = first; event; event = stream.atHand()) {
        if (event.type === 'done') return await stage.end(event.message);
        if (event.type === 'error') return await stage.end(event.error, event.failure);
        const wait = stage.update(event);
        if (wait) await wait;
      }
    }
  } catch (thrown) {
    return stage.end(stage.broken(messageOf(thrown)));
  }
  return stage.end(stage.broken(scope.signal.aborted ? undefined : 'The model stream ended without a final message'));
}

/** Keeps the order start, updates, end, whatever the stream leaves out. */
function createStage(scope: RunScope) {
  let partial: AssistantMessage | undefined;
  const begin = (message: AssistantMessage) => {
    partial = message;
    // A copy, because the message itself grows under the listener's hands.
    return scope.emit({ type: 'message_start', message: { ...message, content: [] } });
  };
  return {
    update(event: AssistantMessageEvent): undefined | Promise<void> {
      if (event.type === 'start') return begin(event.partial);
      if (event.type === 'done' || event.type === 'error') return undefined;
      partial = event.partial;
      return scope.emit({ type: 'message_update', message: event.partial, assistantMessageEvent: event });
    },
    /** The answer as far as it came, ended by us. */
    broken(reason?: string): AssistantMessage {
      const stopped = scope.signal.aborted;
      const base = partial ?? scope.blankAnswer();
      const { timestamp, ...rest } = base;
      return {
        ...rest,
        stopReason: stopped ? 'aborted' : 'error',
        errorMessage: stopped ? ABORTED : (reason ?? 'The model gave no answer'),
        timestamp,
      };
    },
    async end(message: AssistantMessage, failure?: Failure): Promise<AssistantMessage> {
      if (!partial) await scope.emit({ type: 'message_start', message });
      await scope.record(message);
      await scope.emit({ type: 'message_end', message });
      await scope.answered(message, failure);
      return message;
    },
  };
}

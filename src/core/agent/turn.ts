// First floor, core: one answer, streamed. Turns the model's stream into message events and a kept message.
import { messageOf } from '../../base/index.ts';
import type { AssistantMessage, AssistantMessageEvent, Failure } from '../../protocol/index.ts';
import type { AnswerWatch, RunScope } from './scope.ts';
import { untilAborted } from './until-aborted.ts';

export const ABORTED = 'Request was aborted';

export async function streamAnswer(scope: RunScope): Promise<AssistantMessage> {
  const watch = scope.rules?.watch(scope.signal);
  const signal = watch?.signal ?? scope.signal;
  const stage = createStage(scope, signal, watch);
  if (scope.signal.aborted) return stage.end(stage.broken());
  try {
    const stream = untilAborted(await scope.ask(signal), signal, scope.clock);
    for await (const first of stream) {
      for (let event: AssistantMessageEvent | undefined = first; event; event = stream.atHand()) {
        if (event.type === 'done') {
          // Nothing of an answer is acted upon before it is known to break no rule.
          if (watch) await watch.settled();
          return await stage.end(watch?.isBroken ? stage.broken() : event.message);
        }
        if (event.type === 'error') {
          return await (watch?.isBroken ? stage.end(stage.broken()) : stage.end(event.error, event.failure));
        }
        const wait = stage.update(event);
        if (wait) await wait;
        if (watch) watch.see(event);
      }
    }
  } catch (thrown) {
    return stage.end(stage.broken(messageOf(thrown)));
  } finally {
    watch?.end();
  }
  return stage.end(stage.broken(signal.aborted ? undefined : 'The model stream ended without a final message'));
}

/** Keeps the order start, updates, end, whatever the stream leaves out. */
function createStage(scope: RunScope, signal: AbortSignal, watch: AnswerWatch | undefined) {
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
      const stopped = signal.aborted;
      const base = partial ?? scope.blankAnswer();
      const { timestamp, ...rest } = base;
      return {
        ...rest,
        stopReason: stopped ? 'aborted' : 'error',
        errorMessage: stopped ? (watch?.reason ?? ABORTED) : (reason ?? 'The model gave no answer'),
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

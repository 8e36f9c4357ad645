// Streams one answer of the model: emits its message events and records the final message.
import { getErrorMessage } from '../../base/index.ts';
import {
  type AssistantMessage,
  type AssistantMessageEvent,
  type ProviderFailure,
  sumTokens,
} from '../../protocol/index.ts';
import type { AnswerWatch, RunScope } from './run-scope.ts';
import { takeUntilAborted } from './take-until-aborted.ts';

export const ABORT_MESSAGE = 'Request was aborted';

export async function streamAnswer(scope: RunScope): Promise<AssistantMessage> {
  const watch = scope.rules?.watchAnswer(scope.signal);
  const signal = watch?.signal ?? scope.signal;
  const emitter = createAnswerEmitter(scope, signal, watch);
  if (scope.signal.aborted) return emitter.end(emitter.createInterruptedAnswer());
  try {
    const stream = takeUntilAborted(await scope.requestAnswer(signal), signal, scope.clock);
    for await (const first of stream) {
      for (let event: AssistantMessageEvent | undefined = first; event; event = stream.nextBuffered()) {
        if (event.type === 'done') {
          // Tool calls must not run before the whole answer has been checked against the rules.
          if (watch) await watch.waitUntilChecked();
          return await emitter.end(watch?.isRuleViolated ? emitter.createInterruptedAnswer() : event.message);
        }
        if (event.type === 'error') {
          return await (watch?.isRuleViolated
            ? emitter.end(emitter.createInterruptedAnswer())
            : emitter.end(event.error, event.failure));
        }
        const wait = emitter.update(event);
        if (wait) await wait;
        if (watch) watch.feed(event);
      }
    }
  } catch (thrown) {
    return emitter.end(emitter.createInterruptedAnswer(getErrorMessage(thrown)));
  } finally {
    watch?.stop();
  }
  return emitter.end(
    emitter.createInterruptedAnswer(signal.aborted ? undefined : 'The model stream ended without a final message'),
  );
}

/** Emits start, updates and end in this order, even if the stream leaves some of them out. */
function createAnswerEmitter(scope: RunScope, signal: AbortSignal, watch: AnswerWatch | undefined) {
  let partial: AssistantMessage | undefined;
  const emitStart = (message: AssistantMessage) => {
    partial = message;
    // A copy, because the message object is extended while the stream goes on.
    return scope.emit({ type: 'message_start', message: { ...message, content: [] } });
  };
  return {
    update(event: AssistantMessageEvent): undefined | Promise<void> {
      if (event.type === 'start') return emitStart(event.partial);
      if (event.type === 'done' || event.type === 'error') return undefined;
      partial = event.partial;
      return scope.emit({ type: 'message_update', message: event.partial, assistantMessageEvent: event });
    },
    /** The part of the answer that was received, marked as aborted or failed. */
    createInterruptedAnswer(reason?: string): AssistantMessage {
      const isAborted = signal.aborted;
      const base = partial ?? scope.createEmptyAnswer();
      const { timestamp, ...rest } = base;
      return {
        ...rest,
        stopReason: isAborted ? 'aborted' : 'error',
        errorMessage: isAborted ? (watch?.interruptReason ?? ABORT_MESSAGE) : (reason ?? 'The model gave no answer'),
        timestamp,
      };
    },
    async end(answer: AssistantMessage, providerFailure?: ProviderFailure): Promise<AssistantMessage> {
      const { cost, ...counts } = answer.usage;
      const message = { ...answer, usage: { ...counts, totalTokens: sumTokens(answer.usage), cost } };
      if (!partial) await scope.emit({ type: 'message_start', message });
      await scope.record(message, providerFailure);
      await scope.emit({ type: 'message_end', message });
      await scope.onAnswer(message, providerFailure);
      return message;
    },
  };
}

// Streams the steps of the offline model as events.
import { flattenBatches, getErrorMessage } from '../../base/index.ts';
import type { Clock, ModelApi, ModelRequest } from '../../contracts/index.ts';
import { type AssistantMessageEvent, createEmptyUsage, type StreamEvent } from '../../protocol/index.ts';
import { ABORTED_MESSAGE, type DoneReason, MessageBuilder } from '../message-builder.ts';
import { CHARS_PER_TOKEN, estimateInputTokens, estimateTokens } from './estimate.ts';
import { planStep, type Step, type TextOutput } from './plan-step.ts';
import { splitIntoChunks, splitIntoDeltas, truncate } from './text-format.ts';

export interface OfflineApiOptions {
  clock: Pick<Clock, 'now'>;
  /** Lets the event loop run. The offline model does no network I/O, so an abort could not be processed otherwise. */
  yieldToEventLoop?: () => Promise<void>;
}

const EVENTS_PER_PAUSE = 32;
const ARGUMENT_CHUNK_SIZE = 24;

export function createOfflineApi({ clock, yieldToEventLoop = () => Promise.resolve() }: OfflineApiOptions): ModelApi {
  return { stream: (request) => flattenBatches(streamBatches(request, clock, yieldToEventLoop)) };
}

async function* streamBatches(
  request: ModelRequest,
  clock: Pick<Clock, 'now'>,
  yieldToEventLoop: () => Promise<void>,
): AsyncGenerator<Iterable<AssistantMessageEvent>> {
  const events = generateEvents(request, new MessageBuilder(request.model, clock.now()));
  for (let isDone = false; !isDone; ) {
    yield takeBatch(events, EVENTS_PER_PAUSE, () => {
      isDone = true;
    });
    if (!isDone) await yieldToEventLoop();
  }
}

/** Takes at most `count` events. Not `for … of`, which would close the generator at the end of the batch. */
function* takeBatch<T>(events: Iterator<T>, count: number, onEnd: () => void): Generator<T> {
  for (let i = 0; i < count; i++) {
    const next = events.next();
    if (next.done) return onEnd();
    yield next.value;
  }
}

function* generateEvents(request: ModelRequest, builder: MessageBuilder): Generator<AssistantMessageEvent> {
  const usage = { ...createEmptyUsage(), input: estimateInputTokens(request) };
  builder.setUsage(usage);
  yield builder.start();
  let outputChars = 0;
  let doneReason: DoneReason = 'stop';
  let failure: string | undefined;
  try {
    const step = planStep(request);
    failure = step.failure;
    const ids = createCallIds(request, builder.message.timestamp);
    const maxChars = request.maxTokens === undefined ? Number.POSITIVE_INFINITY : request.maxTokens * CHARS_PER_TOKEN;
    const events = emitStep(builder, step, ids, maxChars);
    for (;;) {
      // Checked before the next event is generated, because generating it changes the message.
      if (request.signal.aborted) return yield builder.fail('aborted', ABORTED_MESSAGE);
      const next = events.next();
      if (next.done) {
        doneReason = next.value;
        break;
      }
      if ('delta' in next.value) outputChars += next.value.delta.length;
      yield next.value;
    }
  } catch (thrown) {
    return yield builder.fail('error', getErrorMessage(thrown));
  }
  builder.setUsage({ ...usage, output: estimateTokens(outputChars) });
  // With a kind, so that the user's text in the message cannot be classified as a retryable failure.
  if (failure !== undefined && doneReason === 'stop')
    yield { ...builder.fail('error', failure), failure: { kind: 'refused' } };
  else yield builder.finish(doneReason);
}

/** Unique in the session, even after a compaction has removed earlier calls from the history. */
function createCallIds(request: ModelRequest, timestamp: number): (index: number) => string {
  const resultCount = request.messages.filter((message) => message.role === 'toolResult').length;
  return (index) => `call_${timestamp.toString(36)}_${resultCount + index + 1}`;
}

/** The events of a step, generated lazily. Returns the stop reason. */
function* emitStep(
  builder: MessageBuilder,
  step: Step,
  getCallId: (index: number) => string,
  maxChars: number,
): Generator<StreamEvent, DoneReason> {
  if (step.thinking !== undefined) {
    yield builder.startThinking();
    for (const delta of splitIntoDeltas(step.thinking)) yield builder.appendThinking(delta);
    yield builder.endThinking();
  }
  const isCut = step.texts.length > 0 && (yield* emitText(builder, step.texts, maxChars));
  if (isCut) return 'length';
  for (const [index, call] of step.calls.entries()) {
    yield builder.startToolCall(getCallId(index), call.name);
    for (const piece of splitIntoChunks(JSON.stringify(call.arguments), ARGUMENT_CHUNK_SIZE))
      yield builder.appendToolCall(piece);
    yield builder.endToolCall();
  }
  return step.calls.length > 0 ? 'toolUse' : 'stop';
}

/** Emits one text block. Returns `true` if the length limit cut it. */
function* emitText(
  builder: MessageBuilder,
  texts: readonly TextOutput[],
  maxChars: number,
): Generator<StreamEvent, boolean> {
  let remaining = maxChars;
  yield builder.startText();
  for (const delta of splitIntoTextDeltas(texts)) {
    // One less than the limit, because truncating may take one more unit to keep a surrogate pair together.
    const piece = delta.length <= remaining ? delta : truncate(delta, Math.max(0, remaining - 1));
    if (piece !== '') yield builder.appendText(piece);
    remaining -= piece.length;
    if (piece !== delta) {
      yield builder.endText();
      return true;
    }
  }
  yield builder.endText();
  return false;
}

function* splitIntoTextDeltas(texts: readonly TextOutput[]): Generator<string> {
  for (const [index, part] of texts.entries()) {
    if (index > 0) yield '\n\n';
    if (typeof part === 'string') yield* splitIntoDeltas(part);
    else for (let n = 1; n <= part.countTo; n++) yield n === part.countTo ? `${n}` : `${n} `;
  }
}

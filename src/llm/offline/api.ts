// First floor, llm: speaks the offline model's steps as a stream of events. Knows neither phrases nor tools.
import { flattened, messageOf } from '../../base/index.ts';
import type { Clock, ModelApi, ModelRequest } from '../../contracts/index.ts';
import { type AssistantMessageEvent, noUsage, type StreamEvent } from '../../protocol/index.ts';
import { ABORTED_MESSAGE, type DoneReason, MessageBuilder } from '../message-builder.ts';
import { cut, deltas, pieces } from './cutting.ts';
import { CHARS_PER_TOKEN, inputTokens, tokensIn } from './estimate.ts';
import { planStep, type Speech, type Step } from './plan.ts';

export interface OfflineOptions {
  clock: Pick<Clock, 'now'>;
  /** Lets the event loop turn: no network interrupts this model, and an abort must be heard. */
  pause?: () => Promise<void>;
}

const EVENTS_PER_PAUSE = 32;
const ARGUMENT_PIECE = 24;

export function createOfflineApi({ clock, pause = () => Promise.resolve() }: OfflineOptions): ModelApi {
  return { stream: (request) => flattened(answer(request, clock, pause)) };
}

async function* answer(
  request: ModelRequest,
  clock: Pick<Clock, 'now'>,
  pause: () => Promise<void>,
): AsyncGenerator<Iterable<AssistantMessageEvent>> {
  const events = tell(request, new MessageBuilder(request.model, clock.now()));
  for (let over = false; !over; ) {
    yield some(events, EVENTS_PER_PAUSE, () => {
      over = true;
    });
    if (!over) await pause();
  }
}

/** At most `count` of them. Written out, because `for … of` would end the generator with the batch. */
function* some<T>(events: Iterator<T>, count: number, onEnd: () => void): Generator<T> {
  for (let i = 0; i < count; i++) {
    const next = events.next();
    if (next.done) return onEnd();
    yield next.value;
  }
}

function* tell(request: ModelRequest, builder: MessageBuilder): Generator<AssistantMessageEvent> {
  const account = { ...noUsage(), input: inputTokens(request) };
  builder.setUsage(account);
  yield builder.start();
  let spoken = 0;
  let last: DoneReason = 'stop';
  let failure: string | undefined;
  try {
    const step = planStep(request);
    failure = step.failure;
    const ids = callIds(request, builder.message.timestamp);
    const most = request.maxTokens === undefined ? Number.POSITIVE_INFINITY : request.maxTokens * CHARS_PER_TOKEN;
    const events = perform(builder, step, ids, most);
    for (;;) {
      // Before the next event is made, because making it lets the message grow.
      if (request.signal.aborted) return yield builder.fail('aborted', ABORTED_MESSAGE);
      const next = events.next();
      if (next.done) {
        last = next.value;
        break;
      }
      if ('delta' in next.value) spoken += next.value.delta.length;
      yield next.value;
    }
  } catch (thrown) {
    return yield builder.fail('error', messageOf(thrown));
  }
  builder.setUsage({ ...account, output: tokensIn(spoken) });
  // With a kind, so that the user's own words in the message are not taken for a failure that passes.
  if (failure !== undefined && last === 'stop')
    yield { ...builder.fail('error', failure), failure: { kind: 'refused' } };
  else yield builder.finish(last);
}

/** Unique in the session also after a compaction has taken earlier calls out of the history. */
function callIds(request: ModelRequest, timestamp: number): (index: number) => string {
  const before = request.messages.filter((message) => message.role === 'toolResult').length;
  return (index) => `call_${timestamp.toString(36)}_${before + index + 1}`;
}

/** The step as events; each is made only when it is asked for. Returns why the answer ended. */
function* perform(
  builder: MessageBuilder,
  step: Step,
  idOf: (index: number) => string,
  most: number,
): Generator<StreamEvent, DoneReason> {
  if (step.thinking !== undefined) {
    yield builder.startThinking();
    for (const delta of deltas(step.thinking)) yield builder.appendThinking(delta);
    yield builder.endThinking();
  }
  const cutShort = step.speech.length > 0 && (yield* speak(builder, step.speech, most));
  if (cutShort) return 'length';
  for (const [index, call] of step.calls.entries()) {
    yield builder.startToolCall(idOf(index), call.name);
    for (const piece of pieces(JSON.stringify(call.arguments), ARGUMENT_PIECE)) yield builder.appendToolCall(piece);
    yield builder.endToolCall();
  }
  return step.calls.length > 0 ? 'toolUse' : 'stop';
}

/** One text block. `true` when the length limit cut it short. */
function* speak(builder: MessageBuilder, speech: readonly Speech[], most: number): Generator<StreamEvent, boolean> {
  let left = most;
  yield builder.startText();
  for (const delta of words(speech)) {
    // One less than is left, because a cut may take one unit more to keep a character whole.
    const within = delta.length <= left ? delta : cut(delta, Math.max(0, left - 1));
    if (within !== '') yield builder.appendText(within);
    left -= within.length;
    if (within !== delta) {
      yield builder.endText();
      return true;
    }
  }
  yield builder.endText();
  return false;
}

function* words(speech: readonly Speech[]): Generator<string> {
  for (const [index, part] of speech.entries()) {
    if (index > 0) yield '\n\n';
    if (typeof part === 'string') yield* deltas(part);
    else for (let n = 1; n <= part.countTo; n++) yield n === part.countTo ? `${n}` : `${n} `;
  }
}

// Models with scripted answers. All requests are recorded for the test.
import { createDeferred, type Deferred } from '../base/index.ts';
import type { ModelRegistry, ModelRequest } from '../contracts/index.ts';
import { ABORTED_MESSAGE, MessageBuilder } from '../llm/message-builder.ts';
import {
  type AssistantMessageEvent,
  createEmptyUsage,
  type Model,
  type ProviderFailure,
  type StopReason,
  type StreamEvent,
  type Usage,
} from '../protocol/index.ts';

/** A tool call in a scripted answer. */
export interface ScriptedToolCall {
  /** Default: `call_1`, `call_2`, … */
  id?: string;
  name: string;
  arguments?: Record<string, unknown>;
}

/** One answer of the model: thinking, then text, then tool calls, then the end. */
export interface ScriptedAnswer {
  /** A list produces one delta per item. */
  thinking?: string | readonly string[];
  text?: string | readonly string[];
  calls?: readonly ScriptedToolCall[];
  /** Default: `toolUse` with calls, `stop` without. */
  stopReason?: StopReason;
  /** Ends the answer with this error, after its other content. */
  error?: string;
  /** The structured details of the error, as a provider reports them. */
  failure?: ProviderFailure;
  usage?: Partial<Usage>;
  /** Pauses the answer until the test releases this name. */
  hold?: string;
  /** Pauses after this many deltas. Default: before the first one. At the end if there are fewer. */
  holdAfter?: number;
}

/** The fields of `ScriptedAnswer`, for checks of transcripts. */
export const SCRIPTED_ANSWER_FIELDS: Readonly<Record<keyof ScriptedAnswer, true>> = {
  thinking: true,
  text: true,
  calls: true,
  stopReason: true,
  error: true,
  failure: true,
  usage: true,
  hold: true,
  holdAfter: true,
};

/** An answer, or a function that computes it from the request. */
export type ScriptStep = ScriptedAnswer | ((request: ModelRequest) => ScriptedAnswer);

/** The model registry of a test. */
export interface ScriptedModels extends ModelRegistry {
  /** The initial model. */
  readonly model: Model;
  /** All requests so far. Messages and tools are frozen copies from the time of the request. */
  readonly requests: readonly ModelRequest[];
  /** The number of answers that have not been requested yet. */
  readonly remaining: number;
  /** Appends answers to the script. */
  add(...steps: ScriptStep[]): void;
  /** Continues the answer that waits for this name, now or when it gets there. */
  release(name: string): void;
  /** Resolves when an answer waits for this name. Replaces sleeping in a test. */
  waitForHold(name: string): Promise<void>;
}

export interface ScriptedModelsOptions {
  /** The first one is the initial model. Default: `scriptedModel` alone. */
  models?: readonly Model[];
  /** The time for the timestamps of messages, in milliseconds. Default: always 0. */
  now?: () => number;
  /** The models that `cycle_model` chooses from. Default: all models. */
  scopedModels?: readonly Model[];
}

/** The default model: it costs nothing and has a context window of 200,000 tokens. */
export const scriptedModel: Model = {
  id: 'scripted',
  name: 'Scripted',
  api: 'scripted',
  provider: 'testing',
  baseUrl: '',
  reasoning: true,
  input: ['text', 'image'],
  contextWindow: 200_000,
  maxTokens: 8192,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
};

/** A model registry that answers each request with the next answer of the script, and with an error when none is left. */
export function createScriptedModels(
  script: readonly ScriptStep[],
  options: ScriptedModelsOptions = {},
): ScriptedModels {
  const { models = [scriptedModel], now = () => 0, scopedModels } = options;
  const steps = [...script];
  const requests: ModelRequest[] = [];
  const holdPoints = createHoldPoints();
  let calls = 0;
  const nextId = () => `call_${++calls}`;
  return {
    model: models[0] ?? scriptedModel,
    requests,
    get remaining() {
      return steps.length;
    },
    add: (...more) => void steps.push(...more),
    release: holdPoints.release,
    waitForHold: holdPoints.waitForHold,
    chooseInitial: async ({ model: requestedId } = {}) =>
      models.find(({ id }) => id === requestedId) ?? models[0] ?? null,
    find: async (provider, id) => models.find((model) => model.provider === provider && model.id === id),
    listAvailable: async () => models,
    listScoped: async () => scopedModels,
    requireCredentials: async () => {},
    supportsFastMode: ({ provider }) => provider === 'openai',
    stream(request) {
      requests.push(copyRequest(request));
      const step = steps.shift();
      const errorMessage = `No scripted answer is left for request ${requests.length}`;
      const answer = typeof step === 'function' ? step(request) : (step ?? { error: errorMessage });
      return streamAnswer(answer, new MessageBuilder(request.model, now()), nextId, holdPoints, request.signal);
    },
  };
}

function copyRequest(request: ModelRequest): ModelRequest {
  const { messages, tools } = request;
  return Object.freeze({
    ...request,
    messages: freezeDeep(structuredClone(messages)),
    tools: freezeDeep(structuredClone(tools)),
  });
}

function freezeDeep<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  Object.values(value).forEach(freezeDeep);
  return value;
}

async function* streamAnswer(
  answer: ScriptedAnswer,
  builder: MessageBuilder,
  nextId: () => string,
  holdPoints: HoldPoints,
  signal: AbortSignal,
): AsyncGenerator<AssistantMessageEvent> {
  yield builder.start();
  const events = streamContent(answer, builder, nextId);
  const holdAfter = answer.holdAfter ?? 0;
  let isHoldPending = answer.hold !== undefined;
  for (let deltas = 0, isDone = false; !isDone; ) {
    if (isHoldPending && deltas >= holdAfter) {
      isHoldPending = false;
      await holdPoints.waitForRelease(answer.hold as string, signal);
    }
    if (signal.aborted) return yield builder.fail('aborted', ABORTED_MESSAGE);
    const next = events.next();
    isDone = next.done === true;
    if (next.done) continue;
    if ('delta' in next.value) deltas++;
    yield next.value;
  }
  if (isHoldPending) await holdPoints.waitForRelease(answer.hold as string, signal);
  yield signal.aborted ? builder.fail('aborted', ABORTED_MESSAGE) : createEndEvent(answer, builder);
}

function* streamContent(
  answer: ScriptedAnswer,
  builder: MessageBuilder,
  nextId: () => string,
): Generator<StreamEvent, void> {
  if (answer.thinking !== undefined) {
    yield builder.startThinking();
    for (const delta of [answer.thinking].flat()) yield builder.appendThinking(delta);
    yield builder.endThinking();
  }
  if (answer.text !== undefined) {
    yield builder.startText();
    for (const delta of [answer.text].flat()) yield builder.appendText(delta);
    yield builder.endText();
  }
  for (const call of answer.calls ?? []) {
    yield builder.startToolCall(call.id ?? nextId(), call.name);
    yield builder.appendToolCall(JSON.stringify(call.arguments ?? {}));
    yield builder.endToolCall();
  }
}

function createEndEvent(answer: ScriptedAnswer, builder: MessageBuilder): AssistantMessageEvent {
  builder.setUsage({ ...createEmptyUsage(), ...answer.usage });
  const reason = answer.stopReason ?? (answer.calls?.length ? 'toolUse' : 'stop');
  if (answer.error !== undefined) {
    const { failure } = answer;
    return { ...builder.fail(reason === 'aborted' ? reason : 'error', answer.error), ...(failure ? { failure } : {}) };
  }
  if (reason === 'aborted') return builder.fail(reason, ABORTED_MESSAGE);
  return reason === 'error' ? builder.fail(reason, 'Scripted error') : builder.finish(reason);
}

interface HoldPoints {
  release(name: string): void;
  waitForHold(name: string): Promise<void>;
  /** Waits for the release of a name or for an abort. */
  waitForRelease(name: string, signal: AbortSignal): Promise<void>;
}

function createHoldPoints(): HoldPoints {
  const points = new Map<string, { reached: Deferred<void>; released: Deferred<void> }>();
  const getPoint = (name: string) => {
    const point = points.get(name) ?? { reached: createDeferred(), released: createDeferred() };
    points.set(name, point);
    return point;
  };
  return {
    release: (name) => getPoint(name).released.resolve(),
    waitForHold: (name) => getPoint(name).reached.promise,
    async waitForRelease(name, signal) {
      const { reached, released } = getPoint(name);
      const aborted = createDeferred();
      const onAbort = () => aborted.resolve();
      signal.addEventListener('abort', onAbort);
      if (signal.aborted) onAbort();
      reached.resolve();
      await Promise.race([released.promise, aborted.promise]);
      signal.removeEventListener('abort', onAbort);
    },
  };
}

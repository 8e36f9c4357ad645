// The hall, testing: models whose answers are written down beforehand. Every request is kept for the test to look at.
import { type Deferred, deferred } from '../base/index.ts';
import type { ModelRequest, Models } from '../contracts/index.ts';
import { ABORTED_MESSAGE, MessageBuilder } from '../llm/message-builder.ts';
import {
  type AssistantMessageEvent,
  type Failure,
  type Model,
  noUsage,
  type StopReason,
  type StreamEvent,
  type Usage,
} from '../protocol/index.ts';

export interface ScriptedCall {
  /** Made up when absent: `call_1`, `call_2`, … */
  id?: string;
  name: string;
  arguments?: Record<string, unknown>;
}

/** One answer of the model: thinking, then text, then tool calls, then its end. */
export interface ScriptedAnswer {
  /** A list gives one delta for each item. */
  thinking?: string | readonly string[];
  text?: string | readonly string[];
  calls?: readonly ScriptedCall[];
  /** `toolUse` with calls and `stop` without, unless given. */
  stopReason?: StopReason;
  /** The answer ends in an error with this message, after whatever else it holds. */
  error?: string;
  /** What the provider said of that error, as far as programs understand it. */
  failure?: Failure;
  usage?: Partial<Usage>;
  /** Waits in the middle of the answer until the test releases this name. */
  hold?: string;
  /** After how many deltas to wait; at first when absent, at the end when there are fewer. */
  holdAfter?: number;
}

export type ScriptStep = ScriptedAnswer | ((request: ModelRequest) => ScriptedAnswer);

export interface ScriptedModels extends Models {
  readonly model: Model;
  /** Every request so far. Messages and tools are frozen copies of what they were at the time. */
  readonly requests: readonly ModelRequest[];
  /** Answers that nobody has asked for yet. */
  readonly remaining: number;
  add(...steps: ScriptStep[]): void;
  /** Lets an answer that waits for this name go on, now or when it gets there. */
  release(name: string): void;
  /** Resolves when an answer waits for this name: instead of sleeping in a test. */
  reached(name: string): Promise<void>;
}

export interface ScriptedOptions {
  models?: readonly Model[];
  now?: () => number;
  /** The models that cycling goes through. */
  scope?: readonly Model[];
}

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

export function createScriptedModels(script: readonly ScriptStep[], options: ScriptedOptions = {}): ScriptedModels {
  const { models = [scriptedModel], now = () => 0, scope } = options;
  const steps = [...script];
  const requests: ModelRequest[] = [];
  const gates = createGates();
  let calls = 0;
  const nextId = () => `call_${++calls}`;
  return {
    model: models[0] ?? scriptedModel,
    requests,
    get remaining() {
      return steps.length;
    },
    add: (...more) => void steps.push(...more),
    release: gates.release,
    reached: gates.reached,
    initial: async ({ model: wished } = {}) => models.find(({ id }) => id === wished) ?? models[0] ?? null,
    find: async (provider, id) => models.find((model) => model.provider === provider && model.id === id),
    available: async () => models,
    scope: async () => scope,
    ready: async () => {},
    stream(request) {
      requests.push(keep(request));
      const step = steps.shift();
      const empty = `The script is empty: request ${requests.length} has no answer`;
      const answer = typeof step === 'function' ? step(request) : (step ?? { error: empty });
      return play(answer, new MessageBuilder(request.model, now()), nextId, gates, request.signal);
    },
  };
}

function keep(request: ModelRequest): ModelRequest {
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

async function* play(
  answer: ScriptedAnswer,
  builder: MessageBuilder,
  nextId: () => string,
  gates: Gates,
  signal: AbortSignal,
): AsyncGenerator<AssistantMessageEvent> {
  yield builder.start();
  const events = contentOf(answer, builder, nextId);
  const holdAfter = answer.holdAfter ?? 0;
  let holds = answer.hold !== undefined;
  for (let deltas = 0, over = false; !over; ) {
    if (holds && deltas >= holdAfter) {
      holds = false;
      await gates.pass(answer.hold as string, signal);
    }
    if (signal.aborted) return yield builder.fail('aborted', ABORTED_MESSAGE);
    const next = events.next();
    over = next.done === true;
    if (next.done) continue;
    if ('delta' in next.value) deltas++;
    yield next.value;
  }
  if (holds) await gates.pass(answer.hold as string, signal);
  yield signal.aborted ? builder.fail('aborted', ABORTED_MESSAGE) : endOf(answer, builder);
}

function* contentOf(
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

function endOf(answer: ScriptedAnswer, builder: MessageBuilder): AssistantMessageEvent {
  builder.setUsage({ ...noUsage(), ...answer.usage });
  const reason = answer.stopReason ?? (answer.calls?.length ? 'toolUse' : 'stop');
  if (answer.error !== undefined) {
    const { failure } = answer;
    return { ...builder.fail(reason === 'aborted' ? reason : 'error', answer.error), ...(failure ? { failure } : {}) };
  }
  if (reason === 'aborted') return builder.fail(reason, ABORTED_MESSAGE);
  return reason === 'error' ? builder.fail(reason, 'The script says so') : builder.finish(reason);
}

interface Gates {
  release(name: string): void;
  reached(name: string): Promise<void>;
  /** Waits for the release of a name, or for the abort. */
  pass(name: string, signal: AbortSignal): Promise<void>;
}

function createGates(): Gates {
  const gates = new Map<string, { reached: Deferred<void>; released: Deferred<void> }>();
  const gate = (name: string) => {
    const known = gates.get(name) ?? { reached: deferred(), released: deferred() };
    gates.set(name, known);
    return known;
  };
  return {
    release: (name) => gate(name).released.resolve(),
    reached: (name) => gate(name).reached.promise,
    async pass(name, signal) {
      const { reached, released } = gate(name);
      const aborted = deferred();
      const onAbort = () => aborted.resolve();
      signal.addEventListener('abort', onAbort);
      if (signal.aborted) onAbort();
      reached.resolve();
      await Promise.race([released.promise, aborted.promise]);
      signal.removeEventListener('abort', onAbort);
    },
  };
}

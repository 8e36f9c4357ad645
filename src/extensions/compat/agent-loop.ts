// The agent loop of pi-agent-core for extensions, run by the loop of this program. It has its own messages and no session.
import { getErrorMessage } from '../../base/index.ts';
import type { ExtensionTool, Hooks, ModelStream, Ports } from '../../contracts/index.ts';
import type { Delivery, RunScope } from '../../core/agent/run-scope.ts';
import { runTurns } from '../../core/agent/run-turns.ts';
import { toModelMessages } from '../../core/context/to-model-messages.ts';
import { completeEvent, createEmptyMessage, createExtensionTool } from '../../core/extension/index.ts';
import type {
  AgentEvent,
  AgentMessage,
  AssistantMessage,
  AssistantMessageEvent,
  Model,
  ModelMessage,
  ThinkingLevel,
} from '../../protocol/index.ts';
import { reserveArtifact } from './tool-factories.ts';

type MaybePromise<T> = T | Promise<T>;
type ToolHook = (context: Record<string, unknown>, signal?: AbortSignal) => MaybePromise<unknown>;

export type StreamFunction = (
  model: Model,
  context: { systemPrompt: string; messages: readonly ModelMessage[]; tools: readonly unknown[] },
  options: Record<string, unknown>,
) => MaybePromise<AsyncIterable<AssistantMessageEvent>>;

/** The fields of pi's `AgentLoopConfig` that have an effect. */
export interface LoopOptions {
  model: Model;
  thinkingLevel?: ThinkingLevel | undefined;
  sessionId?: string | undefined;
  convertToLlm?: ((messages: AgentMessage[]) => MaybePromise<ModelMessage[]>) | undefined;
  transformContext?: ((messages: AgentMessage[], signal?: AbortSignal) => MaybePromise<AgentMessage[]>) | undefined;
  getApiKey?: ((provider: string) => MaybePromise<string | undefined>) | undefined;
  beforeToolCall?: ToolHook | undefined;
  afterToolCall?: ToolHook | undefined;
}

export interface LoopState {
  readonly systemPrompt: string;
  readonly tools: readonly ExtensionTool[];
  /** Grows with every message of the run. */
  readonly messages: AgentMessage[];
}

export interface LoopParts {
  readonly ports: Ports;
  readonly streamFunction: StreamFunction;
  readonly signal: AbortSignal;
  emit(event: AgentEvent): Promise<void>;
  takeSteering(): AgentMessage[];
  takeFollowUps(): AgentMessage[];
  hasSteering(): boolean;
}

/** Runs until no message is left. Returns the new messages. An error becomes an assistant message, as in a session. */
export async function runLoop(
  prompts: readonly AgentMessage[],
  state: LoopState,
  options: LoopOptions,
  parts: LoopParts,
): Promise<AgentMessage[]> {
  const { emit } = parts;
  const scope = createScope(state, options, parts);
  const newMessages: AgentMessage[] = [];
  await emit({ type: 'agent_start' });
  try {
    await runTurns(scope, toDeliveries(state, prompts), newMessages);
  } catch (thrown) {
    const message: AssistantMessage = {
      ...scope.createEmptyAnswer(),
      stopReason: parts.signal.aborted ? 'aborted' : 'error',
      errorMessage: getErrorMessage(thrown),
    };
    await emit({ type: 'message_start', message });
    await scope.record(message);
    newMessages.push(message);
    await emit({ type: 'message_end', message });
    await emit({ type: 'turn_end', message, toolResults: [] });
  }
  await emit({ type: 'agent_end', messages: newMessages, willRetry: false });
  return newMessages;
}

function toDeliveries({ messages }: LoopState, added: readonly AgentMessage[]): Delivery[] {
  return added.map((message) => ({ message, store: async () => void messages.push(message) }));
}

function createScope(state: LoopState, options: LoopOptions, parts: LoopParts): RunScope {
  const { ports, signal } = parts;
  const tools = new Map(
    state.tools.map((tool) => [tool.name, createExtensionTool(tool, () => undefined, ports.testPatterns)]),
  );
  return {
    signal,
    clock: ports.clock,
    emit: (event) => parts.emit(event),
    hooks: createToolHooks(state, options),
    record: async (message) => void state.messages.push(message),
    onAnswer: () => undefined,
    requestAnswer: (requestSignal) => requestAnswer(state, options, parts, requestSignal),
    createEmptyAnswer: () => createEmptyMessage(options.model, ports.clock.now()),
    tools,
    findNewTool: async () => undefined,
    toolContext: {
      cwd: process.cwd(),
      ports,
      artifacts: { reserve: (name) => reserveArtifact(ports, name), find: async () => undefined },
      options: { shellPath: undefined, bashTimeout: undefined },
    },
    pendingSaves: undefined,
    takeSteering: () => toDeliveries(state, parts.takeSteering()),
    takeFollowUps: () => toDeliveries(state, parts.takeFollowUps()),
    get hasSteering() {
      return parts.hasSteering();
    },
    interruptMode: 'immediate',
    limits: { countToolCall: () => undefined, countTurn: () => undefined, haltReason: undefined },
  };
}

async function requestAnswer(
  { systemPrompt, tools, messages }: LoopState,
  options: LoopOptions,
  { streamFunction, ports }: LoopParts,
  signal: AbortSignal,
): Promise<ModelStream> {
  const { model, transformContext, convertToLlm = toModelMessages, thinkingLevel = 'off', sessionId } = options;
  const transformed = transformContext ? await transformContext([...messages], signal) : [...messages];
  const apiKey = await options.getApiKey?.(model.provider);
  const stream = await streamFunction(
    model,
    {
      systemPrompt,
      messages: await convertToLlm(transformed),
      tools: tools.map(({ name, description = '', parameters = {} }) => ({ name, description, parameters })),
    },
    {
      signal,
      ...(thinkingLevel === 'off' ? {} : { reasoning: thinkingLevel }),
      ...(apiKey === undefined ? {} : { apiKey }),
      ...(sessionId === undefined ? {} : { sessionId }),
    },
  );
  return completeStream(stream, model, ports);
}

async function* completeStream(
  stream: AsyncIterable<AssistantMessageEvent>,
  model: Model,
  { clock }: Pick<Ports, 'clock'>,
): AsyncGenerator<AssistantMessageEvent> {
  for await (const event of stream) yield completeEvent(event, model, clock);
}

function createToolHooks({ messages, tools }: LoopState, { beforeToolCall, afterToolCall }: LoopOptions): Hooks {
  const context = { messages, tools };
  const findCall = (id: string) => {
    const assistantMessage = messages.findLast((message) => message.role === 'assistant');
    const toolCall = assistantMessage?.content.find((block) => block.type === 'toolCall' && block.id === id);
    return { assistantMessage, toolCall, context };
  };
  return {
    ...(beforeToolCall
      ? {
          async toolCall({ toolCallId, input, signal }) {
            const args = structuredClone(input) as Record<string, unknown>;
            const result = (await beforeToolCall({ ...findCall(toolCallId), args }, signal)) as
              | { block?: boolean; reason?: string }
              | undefined;
            return result?.block
              ? { block: true, reason: result.reason ?? 'Tool execution was blocked' }
              : { input: args };
          },
        }
      : {}),
    ...(afterToolCall
      ? {
          async toolResult({ toolCallId, input, content, details, isError }) {
            const finished = { ...findCall(toolCallId), args: input, result: { content, details }, isError };
            return (await afterToolCall(finished)) as Record<string, never> | undefined;
          },
        }
      : {}),
  };
}

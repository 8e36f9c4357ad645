// `Agent` of pi-agent-core, and the functions that run its loop.
import { createDeferred, Fault } from '../../base/index.ts';
import type { ExtensionTool, Ports } from '../../contracts/index.ts';
import type { AgentEvent, AgentMessage, ImageContent, Model, ThinkingLevel } from '../../protocol/index.ts';
import { type LoopOptions, type LoopState, runLoop, type StreamFunction } from './agent-loop.ts';
import { EventStream } from './stream-functions.ts';

export interface AgentOptions extends Partial<LoopOptions> {
  initialState?: Partial<AgentState> | undefined;
  /** Default: the models of this program. */
  streamFn?: StreamFunction | undefined;
  steeringMode?: QueueMode | undefined;
  followUpMode?: QueueMode | undefined;
}

type QueueMode = 'all' | 'one-at-a-time';

interface AgentState {
  systemPrompt: string;
  model: Model;
  thinkingLevel: ThinkingLevel;
  tools: ExtensionTool[];
  messages: AgentMessage[];
  isStreaming: boolean;
  streamingMessage: AgentMessage | undefined;
  pendingToolCalls: ReadonlySet<string>;
  errorMessage: string | undefined;
}

type AgentListener = (event: AgentEvent, signal: AbortSignal) => void | Promise<void>;

const BUSY =
  'Agent is already processing a prompt. Use steer() or followUp() to queue messages, or wait for completion.';

export interface AgentModuleOptions {
  ports: Ports;
  streamSimple: StreamFunction;
}

export function createAgentCoreModule({ ports, streamSimple }: AgentModuleOptions): Record<string, unknown> {
  const defaults = { streamFunction: streamSimple };
  const runAgentLoop = async (
    prompts: readonly AgentMessage[],
    { messages, systemPrompt = '', tools = [] }: Partial<LoopState> & { messages: AgentMessage[] },
    options: LoopOptions & LoopQueues,
    emit: (event: AgentEvent) => unknown,
    signal: AbortSignal = new AbortController().signal,
    streamFunction: StreamFunction = defaults.streamFunction,
  ) => {
    const { getSteeringMessages = async () => [], getFollowUpMessages = async () => [] } = options;
    const newMessages: AgentMessage[] = [];
    const state = { systemPrompt, tools, messages: [...messages] };
    const parts = {
      ports,
      streamFunction,
      signal,
      emit: async (event: AgentEvent) => void (await emit(event)),
      takeSteering: () => [],
      takeFollowUps: () => [],
      hasSteering: () => false,
    };
    // Queues of the caller are asynchronous. They are read between runs of the loop.
    for (let next = prompts; ; ) {
      newMessages.push(...(await runLoop(next, state, options, parts)));
      const steering = signal.aborted ? [] : await getSteeringMessages();
      next = steering.length > 0 || signal.aborted ? steering : await getFollowUpMessages();
      if (next.length === 0) return newMessages;
    }
  };
  const agentLoop = (prompts: readonly AgentMessage[], ...rest: LoopArguments) => {
    const stream = new EventStream<AgentEvent, AgentMessage[]>(
      () => false,
      () => [],
    );
    const [context, options, signal, streamFunction] = rest;
    const push = (event: AgentEvent) => stream.push(event);
    runAgentLoop(prompts, context, options, push, signal, streamFunction).then(
      (messages) => stream.end(messages),
      () => stream.end([]),
    );
    return stream;
  };
  return {
    Agent: createAgentClass(ports, defaults),
    agentLoop,
    agentLoopContinue: (...rest: LoopArguments) => agentLoop([], ...rest),
    runAgentLoop,
    runAgentLoopContinue: (
      context: { messages: AgentMessage[] },
      options: LoopOptions,
      ...rest: [emit: (event: AgentEvent) => unknown, signal?: AbortSignal, streamFunction?: StreamFunction]
    ) => runAgentLoop([], context, options, ...rest),
    setDefaultStreamFn: (streamFunction: StreamFunction) => void Object.assign(defaults, { streamFunction }),
    DEFAULT_AGENT_IDENTITY: {},
  };
}

interface LoopQueues {
  getSteeringMessages?(): Promise<AgentMessage[]>;
  getFollowUpMessages?(): Promise<AgentMessage[]>;
}

type LoopArguments = [
  context: { messages: AgentMessage[] },
  options: LoopOptions & LoopQueues,
  signal?: AbortSignal,
  streamFunction?: StreamFunction,
];

interface AgentContext {
  readonly ports: Ports;
  readonly defaults: { readonly streamFunction: StreamFunction };
}

function createAgentClass(ports: Ports, defaults: AgentContext['defaults']) {
  return class Agent extends LoopAgent {
    constructor(options: AgentOptions = {}) {
      super({ ports, defaults }, options);
    }
  };
}

class LoopAgent {
  readonly #context: AgentContext;
  readonly #options: AgentOptions;
  readonly #listeners = new Set<AgentListener>();
  readonly #queues = { steer: [] as AgentMessage[], followUp: [] as AgentMessage[] };
  #run: { controller: AbortController; ended: Promise<void> } | undefined;
  readonly state: AgentState;
  steeringMode: QueueMode;
  followUpMode: QueueMode;
  streamFn: StreamFunction | undefined;

  constructor(context: AgentContext, options: AgentOptions) {
    this.#context = context;
    this.#options = options;
    const { initialState = {} } = options;
    this.state = {
      systemPrompt: '',
      thinkingLevel: 'off',
      ...initialState,
      model: initialState.model as Model,
      tools: [...(initialState.tools ?? [])],
      messages: [...(initialState.messages ?? [])],
      isStreaming: false,
      streamingMessage: undefined,
      pendingToolCalls: new Set(),
      errorMessage: undefined,
    };
    this.steeringMode = options.steeringMode ?? 'one-at-a-time';
    this.followUpMode = options.followUpMode ?? 'one-at-a-time';
    this.streamFn = options.streamFn;
  }

  get signal(): AbortSignal | undefined {
    return this.#run?.controller.signal;
  }

  readonly subscribe = (listener: AgentListener): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  readonly prompt = async (input: string | AgentMessage | AgentMessage[], images: ImageContent[] = []) => {
    if (typeof input !== 'string') return this.#start(Array.isArray(input) ? input : [input]);
    const content = [{ type: 'text' as const, text: input }, ...images];
    return this.#start([{ role: 'user', content, timestamp: this.#context.ports.clock.now() }]);
  };

  readonly continue = async (): Promise<void> => {
    if (this.state.messages.at(-1)?.role !== 'assistant') return this.#start([]);
    const queued = [...this.#take('steer'), ...this.#take('followUp')];
    if (queued.length === 0) throw new Fault('refused', 'Cannot continue from message role: assistant');
    return this.#start(queued);
  };

  readonly steer = (message: AgentMessage): void => void this.#queues.steer.push(message);
  readonly followUp = (message: AgentMessage): void => void this.#queues.followUp.push(message);
  readonly hasQueuedMessages = (): boolean => this.peekQueuedMessages().length > 0;
  readonly peekQueuedMessages = (): AgentMessage[] => [...this.#queues.steer, ...this.#queues.followUp];
  readonly clearSteeringQueue = (): void => void this.#queues.steer.splice(0);
  readonly clearFollowUpQueue = (): void => void this.#queues.followUp.splice(0);
  readonly clearAllQueues = (): void => {
    this.clearSteeringQueue();
    this.clearFollowUpQueue();
  };

  readonly abort = (): void => this.#run?.controller.abort();
  readonly waitForIdle = async (): Promise<void> => this.#run?.ended;
  readonly reset = (): void => {
    this.clearAllQueues();
    this.state.messages = [];
    this.state.errorMessage = undefined;
  };

  // Names of older versions.
  readonly setSystemPrompt = (systemPrompt: string): void => void Object.assign(this.state, { systemPrompt });
  readonly setModel = (model: Model): void => void Object.assign(this.state, { model });
  readonly setThinkingLevel = (thinkingLevel: ThinkingLevel): void => void Object.assign(this.state, { thinkingLevel });
  readonly setTools = (tools: ExtensionTool[]): void => void Object.assign(this.state, { tools: [...tools] });
  readonly replaceMessages = (messages: AgentMessage[]): void =>
    void Object.assign(this.state, { messages: [...messages] });
  readonly appendMessage = (message: AgentMessage): void => void this.state.messages.push(message);
  readonly clearMessages = (): void => void Object.assign(this.state, { messages: [] });

  #take(kind: 'steer' | 'followUp'): AgentMessage[] {
    const mode = kind === 'steer' ? this.steeringMode : this.followUpMode;
    return this.#queues[kind].splice(0, mode === 'all' ? undefined : 1);
  }

  async #start(prompts: readonly AgentMessage[]): Promise<void> {
    if (this.#run) throw new Fault('busy', BUSY);
    const { model } = this.state;
    if (!model) throw new Fault('no_model', 'The agent has no model: set initialState.model');
    const controller = new AbortController();
    const end = createDeferred();
    this.#run = { controller, ended: end.promise };
    Object.assign(this.state, { isStreaming: true, errorMessage: undefined });
    const options = { ...this.#options, model, thinkingLevel: this.state.thinkingLevel };
    try {
      await runLoop(prompts, this.state, options, {
        ports: this.#context.ports,
        streamFunction: this.streamFn ?? this.#context.defaults.streamFunction,
        signal: controller.signal,
        emit: (event) => this.#emit(event, controller.signal),
        takeSteering: () => this.#take('steer'),
        takeFollowUps: () => this.#take('followUp'),
        hasSteering: () => this.#queues.steer.length > 0,
      });
    } finally {
      Object.assign(this.state, { isStreaming: false, streamingMessage: undefined, pendingToolCalls: new Set() });
      this.#run = undefined;
      end.resolve();
    }
  }

  async #emit(event: AgentEvent, signal: AbortSignal): Promise<void> {
    updateState(this.state, event);
    for (const listener of [...this.#listeners]) await listener(event, signal);
  }
}

function updateState(state: AgentState, event: AgentEvent): void {
  const pending = new Set(state.pendingToolCalls);
  if (event.type === 'message_start' || event.type === 'message_update') state.streamingMessage = event.message;
  if (event.type === 'message_end') {
    state.streamingMessage = undefined;
    if (event.message.role === 'assistant') state.errorMessage = event.message.errorMessage;
  }
  if (event.type === 'tool_execution_start') pending.add(event.toolCallId);
  if (event.type === 'tool_execution_end') pending.delete(event.toolCallId);
  state.pendingToolCalls = pending;
}

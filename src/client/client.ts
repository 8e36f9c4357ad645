// The hall, client: an agent as its host sees it. What may be called follows from the declarations; nothing here lists it.
import type { AgentEvent, AgentMessage } from '../protocol/index.ts';
import type { CallArguments, CallMethods, CallResult, CommandName } from './call.ts';
import { Connection } from './connection.ts';
import type { AskHandler, Display } from './dialogs.ts';
import type { RpcError } from './failures.ts';
import type { Greeting } from './frames.ts';
import type { Listener } from './listeners.ts';
import { createMethods } from './methods.ts';
import { collectEvents, type PromptOptions, promptAndWait, type WaitOptions, waitForIdle } from './settling.ts';
import type { ClientTransport, Farewell } from './transport.ts';

export interface ClientOptions {
  /** Hears what listeners and handlers throw. By default it is thrown again where nothing catches it, so that it is seen. */
  onError?: ((thrown: unknown) => void) | undefined;
}

/** Every method that listens returns the way to stop. */
export interface Client {
  /** Calls a command. Rejects with RpcError when the agent refuses or fails, with AgentGone when it is gone. */
  call<N extends CommandName>(command: N, ...params: CallArguments<N>): Promise<CallResult<N>>;
  /** The same, spelled as methods: `commands.setSteeringMode({ mode: 'all' })`. */
  readonly commands: CallMethods;
  /** Calls a command that is not declared here: one of a newer agent, or of an extension. */
  callUndeclared(command: string, params?: object): Promise<unknown>;
  /** Sends a frame as it is. A reply to it goes to `onOther`. */
  send(frame: object): void;

  /** Sends a prompt and gives everything it led to, once the agent has come to rest. */
  promptAndWait(message: string, options?: PromptOptions): Promise<AgentMessage[]>;
  /** Resolves when nothing runs and nothing automatic remains. */
  waitForIdle(options?: WaitOptions): Promise<void>;
  /** The events from now on, up to the next `agent_settled`. Called before the prompt whose events are wanted. */
  collectEvents(options?: WaitOptions): Promise<AgentEvent[]>;

  on(listener: Listener<AgentEvent>): () => void;
  /**
   * The events from now on. A reader that falls behind holds the agent up instead of filling the memory, except while
   * a call waits for its reply; so read them, or leave them with `return()`. Throws AgentGone when the agent dies.
   */
  events(): AsyncIterableIterator<AgentEvent>;
  /** A prompt failed after it had been accepted. */
  onPromptFailed(listener: Listener<RpcError>): () => void;
  /**
   * Answers the agent's questions. What is asked before the first call waits for a handler; after it, questions without one
   * are dismissed, and the agent takes its defaults.
   */
  onAsk(handler: AskHandler): () => void;
  /** What the agent wants shown: notices, status lines, titles. */
  onShow(listener: Listener<Display>): () => void;
  /** Whatever has no place above: unknown events, replies that nobody waits for, the text of lines that are no frames. */
  onOther(listener: Listener<unknown>): () => void;

  /** What the agent said of itself when it started. Some agents say nothing. */
  ready(): Promise<Greeting>;
  /** Resolves when the agent is gone, however it went. */
  readonly closed: Promise<Farewell>;
  /** Says that nothing more will come, and waits until the agent has finished its work and gone. */
  close(): Promise<Farewell>;
}

export function createClient(transport: ClientTransport, { onError = throwUncaught }: ClientOptions = {}): Client {
  const connection = new Connection(transport, onError);
  const call = (command: string, params: object = {}): Promise<unknown> =>
    connection.wait(`it answered ${command}`, ({ resolve, reject }) => {
      connection.calls.start(command, params, { done: resolve, failed: reject });
      return undefined;
    });
  return {
    call: call as Client['call'],
    commands: createMethods(call),
    callUndeclared: call,
    send: (frame) => connection.send(frame),
    promptAndWait: (message, options) => promptAndWait(connection, message, options),
    waitForIdle: (options) => waitForIdle(connection, options),
    collectEvents: (options) => collectEvents(connection, options),
    on: (listener) => connection.events.add(listener),
    events: () => connection.queues.open(),
    onPromptFailed: (listener) => connection.failures.add(listener),
    onAsk: (handler) => connection.dialogs.handle(handler),
    onShow: (listener) => connection.dialogs.displays.add(listener),
    onOther: (listener) => connection.others.add(listener),
    ready: async () =>
      connection.greeting ??
      connection.wait('it said that it was ready', ({ resolve }) => connection.greetings.add(resolve)),
    closed: transport.closed,
    close: () => connection.close(),
  };
}

function throwUncaught(thrown: unknown): void {
  queueMicrotask(() => {
    throw thrown;
  });
}

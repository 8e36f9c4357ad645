// The client API for a host: calls, events, dialogs and shutdown of one agent.
import type { AgentMessage, SessionAttached, SessionSnapshot } from '../protocol/index.ts';
import { createCallMethods } from './call-methods.ts';
import type { CallArguments, CallMethods, CallResult, CommandName } from './call-types.ts';
import type { ClientEvent } from './client-event.ts';
import type { ClientTransport, ExitInfo } from './client-transport.ts';
import { Connection } from './connection.ts';
import type { DialogHandler, DisplayRequest } from './dialog-dispatcher.ts';
import type { RpcError } from './errors.ts';
import type { Listener } from './listeners.ts';
import type { PromptResult, ReadyInfo } from './parse-frame.ts';
import { collectEvents, type PromptOptions, promptAndWait, type WaitOptions, waitForIdle } from './prompt-and-wait.ts';

export interface ClientOptions {
  /** Receives the exceptions of listeners and handlers. By default they are rethrown as uncaught exceptions. */
  onError?: ((thrown: unknown) => void) | undefined;
}

/** All `on…` methods return a function that removes the listener. */
export interface Client {
  /** Calls a command. Rejects with RpcError when the agent refuses or fails, with AgentExitedError when it has exited. */
  call<N extends CommandName>(command: N, ...params: CallArguments<N>): Promise<CallResult<N>>;
  /** The same calls as methods: `commands.setSteeringMode({ mode: 'all' })`. */
  readonly commands: CallMethods;
  /** Calls a command that this client does not declare: one of a newer agent, or of an extension. */
  callUndeclared(command: string, params?: object): Promise<unknown>;
  /** Sends a frame unchanged. Its reply goes to `onUnhandled`. */
  send(frame: object): void;

  /** Sends a prompt and returns all messages of its runs when the agent is idle again. */
  promptAndWait(message: string, options?: PromptOptions): Promise<AgentMessage[]>;
  /** Resolves when no run is active and no automatic retry or continuation follows. */
  waitForIdle(options?: WaitOptions): Promise<void>;
  /** Collects the events from now on, up to the next `agent_settled`. Call it before sending the prompt. */
  collectEvents(options?: WaitOptions): Promise<ClientEvent[]>;

  onEvent(listener: Listener<ClientEvent>): () => void;
  /**
   * The events from now on. A slow consumer stops the reading of the agent's output instead of filling the memory, except
   * while a call waits for its reply. So consume the events or call `return()`. Throws AgentExitedError when the agent dies.
   */
  events(): AsyncIterableIterator<ClientEvent>;
  /** Called when a prompt fails after it was accepted. */
  onPromptFailed(listener: Listener<RpcError>): () => void;
  /** Called once for each accepted prompt, when its work has ended. */
  onPromptResult(listener: Listener<PromptResult>): () => void;
  /**
   * Answers the agent's questions. Questions that arrive before the first call wait for a handler. After the first call,
   * questions without a handler are dismissed and the agent uses its defaults.
   */
  onDialog(handler: DialogHandler): () => void;
  /** Receives what the agent wants to display: notices, status lines, titles. */
  onDisplay(listener: Listener<DisplayRequest>): () => void;
  /** Receives unknown events, replies without a pending call, and the text of lines that are not valid frames. */
  onUnhandled(listener: Listener<unknown>): () => void;

  /** The agent's ready frame. Agents of some dialects never send one. */
  ready(): Promise<ReadyInfo>;
  /** The session that the client follows. Absent when the agent shares its sessions with no other client. */
  readonly attachment: SessionAttached | undefined;
  /** Called when the client follows another session of the agent, and after each reconnection. */
  onAttached(listener: Listener<SessionAttached>): () => void;
  /** Called when events were missed and cannot be sent. The snapshot replaces everything before it. */
  onSnapshot(listener: Listener<SessionSnapshot>): () => void;
  /** Resolves when the agent has exited, for any reason. */
  readonly closed: Promise<ExitInfo>;
  /** Closes the agent's input and waits until the agent has finished its work and exited. */
  close(): Promise<ExitInfo>;
}

export function createClient(transport: ClientTransport, { onError = rethrowUncaught }: ClientOptions = {}): Client {
  return createClientApi(new Connection(transport, { onError }), transport);
}

export function createClientApi(connection: Connection, transport: ClientTransport): Client {
  const call = (command: string, params: object = {}): Promise<unknown> =>
    connection.waitFor(`it answered ${command}`, ({ resolve, reject }) => {
      connection.calls.start(command, params, { onSuccess: resolve, onFailure: reject });
      return undefined;
    });
  return {
    call: call as Client['call'],
    commands: createCallMethods(call),
    callUndeclared: call,
    send: (frame) => connection.send(frame),
    promptAndWait: (message, options) => promptAndWait(connection, message, options),
    waitForIdle: (options) => waitForIdle(connection, options),
    collectEvents: (options) => collectEvents(connection, options),
    onEvent: (listener) => connection.events.add(listener),
    events: () => connection.queues.open(),
    onPromptFailed: (listener) => connection.lateFailures.add(listener),
    onPromptResult: (listener) => connection.promptResults.add(listener),
    onDialog: (handler) => connection.dialogs.addHandler(handler),
    onDisplay: (listener) => connection.dialogs.displays.add(listener),
    onUnhandled: (listener) => connection.unhandledListeners.add(listener),
    ready: async () =>
      connection.readyInfo ??
      connection.waitFor('it reported that it is ready', ({ resolve }) => connection.readyListeners.add(resolve)),
    get attachment() {
      return connection.attachment;
    },
    onAttached: (listener) => connection.attachedListeners.add(listener),
    onSnapshot: (listener) => connection.snapshots.add(listener),
    closed: transport.closed,
    close: () => connection.close(),
  };
}

export function rethrowUncaught(thrown: unknown): void {
  queueMicrotask(() => {
    throw thrown;
  });
}

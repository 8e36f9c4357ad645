// Connection between a host and an agent: reads lines and dispatches replies, events and dialogs.
import { createDeferred, type Deferred, Fault, getErrorMessage, toJson } from '../base/index.ts';
import type { AgentEvent } from '../protocol/index.ts';
import type { ClientTransport, ExitInfo } from './client-transport.ts';
import { createDialogDispatcher, type DialogDispatcher } from './dialog-dispatcher.ts';
import { AgentExitedError, type RpcError } from './errors.ts';
import { createEventQueues, type EventQueues } from './event-queues.ts';
import { createListeners, type Listeners } from './listeners.ts';
import { type PromptResult, parseFrame, type ReadyInfo } from './parse-frame.ts';
import { PendingCalls } from './pending-calls.ts';

/** Releases what a wait has registered. */
type Cleanup = () => void;

export class Connection {
  readonly calls: PendingCalls;
  readonly dialogs: DialogDispatcher;
  readonly queues: EventQueues<AgentEvent>;
  readonly events: Listeners<AgentEvent>;
  readonly readyListeners: Listeners<ReadyInfo>;
  /** Failures of calls that were already replied to. */
  readonly lateFailures: Listeners<RpcError>;
  readonly promptResults: Listeners<PromptResult>;
  readonly unhandledListeners: Listeners<unknown>;
  readyInfo: ReadyInfo | undefined;
  readonly #transport: ClientTransport;
  readonly #exitListeners = new Set<(exitInfo: ExitInfo) => void>();
  #activity: Deferred<void> = createDeferred();
  #isClosing = false;
  #exitInfo: ExitInfo | undefined;

  constructor(transport: ClientTransport, onError: (thrown: unknown) => void) {
    this.#transport = transport;
    this.dialogs = createDialogDispatcher((frame) => this.#write(frame), onError);
    this.calls = new PendingCalls((line) => {
      this.dialogs.stopBuffering();
      transport.write(line);
    });
    this.queues = createEventQueues(() => this.#wake());
    this.events = createListeners(onError);
    this.readyListeners = createListeners(onError);
    this.lateFailures = createListeners(onError);
    this.promptResults = createListeners(onError);
    this.unhandledListeners = createListeners(onError);
    void this.#read();
  }

  send(frame: object): void {
    this.dialogs.stopBuffering();
    this.#write(frame);
  }

  #write(frame: object): void {
    if (!this.#isClosing && !this.#exitInfo) this.#transport.write(`${toJson(frame)}\n`);
  }

  /** Waits for a result from the agent. Rejects immediately when the agent has exited or the client is closing. */
  async waitFor<T>(goal: string, begin: (outcome: Deferred<T>) => Cleanup | undefined): Promise<T> {
    if (this.#exitInfo) throw new AgentExitedError(this.#exitInfo, goal);
    if (this.#isClosing) throw new Fault('aborted', `The client was closed before ${goal}`);
    const outcome = createDeferred<T>();
    const exitListener = (exitInfo: ExitInfo) => outcome.reject(new AgentExitedError(exitInfo, goal));
    this.#exitListeners.add(exitListener);
    this.#wake();
    let cleanup: Cleanup | undefined;
    try {
      cleanup = begin(outcome);
      return await outcome.promise;
    } finally {
      this.#exitListeners.delete(exitListener);
      cleanup?.();
    }
  }

  async close(): Promise<ExitInfo> {
    this.#isClosing = true;
    this.#wake();
    this.#transport.end();
    return this.#transport.closed;
  }

  async #read(): Promise<void> {
    let exitInfo: ExitInfo;
    try {
      for await (const line of this.#transport.lines) {
        this.#handleLine(line);
        await this.#waitForQueueSpace();
      }
      exitInfo = await this.#transport.closed;
    } catch (thrown) {
      exitInfo = { reason: getErrorMessage(thrown) };
    }
    this.#exitInfo = exitInfo;
    for (const listener of this.#exitListeners) listener(exitInfo);
    const isExpected = this.#isClosing && !exitInfo.code && !exitInfo.signal;
    this.queues.close(isExpected ? undefined : new AgentExitedError(exitInfo, 'it was asked to close'));
  }

  /** A slow event consumer pauses reading, unless a call waits for a reply. That caller may be the same consumer. */
  async #waitForQueueSpace(): Promise<void> {
    while (this.queues.isFull && this.#exitListeners.size === 0 && !this.#isClosing) await this.#activity.promise;
  }

  #wake(): void {
    this.#activity.resolve();
    this.#activity = createDeferred();
  }

  #handleLine(line: string): void {
    const incoming = parseFrame(line);
    if (incoming.kind === 'event') {
      this.queues.push(incoming.event, line.length);
      this.events.emit(incoming.event);
    } else if (incoming.kind === 'reply') {
      const outcome = this.calls.settle(incoming.reply);
      if (outcome === 'unclaimed') this.unhandledListeners.emit(incoming.reply);
      else if (outcome) this.lateFailures.emit(outcome);
    } else if (incoming.kind === 'promptResult') {
      this.promptResults.emit(incoming.result);
    } else if (incoming.kind === 'uiRequest') {
      if (!this.dialogs.dispatch(incoming.request)) this.unhandledListeners.emit(incoming.request);
    } else if (incoming.kind === 'ready') {
      this.readyInfo = incoming.readyInfo;
      this.readyListeners.emit(incoming.readyInfo);
    } else this.unhandledListeners.emit(incoming.frame);
  }
}

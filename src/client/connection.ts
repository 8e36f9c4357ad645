// Connection between a host and an agent: reads lines and dispatches replies, events and dialogs.
import { createDeferred, type Deferred, Fault, getErrorMessage, toJson } from '../base/index.ts';
import type { SessionAttached, SessionSnapshot } from '../protocol/index.ts';
import type { ClientEvent } from './client-event.ts';
import type { ClientTransport, ExitInfo } from './client-transport.ts';
import { createDialogDispatcher, type DialogDispatcher } from './dialog-dispatcher.ts';
import { AgentExitedError, type RpcError } from './errors.ts';
import { createEventQueues, type EventQueues } from './event-queues.ts';
import { createListeners, type Listeners } from './listeners.ts';
import { type PromptResult, parseFrame, type ReadyInfo } from './parse-frame.ts';
import { PendingCalls } from './pending-calls.ts';
import { SessionPosition } from './session-position.ts';
import { waitOneTurn } from './timer.ts';

/** Releases what a wait has registered. */
type Cleanup = () => void;

export interface ConnectionOptions {
  onError(thrown: unknown): void;
  /** Present when the session may have other clients. */
  readonly position?: SessionPosition | undefined;
}

export class Connection {
  readonly calls: PendingCalls;
  readonly dialogs: DialogDispatcher;
  readonly queues: EventQueues<ClientEvent>;
  readonly events: Listeners<ClientEvent>;
  readonly readyListeners: Listeners<ReadyInfo>;
  /** Failures of calls that were already replied to. */
  readonly lateFailures: Listeners<RpcError>;
  readonly promptResults: Listeners<PromptResult>;
  readonly unhandledListeners: Listeners<unknown>;
  readonly attachedListeners: Listeners<SessionAttached>;
  readonly snapshots: Listeners<SessionSnapshot>;
  attachment: SessionAttached | undefined;
  readyInfo: ReadyInfo | undefined;
  readonly #transport: ClientTransport;
  readonly #position: SessionPosition;
  readonly #exitListeners = new Set<(exitInfo: ExitInfo) => void>();
  #activity: Deferred<void> = createDeferred();
  #isClosing = false;
  #lossCount = 0;
  #exitInfo: ExitInfo | undefined;
  /** Frames that wait for a new connection. `undefined` while there is a connection. */
  #heldLines: string[] | undefined;

  constructor(transport: ClientTransport, { onError, position }: ConnectionOptions) {
    this.#transport = transport;
    this.#position = position ?? new SessionPosition();
    const isShared = position !== undefined;
    this.dialogs = createDialogDispatcher({ send: (frame) => this.#write(frame), onError, isShared });
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
    this.attachedListeners = createListeners(onError);
    this.snapshots = createListeners(onError);
    void this.#read();
  }

  send(frame: object): void {
    this.dialogs.stopBuffering();
    this.#write(frame);
  }

  #write(frame: object): void {
    if (this.#isClosing || this.#exitInfo) return;
    const line = `${toJson(frame)}\n`;
    if (this.#heldLines) this.#heldLines.push(line);
    else this.#transport.write(line);
  }

  /** How often the connection was lost. */
  get lossCount(): number {
    return this.#lossCount;
  }

  /**
   * The connection is lost, and the transport opens a new one. Nothing is sent until a session is attached again. `canRepeat`:
   * calls that only read may be sent again.
   */
  suspend(reason: string, { canRepeat }: { canRepeat: boolean }): void {
    this.#lossCount++;
    this.#heldLines ??= [];
    this.dialogs.startResending();
    this.calls.suspend(reason, { canRepeat });
  }

  #resume(): void {
    const lines = this.#heldLines ?? [];
    this.#heldLines = undefined;
    this.calls.resume();
    for (const line of lines) this.#transport.write(line);
    // Open dialogs are sent when the session is attached, so they arrive before this reply.
    const finish = () => this.dialogs.endResending();
    this.calls.start('get_state', {}, { onSuccess: finish, onFailure: finish });
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
        const isFirstAttachment = !this.attachment;
        this.#handleLine(line);
        // The caller gets the client when the session is attached, and can add listeners before the first event.
        if (isFirstAttachment && this.attachment) await waitOneTurn();
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
      if (!this.#position.accept(incoming.event)) return;
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
    } else if (incoming.kind === 'attached') {
      this.#handleAttached(incoming.attachment);
    } else if (incoming.kind === 'snapshot') {
      this.#position.handleSnapshot(incoming.snapshot);
      this.snapshots.emit(incoming.snapshot);
    } else this.unhandledListeners.emit(incoming.frame);
  }

  #handleAttached(attachment: SessionAttached): void {
    const isOtherSession = this.attachment !== undefined && this.attachment.sessionId !== attachment.sessionId;
    this.attachment = attachment;
    this.#position.handleAttached(attachment);
    if (isOtherSession) this.dialogs.withdrawAll();
    if (this.#heldLines) this.#resume();
    this.attachedListeners.emit(attachment);
  }
}

// The hall, client: the road between a host and its agent. Lines come in and find whoever waits for them. Knows no command.
import { type Deferred, deferred, Fault, messageOf, toJson } from '../base/index.ts';
import type { AgentEvent } from '../protocol/index.ts';
import { createDialogs, type Dialogs } from './dialogs.ts';
import { createEventQueues, type EventQueues } from './event-queues.ts';
import { AgentGone, type RpcError } from './failures.ts';
import { type Greeting, readFrame } from './frames.ts';
import { createListeners, type Listeners } from './listeners.ts';
import { PendingCalls } from './pending-calls.ts';
import type { ClientTransport, Farewell } from './transport.ts';

/** Lets go of what was held for a wait. */
type Stop = () => void;

export class Connection {
  readonly calls: PendingCalls;
  readonly dialogs: Dialogs;
  readonly queues: EventQueues<AgentEvent>;
  readonly events: Listeners<AgentEvent>;
  readonly greetings: Listeners<Greeting>;
  /** Failures of calls that had been answered before. */
  readonly failures: Listeners<RpcError>;
  readonly others: Listeners<unknown>;
  greeting: Greeting | undefined;
  readonly #transport: ClientTransport;
  readonly #waiters = new Set<(farewell: Farewell) => void>();
  #news: Deferred<void> = deferred();
  #closing = false;
  #farewell: Farewell | undefined;

  constructor(transport: ClientTransport, onError: (thrown: unknown) => void) {
    this.#transport = transport;
    this.dialogs = createDialogs((frame) => this.#write(frame), onError);
    this.calls = new PendingCalls((line) => {
      this.dialogs.begin();
      transport.write(line);
    });
    this.queues = createEventQueues(() => this.#wake());
    this.events = createListeners(onError);
    this.greetings = createListeners(onError);
    this.failures = createListeners(onError);
    this.others = createListeners(onError);
    void this.#read();
  }

  send(frame: object): void {
    this.dialogs.begin();
    this.#write(frame);
  }

  #write(frame: object): void {
    if (!this.#closing && !this.#farewell) this.#transport.write(`${toJson(frame)}\n`);
  }

  /** Waits for something that only the agent can say. Rejects at once when it is gone, or will not hear the question. */
  async wait<T>(what: string, begin: (outcome: Deferred<T>) => Stop | undefined): Promise<T> {
    if (this.#farewell) throw new AgentGone(this.#farewell, what);
    if (this.#closing) throw new Fault('aborted', `The client was closed before ${what}`);
    const outcome = deferred<T>();
    const waiter = (farewell: Farewell) => outcome.reject(new AgentGone(farewell, what));
    this.#waiters.add(waiter);
    this.#wake();
    let stop: Stop | undefined;
    try {
      stop = begin(outcome);
      return await outcome.promise;
    } finally {
      this.#waiters.delete(waiter);
      stop?.();
    }
  }

  async close(): Promise<Farewell> {
    this.#closing = true;
    this.#wake();
    this.#transport.end();
    return this.#transport.closed;
  }

  async #read(): Promise<void> {
    let farewell: Farewell;
    try {
      for await (const line of this.#transport.lines) {
        this.#take(line);
        await this.#room();
      }
      farewell = await this.#transport.closed;
    } catch (thrown) {
      farewell = { reason: messageOf(thrown) };
    }
    this.#farewell = farewell;
    for (const waiter of this.#waiters) waiter(farewell);
    const asAgreed = this.#closing && !farewell.code && !farewell.signal;
    this.queues.close(asAgreed ? undefined : new AgentGone(farewell, 'it was told to go'));
  }

  /** A slow reader of events holds the agent up, unless someone waits for what is behind them: that may be the reader. */
  async #room(): Promise<void> {
    while (this.queues.isFull && this.#waiters.size === 0 && !this.#closing) await this.#news.promise;
  }

  #wake(): void {
    this.#news.resolve();
    this.#news = deferred();
  }

  #take(line: string): void {
    const incoming = readFrame(line);
    if (incoming.kind === 'event') {
      this.queues.push(incoming.event, line.length);
      this.events.tell(incoming.event);
    } else if (incoming.kind === 'reply') {
      const left = this.calls.settle(incoming.reply);
      if (left === 'unclaimed') this.others.tell(incoming.reply);
      else if (left) this.failures.tell(left);
    } else if (incoming.kind === 'ask') {
      if (!this.dialogs.take(incoming.request)) this.others.tell(incoming.request);
    } else if (incoming.kind === 'greeting') {
      this.greeting = incoming.greeting;
      this.greetings.tell(incoming.greeting);
    } else this.others.tell(incoming.frame);
  }
}

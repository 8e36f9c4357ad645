// Relays messages between the nodes of a fleet through the database: writes rows for other nodes, and reads those for this node.
import { Fault, getErrorMessage } from '../base/index.ts';
import type { Cancel, Clock, IdGenerator, Log } from '../contracts/index.ts';
import { waitAtMost } from '../support/wait-at-most.ts';
import { LocalChannel, type RelayChannel } from './relay-channel.ts';
import { type ReceivedRow, RelayDatabase, type RelayDatabaseOptions, type SentRow } from './relay-database.ts';
import { decodeMessages, type RelayMessage } from './relay-message.ts';

export interface RelayOptions extends RelayDatabaseOptions {
  readonly clock: Clock;
  readonly ids: Pick<IdGenerator, 'uuid'>;
  readonly log: Log;
  /** How often to look for rows and nodes without a notification. */
  readonly pollMs?: number;
  /** Whether a process is known to have ended before its registration has expired. */
  hasEnded(process: string): Promise<boolean>;
  /** Another node has opened a channel. */
  onOpened(channel: RelayChannel): void;
}

const POLL_MS = 1000;
/** While much is sent, one row of a channel has what was written in this time. */
const MIN_SEND_INTERVAL_MS = 4;
const RETRY_MS = 200;
const POLLS_PER_CLEANING = 60;
/** Rows of other channels wait for the next statement when these have so many bytes. */
const MAX_STATEMENT_BYTES = 4 * 1024 * 1024;
/** How long the end of the relay waits for what was sent before. */
const CLOSE_TIMEOUT_MS = 2000;

export class Relay {
  readonly #options: RelayOptions;
  readonly #database: RelayDatabase;
  readonly #channels = new Map<string, LocalChannel>();
  /** Channels that may have a row to send. */
  readonly #waiting = new Set<LocalChannel>();
  #sending: Promise<void> | undefined;
  #receiving: Promise<void> | undefined;
  #hasNews = false;
  /** The last number of each channel that was read and is not known to be deleted. */
  readonly #read = new Map<string, number>();
  #stopListening: (() => Promise<void>) | undefined;
  #cancelPoll: Cancel = () => {};
  #pollCount = 0;
  #isClosed = false;

  constructor(options: RelayOptions) {
    this.#options = options;
    this.#database = new RelayDatabase(options);
  }

  /** The calls about sessions. */
  get database(): Pick<RelayDatabase, 'findOwner' | 'listHeldSessions'> {
    return this.#database;
  }

  get channelCount(): number {
    return this.#channels.size;
  }

  /** This node must be registered as a holder. */
  async start(): Promise<void> {
    const { database, nodeId, tenant } = this.#options;
    this.#stopListening = await database.listen(`parley_relay_${nodeId}`, {
      onMessage: (sender) => {
        if (sender === tenant) this.#receive();
      },
      onReconnected: () => this.#receive(),
    });
    this.#receive();
    this.#planPoll();
  }

  /** Returns `undefined` if the other node has ended, or answers no other nodes. `first` are messages. */
  async open(peer: string, opening: Uint8Array, first: readonly Uint8Array[] = []): Promise<RelayChannel | undefined> {
    if (this.#isClosed) throw new Fault('busy', 'The server ends. Send the call again.');
    const { nodeId, ids } = this.#options;
    const channel = this.#createChannel(ids.uuid(), peer, Buffer.concat([Buffer.from(`${nodeId}\n`), opening]));
    for (const message of first) channel.send(message);
    const { seq, body } = channel.takeOpeningRow();
    this.#channels.set(channel.id, channel);
    let isOpen = false;
    try {
      isOpen = await this.#database.open({ channel: channel.id, recipient: peer, seq, body });
    } finally {
      if (!isOpen) this.#forget(channel, { kind: 'ended' });
    }
    if (!isOpen) return undefined;
    channel.isOpen = true;
    channel.handleStored();
    this.#send(channel);
    return channel;
  }

  /** Closes all channels. What was sent before is still delivered, if the database can be reached. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#cancelPoll();
    for (const channel of this.#channels.values()) channel.close();
    const ended = Promise.all([...this.#channels.values()].map(({ end }) => end));
    await waitAtMost(this.#options.clock, CLOSE_TIMEOUT_MS, ended);
    for (const channel of [...this.#channels.values()]) this.#forget(channel, { kind: 'left' });
    const stopped = this.#stopListening?.().catch(() => {});
    await waitAtMost(this.#options.clock, CLOSE_TIMEOUT_MS, Promise.all([stopped, this.#sending, this.#receiving]));
  }

  #createChannel(id: string, peer: string, opening: Buffer): LocalChannel {
    return new LocalChannel({ id, peer, opening, onWaiting: (channel) => this.#send(channel) });
  }

  #forget(channel: LocalChannel, end: Parameters<LocalChannel['finish']>[0]): void {
    channel.finish(end);
    this.#channels.delete(channel.id);
    this.#waiting.delete(channel);
  }

  #send(channel: LocalChannel): void {
    if (!channel.isOpen || !channel.hasRow) return;
    this.#waiting.add(channel);
    this.#sending ??= this.#sendWaiting();
  }

  async #sendWaiting(): Promise<void> {
    const { clock } = this.#options;
    // What is written at the same time goes into one row.
    await clock.yieldToEventLoop();
    while (this.#waiting.size > 0) {
      const startMs = clock.now();
      const { rows, channels } = this.#takeRows();
      if (rows.length > 0) await this.#store(rows, channels);
      const restMs = MIN_SEND_INTERVAL_MS - (clock.now() - startMs);
      if (this.#waiting.size > 0 && restMs > 0) await clock.sleep(restMs);
    }
    this.#sending = undefined;
  }

  #takeRows(): { rows: SentRow[]; channels: LocalChannel[] } {
    const rows: SentRow[] = [];
    const channels: LocalChannel[] = [];
    let bytes = 0;
    for (const channel of this.#waiting) {
      if (bytes >= MAX_STATEMENT_BYTES) break;
      this.#waiting.delete(channel);
      if (!channel.hasRow) continue;
      const row = channel.takeRow();
      bytes += row.body.length;
      rows.push({ channel: channel.id, recipient: channel.peer, ...row });
      channels.push(channel);
    }
    return { rows, channels };
  }

  /** Repeated until the database can be reached, or none of the channels is open any more. */
  async #store(rows: readonly SentRow[], channels: readonly LocalChannel[]): Promise<void> {
    const { clock, log } = this.#options;
    for (let attempt = 1; channels.some(({ isEnded }) => !isEnded); attempt++) {
      try {
        const closed = new Set(await this.#database.send(rows));
        for (const channel of channels) this.#handleStored(channel, closed.has(channel.id));
        return;
      } catch (thrown) {
        if (attempt === 1) log('frames for another node were not stored', { error: getErrorMessage(thrown) });
        await clock.sleep(RETRY_MS);
      }
    }
  }

  #handleStored(channel: LocalChannel, isClosed: boolean): void {
    if (isClosed) {
      // The frame with the reason may be here already.
      void this.#receiveAll().finally(() => this.#forget(channel, { kind: 'ended' }));
      return;
    }
    channel.handleStored();
    if (channel.isEnded) this.#forget(channel, { kind: 'left' });
    else if (channel.hasRow) this.#waiting.add(channel);
  }

  #receive(): void {
    this.#hasNews = true;
    if (this.#isClosed && this.#channels.size === 0) return;
    void this.#receiveAll();
  }

  #receiveAll(): Promise<void> {
    this.#hasNews = true;
    this.#receiving ??= this.#receiveUntilEmpty();
    return this.#receiving;
  }

  /** Never rejects. */
  async #receiveUntilEmpty(): Promise<void> {
    try {
      await this.#receiveRows();
    } catch (thrown) {
      // The next poll tries again.
      this.#options.log('frames of other nodes were not read', { error: getErrorMessage(thrown) });
    }
    this.#receiving = undefined;
  }

  async #receiveRows(): Promise<void> {
    // Nothing may be awaited between the last check and the end: a notification of that time would be lost.
    while (this.#hasNews) {
      this.#hasNews = false;
      const read = new Map(this.#read);
      const rows = await this.#database.receive(read);
      for (const [channel, seq] of read) if (this.#read.get(channel) === seq) this.#read.delete(channel);
      const removed = new Set<string>();
      for (const { channel, seq, body } of rows) {
        this.#read.set(channel, seq);
        if (this.#handleRow({ channel, seq, body })) removed.add(channel);
      }
      if (removed.size > 0) await this.#database.remove([...removed]);
      // Deletes them, and looks for more.
      if (rows.length > 0) this.#hasNews = true;
    }
  }

  /** Returns true if the channel is closed by the other side, which has not deleted it. */
  #handleRow({ channel: id, seq, body }: ReceivedRow): boolean {
    const messages = this.#decode(id, body);
    const isClose = messages?.some(({ kind }) => kind === 'close') ?? true;
    const channel = this.#channels.get(id) ?? this.#accept(id, messages);
    if (!channel) return isClose;
    if (!messages) this.#forget(channel, { kind: 'broken' });
    else channel.receive(seq, messages);
    if (!channel.isEnded) return false;
    this.#forget(channel, { kind: 'ended' });
    return true;
  }

  #decode(id: string, body: Buffer | undefined): RelayMessage[] | undefined {
    try {
      if (body) return decodeMessages(body);
    } catch {
      // Reported below.
    }
    this.#options.log('a frame of another node cannot be read', { channel: id });
    return undefined;
  }

  /** The opening begins with the id of the node that opens the channel. */
  #accept(id: string, messages: readonly RelayMessage[] | undefined): LocalChannel | undefined {
    const [first] = messages ?? [];
    if (first?.kind !== 'open') return undefined;
    const end = first.body.indexOf('\n');
    const channel = this.#createChannel(id, first.body.subarray(0, end).toString(), first.body.subarray(end + 1));
    channel.isOpen = true;
    this.#channels.set(id, channel);
    this.#options.onOpened(channel);
    return channel;
  }

  #planPoll(): void {
    const { clock, pollMs = POLL_MS } = this.#options;
    this.#cancelPoll = clock.after(pollMs, () => {
      void this.#poll()
        .catch(() => {})
        .finally(() => {
          if (!this.#isClosed) this.#planPoll();
        });
    });
  }

  async #poll(): Promise<void> {
    const open = [...this.#channels.values()].filter(({ isOpen }) => isOpen);
    await this.#receiveAll();
    if (open.length > 0) await this.#endDead(open);
    if (this.#pollCount % POLLS_PER_CLEANING === 0) await this.#database.clean();
    this.#pollCount += 1;
  }

  /** Ends the channels whose other node has ended, or that are not in the database any more. */
  async #endDead(channels: readonly LocalChannel[]): Promise<void> {
    const living = await this.#database.check();
    const ended = new Map<string, boolean>();
    const missing: LocalChannel[] = [];
    for (const channel of channels) {
      const process = living.get(channel.id);
      if (process !== undefined && !ended.has(process)) ended.set(process, await this.#options.hasEnded(process));
      if (process === undefined || ended.get(process)) missing.push(channel);
    }
    if (missing.length === 0) return;
    // The last frames of the other side may be here already.
    await this.#receiveAll();
    const left = missing.filter(({ isEnded }) => !isEnded);
    for (const channel of left) this.#forget(channel, { kind: 'ended' });
    if (left.length > 0) await this.#database.remove(left.map(({ id }) => id));
  }
}

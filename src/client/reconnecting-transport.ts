// A transport that opens a new connection when the current one breaks, after an increasing delay.
import { createDeferred, getErrorMessage } from '../base/index.ts';
import type { ClientTransport, ExitInfo } from './client-transport.ts';
import { ConnectionError } from './errors.ts';
import { isPermanentClosure } from './socket/connection-failures.ts';
import { shortenAtRandom } from './socket/random-delay.ts';
import { repeatEvery, waitFor } from './timer.ts';

export interface ReconnectOptions {
  /** Before the first attempt. Doubled for each further attempt, and shortened by up to a half at random. Default: 250. */
  initialDelayMs?: number | undefined;
  /** Default: 10,000. */
  maxDelayMs?: number | undefined;
  /** Failed attempts in a row after which the client gives up. Default: no limit. */
  maxAttempts?: number | undefined;
}

/** An attempt to connect again that follows after a delay. */
export interface ReconnectAttempt {
  /** Why there is no connection. */
  readonly reason: string;
  /** Begins with 1. */
  readonly attempt: number;
  readonly delayMs: number;
}

interface ReconnectingTransportOptions {
  /** Opens a connection that continues where the last one ended. */
  open(signal: AbortSignal): Promise<ClientTransport>;
  /** `undefined`: the transport ends with its first connection. */
  readonly reconnect: ReconnectOptions | undefined;
  /** How long an attempt may take until it is confirmed. */
  readonly confirmTimeoutMs: number;
  /** All lines of the connection have been consumed. */
  onDisconnected(reason: string, exitInfo: ExitInfo): void;
  onAttempt(attempt: ReconnectAttempt): void;
}

export interface ReconnectingTransport extends ClientTransport {
  /** The server has accepted the connection. From the first time on, a broken connection is replaced. */
  confirm(): void;
}

const INITIAL_DELAY_MS = 250;
const MAX_DELAY_MS = 10_000;

export function createReconnectingTransport(
  first: ClientTransport,
  options: ReconnectingTransportOptions,
): ReconnectingTransport {
  const transport = new TransportSequence(first, options);
  return {
    lines: transport.readLines(),
    closed: transport.closed,
    write: (line) => transport.current?.write(line),
    end: () => transport.end(),
    confirm: () => transport.confirm(),
  };
}

class TransportSequence {
  /** `undefined` while there is no connection. */
  current: ClientTransport | undefined;
  readonly #options: ReconnectingTransportOptions;
  readonly #closed = createDeferred<ExitInfo>();
  readonly #ending = new AbortController();
  #isConfirmed = false;
  #attempts = 0;
  /** Stops the timeout of an attempt that is not confirmed yet. */
  #stopTimeout = () => {};
  #hasTimedOut = false;

  constructor(first: ClientTransport, options: ReconnectingTransportOptions) {
    this.current = first;
    this.#options = options;
  }

  get closed(): Promise<ExitInfo> {
    return this.#closed.promise;
  }

  confirm(): void {
    this.#isConfirmed = true;
    this.#attempts = 0;
    this.#stopTimeout();
  }

  end(): void {
    this.#ending.abort();
    this.current?.end();
  }

  async *readLines(): AsyncGenerator<string> {
    let exitInfo: ExitInfo = {};
    while (this.current) {
      try {
        yield* this.current.lines;
        exitInfo = await this.current.closed;
      } catch (thrown) {
        exitInfo = { reason: getErrorMessage(thrown) };
      }
      this.current = undefined;
      this.#stopTimeout();
      if (this.#hasTimedOut) exitInfo = { reason: 'the server did not attach a session in time' };
      this.#hasTimedOut = false;
      if (this.#canReconnect(exitInfo)) exitInfo = await this.#reconnect(exitInfo);
    }
    this.#closed.resolve(exitInfo);
  }

  #canReconnect({ closeCode }: ExitInfo): boolean {
    const { reconnect } = this.#options;
    const isEnding = this.#ending.signal.aborted;
    return reconnect !== undefined && this.#isConfirmed && !isEnding && !isPermanentClosure(closeCode);
  }

  /** Sets `current`, or returns why there is no connection any more. */
  async #reconnect(exitInfo: ExitInfo): Promise<ExitInfo> {
    const { reconnect = {}, open, onDisconnected, onAttempt } = this.#options;
    const { initialDelayMs = INITIAL_DELAY_MS, maxDelayMs = MAX_DELAY_MS, maxAttempts = Infinity } = reconnect;
    const { signal } = this.#ending;
    let reason = exitInfo.reason ?? 'the connection was closed';
    onDisconnected(reason, exitInfo);
    while (this.#attempts < maxAttempts) {
      const delayMs = shortenAtRandom(Math.min(maxDelayMs, initialDelayMs * 2 ** this.#attempts));
      this.#attempts++;
      onAttempt({ reason, attempt: this.#attempts, delayMs });
      await waitFor(delayMs, signal);
      if (signal.aborted) return exitInfo;
      try {
        this.current = await open(signal);
        if (signal.aborted) this.current.end();
        else this.#startTimeout(this.current);
        return exitInfo;
      } catch (thrown) {
        reason = getErrorMessage(thrown);
        if (thrown instanceof ConnectionError && thrown.isPermanent) return { reason, closeCode: thrown.closeCode };
      }
    }
    return { ...exitInfo, reason };
  }

  #startTimeout(transport: ClientTransport): void {
    this.#stopTimeout = repeatEvery(this.#options.confirmTimeoutMs, () => {
      this.#stopTimeout();
      this.#hasTimedOut = true;
      transport.end();
    });
  }
}

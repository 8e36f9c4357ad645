// Calls that wait for their reply, and the matching of replies to calls.
import { toJson } from '../base/index.ts';
import { ConnectionLostError, RpcError } from './errors.ts';
import type { ReplyFrame } from './parse-frame.ts';
import { isConnectionCommand, isReadCommand } from './read-commands.ts';

/** The callbacks run synchronously when the reply is read, before the next line is handled. */
export interface CallCallbacks {
  onSuccess(data: unknown): void;
  onFailure(error: RpcError | ConnectionLostError): void;
}

interface PendingCall extends CallCallbacks {
  readonly command: string;
  readonly params: object;
  readonly line: string;
  /** False while there is no connection. */
  isSent: boolean;
}

const NO_REASON_MESSAGE = 'The agent gave no reason';
const IGNORED: CallCallbacks = { onSuccess() {}, onFailure() {} };

export class PendingCalls {
  readonly #write: (line: string) => void;
  readonly #pending = new Map<string, PendingCall>();
  /** The last successful call of each command whose effect ends with the connection. */
  readonly #connectionCalls = new Map<string, object>();
  #callCount = 0;
  #isSuspended = false;

  constructor(write: (line: string) => void) {
    this.#write = write;
  }

  /** Sends a call and returns its id. Without a connection it is sent when there is one. */
  start(command: string, params: object, callbacks: CallCallbacks): string {
    const id = `req_${this.#callCount + 1}`;
    const line = `${toJson({ ...params, id, type: command })}\n`;
    this.#callCount++;
    const call = { ...callbacks, command, params, line, isSent: false };
    this.#pending.set(id, call);
    if (!this.#isSuspended) this.#send(call);
    return id;
  }

  /** The connection is lost. Calls that were sent fail, unless they only read and may be repeated. */
  suspend(reason: string, { canRepeat }: { canRepeat: boolean }): void {
    this.#isSuspended = true;
    for (const [id, call] of [...this.#pending]) {
      if (!call.isSent) continue;
      call.isSent = false;
      if (canRepeat && (isReadCommand(call.command) || isConnectionCommand(call.command))) continue;
      this.#pending.delete(id);
      call.onFailure(new ConnectionLostError(call.command, reason));
    }
  }

  /** There is a new connection. Restores what the old one had, then sends the calls that wait. */
  resume(): void {
    const waiting = [...this.#pending.values()];
    this.#isSuspended = false;
    for (const [command, params] of this.#connectionCalls) this.start(command, params, IGNORED);
    for (const call of waiting) this.#send(call);
  }

  /**
   * Passes a reply to the call that waits for it. Otherwise returns the failure of a call that was already replied to, or
   * `unclaimed` for a reply that does not belong to any call of this client.
   */
  settle(reply: ReplyFrame): RpcError | 'unclaimed' | undefined {
    const id = this.#findCallId(reply);
    const call = id === undefined ? undefined : this.#pending.get(id);
    if (id === undefined || !call) return this.#toLateFailure(reply) ?? 'unclaimed';
    this.#pending.delete(id);
    if (reply.success && isConnectionCommand(call.command)) this.#connectionCalls.set(call.command, call.params);
    if (reply.success) call.onSuccess(reply.data);
    else call.onFailure(new RpcError(call.command, id, reply.error ?? NO_REASON_MESSAGE));
    return undefined;
  }

  #send(call: PendingCall): void {
    call.isSent = true;
    this.#write(call.line);
  }

  #findCallId({ id, command, success }: ReplyFrame): string | undefined {
    if (id !== undefined || success) return typeof id === 'string' ? id : undefined;
    // This client always sends valid JSON, so a line that the agent could not parse was too long.
    if (command === 'parse') return this.#findLongestCall();
    // Unknown commands are refused without an id. All calls of the same unknown name fail, so the first one is used.
    return [...this.#pending].find(([, call]) => call.command === command)?.[0];
  }

  #findLongestCall(): string | undefined {
    return [...this.#pending].reduce<[string, PendingCall] | undefined>(
      (best, entry) => (best && best[1].line.length >= entry[1].line.length ? best : entry),
      undefined,
    )?.[0];
  }

  #toLateFailure({ id, command, success, error }: ReplyFrame): RpcError | undefined {
    const number = typeof id === 'string' ? /^req_(\d+)$/.exec(id)?.[1] : undefined;
    if (success || number === undefined || Number(number) > this.#callCount) return undefined;
    return new RpcError(command, `req_${number}`, error ?? NO_REASON_MESSAGE);
  }
}

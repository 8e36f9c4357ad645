// Calls that wait for their reply, and the matching of replies to calls.
import { toJson } from '../base/index.ts';
import { RpcError } from './errors.ts';
import type { ReplyFrame } from './parse-frame.ts';

/** The callbacks run synchronously when the reply is read, before the next line is handled. */
export interface CallCallbacks {
  onSuccess(data: unknown): void;
  onFailure(error: RpcError): void;
}

interface PendingCall extends CallCallbacks {
  readonly command: string;
  readonly size: number;
}

const NO_REASON_MESSAGE = 'The agent gave no reason';

export class PendingCalls {
  readonly #write: (line: string) => void;
  readonly #pending = new Map<string, PendingCall>();
  #callCount = 0;

  constructor(write: (line: string) => void) {
    this.#write = write;
  }

  /** Sends a call and returns its id. */
  start(command: string, params: object, callbacks: CallCallbacks): string {
    const id = `req_${this.#callCount + 1}`;
    const line = `${toJson({ ...params, id, type: command })}\n`;
    this.#callCount++;
    this.#pending.set(id, { ...callbacks, command, size: line.length });
    this.#write(line);
    return id;
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
    if (reply.success) call.onSuccess(reply.data);
    else call.onFailure(new RpcError(call.command, id, reply.error ?? NO_REASON_MESSAGE));
    return undefined;
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
      (best, entry) => (best && best[1].size >= entry[1].size ? best : entry),
      undefined,
    )?.[0];
  }

  #toLateFailure({ id, command, success, error }: ReplyFrame): RpcError | undefined {
    const number = typeof id === 'string' ? /^req_(\d+)$/.exec(id)?.[1] : undefined;
    if (success || number === undefined || Number(number) > this.#callCount) return undefined;
    return new RpcError(command, `req_${number}`, error ?? NO_REASON_MESSAGE);
  }
}

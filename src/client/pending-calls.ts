// The hall, client: calls that wait for their reply, and which reply is whose. Knows ids and names, no command's meaning.
import { toJson } from '../base/index.ts';
import { RpcError } from './failures.ts';
import type { ReplyFrame } from './frames.ts';

/** Both are called at once when the reply is read, before the next line is looked at. */
export interface Outcome {
  done(data: unknown): void;
  failed(error: RpcError): void;
}

interface Pending extends Outcome {
  readonly command: string;
  readonly size: number;
}

const NO_REASON = 'The agent gave no reason';

export class PendingCalls {
  readonly #write: (line: string) => void;
  readonly #open = new Map<string, Pending>();
  #made = 0;

  constructor(write: (line: string) => void) {
    this.#write = write;
  }

  /** Sends a call and returns its id. */
  start(command: string, params: object, outcome: Outcome): string {
    const id = `req_${this.#made + 1}`;
    const line = `${toJson({ ...params, id, type: command })}\n`;
    this.#made++;
    this.#open.set(id, { ...outcome, command, size: line.length });
    this.#write(line);
    return id;
  }

  /**
   * Hands a reply to the call that waits for it. What comes back otherwise: the failure of a call that had been answered
   * before, or `unclaimed` for a reply that no call of this client can have caused.
   */
  settle(reply: ReplyFrame): RpcError | 'unclaimed' | undefined {
    const id = this.#idFor(reply);
    const call = id === undefined ? undefined : this.#open.get(id);
    if (id === undefined || !call) return this.#lateFailure(reply) ?? 'unclaimed';
    this.#open.delete(id);
    if (reply.success) call.done(reply.data);
    else call.failed(new RpcError(call.command, id, reply.error ?? NO_REASON));
    return undefined;
  }

  #idFor({ id, command, success }: ReplyFrame): string | undefined {
    if (id !== undefined || success) return typeof id === 'string' ? id : undefined;
    // What is written here is always JSON, so a line that could not be read can only have been too long.
    if (command === 'parse') return this.#longest();
    // Unknown commands are refused without their id. A name is known or not, so any call of that name will do.
    return [...this.#open].find(([, call]) => call.command === command)?.[0];
  }

  #longest(): string | undefined {
    return [...this.#open].reduce<[string, Pending] | undefined>(
      (best, entry) => (best && best[1].size >= entry[1].size ? best : entry),
      undefined,
    )?.[0];
  }

  #lateFailure({ id, command, success, error }: ReplyFrame): RpcError | undefined {
    const number = typeof id === 'string' ? /^req_(\d+)$/.exec(id)?.[1] : undefined;
    if (success || number === undefined || Number(number) > this.#made) return undefined;
    return new RpcError(command, `req_${number}`, error ?? NO_REASON);
  }
}

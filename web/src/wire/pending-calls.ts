// Calls that wait for their reply.
import type { ReplyFrame } from './server-frames.ts';

/** The server refused a call, or the connection was lost before the reply. */
export class CallError extends Error {
  readonly command: string;
  /** The connection was lost: the command may or may not have been carried out. */
  readonly isLost: boolean;

  constructor(command: string, message: string, isLost = false) {
    super(message);
    this.command = command;
    this.isLost = isLost;
  }

  /** The server does not have this command. */
  get isUnknownCommand(): boolean {
    return /^unknown command/i.test(this.message);
  }
}

interface PendingCall {
  readonly command: string;
  readonly resolve: (data: unknown) => void;
  readonly reject: (error: CallError) => void;
}

export class PendingCalls {
  readonly #pending = new Map<string, PendingCall>();
  #count = 0;

  /** Returns the frame to send, and the promise of the data of its reply. */
  start(command: string, params: object): { frame: object; reply: Promise<unknown> } {
    this.#count++;
    const id = `page_${this.#count}`;
    const reply = new Promise<unknown>((resolve, reject) => {
      this.#pending.set(id, { command, resolve, reject });
    });
    return { frame: { id, type: command, ...params }, reply };
  }

  settle(frame: ReplyFrame): void {
    const id = this.#findId(frame);
    const call = id === undefined ? undefined : this.#pending.get(id);
    if (id === undefined || !call) return;
    this.#pending.delete(id);
    if (frame.success) call.resolve(frame.data);
    else call.reject(new CallError(call.command, frame.error ?? 'The server gave no reason'));
  }

  /** The connection is lost: no reply will come. */
  rejectAll(message: string): void {
    const calls = [...this.#pending.values()];
    this.#pending.clear();
    for (const { command, reject } of calls) reject(new CallError(command, message, true));
  }

  /** An unknown command is refused without its id. */
  #findId({ id, command, success }: ReplyFrame): string | undefined {
    if (typeof id === 'string') return id;
    if (success) return undefined;
    return [...this.#pending].find(([, call]) => call.command === command)?.[0];
  }
}

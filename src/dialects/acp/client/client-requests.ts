// Requests to the client that wait for a response. Their ids are unique per connection.
import { Fault, isRecord } from '../../../base/index.ts';
import type { DecodedLine, Frame } from '../../../contracts/index.ts';
import { createRpcFrame } from '../../json-rpc.ts';

export interface ClientResponse {
  readonly id: unknown;
  readonly result: unknown;
  readonly error?: unknown;
}

export type SendFrame = (frame: Frame) => void;

interface PendingRequest {
  receive(response: ClientResponse): DecodedLine;
  handleClosed?(fault: Fault): void;
}

interface SendOptions {
  /** Aborting it cancels the request. */
  readonly signal?: AbortSignal | undefined;
  /** Called with the result when the response arrives after the request was cancelled. */
  handleLateResult?(result: unknown): void;
}

/**
 * The client has answered with an error. The code is `refused` when the user or the client does not allow the request; then the agent
 * must not do the same in another way.
 */
export class RefusedRequest extends Fault {
  constructor(method: string, error: unknown) {
    const reason = describeError(error);
    const isDenied = (isRecord(error) && error.code === REQUEST_CANCELLED) || DENIAL.test(reason);
    super(isDenied ? 'refused' : 'tool_failed', `The client refused ${method}: ${reason}`);
  }
}

/** The protocol has no error code for a denial. */
const DENIAL = /permission|denied|not allowed|not permitted|forbidden|rejected|declined/i;
const REQUEST_CANCELLED = -32800;
const MAX_ERROR_LENGTH = 1000;

export class ClientRequests {
  readonly #pending = new Map<unknown, PendingRequest>();
  #lastId = 0;
  #isClosed = false;

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Returns the frame of a request whose response is given to `pending`. */
  encode(method: string, params: object, pending: PendingRequest): { id: number; frame: Frame } {
    this.#lastId += 1;
    const id = this.#lastId;
    if (!this.#isClosed) this.#pending.set(id, pending);
    return { id, frame: createRpcFrame({ id, method, params }) };
  }

  /** Sends a request and resolves to its result. Throws a Fault for an error response, after an abort and when the client closes. */
  send(send: SendFrame, method: string, params: object, options: SendOptions = {}): Promise<unknown> {
    const { signal, handleLateResult } = options;
    return new Promise((resolve, reject) => {
      if (this.#isClosed) return reject(createClosedFault());
      if (signal?.aborted) return reject(createAbortedFault());
      const { id, frame } = this.encode(method, params, {
        receive(response) {
          signal?.removeEventListener('abort', cancel);
          if (response.error === undefined) resolve(response.result);
          else reject(new RefusedRequest(method, response.error));
          return { kind: 'ignored' };
        },
        handleClosed(fault) {
          signal?.removeEventListener('abort', cancel);
          reject(fault);
        },
      });
      const cancel = () => {
        this.#replaceCancelled(id, handleLateResult);
        send(createCancelFrame(id));
        reject(createAbortedFault());
      };
      signal?.addEventListener('abort', cancel, { once: true });
      send(frame);
    });
  }

  #replaceCancelled(id: number, handleLateResult: SendOptions['handleLateResult']): void {
    if (!handleLateResult) {
      this.forget(id);
      return;
    }
    this.#pending.set(id, {
      receive(response) {
        if (response.error === undefined) handleLateResult(response.result);
        return { kind: 'ignored' };
      },
    });
  }

  /** A later response to the request is ignored. */
  forget(id: number): void {
    this.#pending.delete(id);
  }

  receive(response: ClientResponse): DecodedLine {
    const pending = this.#pending.get(response.id);
    if (!pending) return { kind: 'ignored' };
    this.#pending.delete(response.id);
    return pending.receive(response);
  }

  close(): void {
    this.#isClosed = true;
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    for (const { handleClosed } of pending) handleClosed?.(createClosedFault());
  }
}

export function createCancelFrame(requestId: number): Frame {
  return createRpcFrame({ method: '$/cancel_request', params: { requestId } });
}

/** Many clients put the reason of an internal error into `data.details`. */
function describeError(error: unknown): string {
  const { message, data } = isRecord(error) ? error : {};
  const details = isRecord(data) ? data.details : undefined;
  const reasons = [message, details].filter((reason) => typeof reason === 'string' && reason !== '');
  return reasons.length > 0 ? reasons.join(': ').slice(0, MAX_ERROR_LENGTH) : 'no reason was given';
}

function createClosedFault(): Fault {
  return new Fault('tool_failed', 'The client has disconnected.');
}

function createAbortedFault(): Fault {
  return new Fault('aborted', 'The request to the client was cancelled.');
}

// Calls of clients without a handshake. The server cannot send them requests: a question to the user is returned as the result of the
// call, and the client repeats the call with the answer.
import { createDeferred, type Deferred, isRecord } from '../../../../base/index.ts';
import type { Cancel, Clock, IdGenerator } from '../../../../contracts/index.ts';
import type { Elicit } from './elicitation-ui.ts';
import { createParamsError } from './protocol-versions.ts';

type Result = Record<string, unknown>;

/** A call that the client does not repeat is aborted after this time. */
const ABANDONED_AFTER_MS = 600_000;

/** The request that waits for the call at the moment. */
export interface AttachedRequest {
  readonly signal: AbortSignal;
  report(message: string): void;
}

export interface RoundContext extends AttachedRequest {
  readonly elicit: Elicit;
}

interface OpenCall {
  readonly key: string;
  readonly controller: AbortController;
  readonly questions: Map<string, { params: Result; answer(result: unknown): void }>;
  outcome: Promise<Result>;
  asked: Deferred<void>;
  request: AttachedRequest | undefined;
  cancelTimer: Cancel;
}

export class InputRounds {
  readonly #ports: { clock: Clock; ids: IdGenerator };
  readonly #calls = new Map<string, OpenCall>();

  constructor(ports: { clock: Clock; ids: IdGenerator }) {
    this.#ports = ports;
  }

  start(request: AttachedRequest, run: (context: RoundContext) => Promise<Result>): Promise<Result> {
    const call: OpenCall = {
      key: this.#ports.ids.uuid(),
      controller: new AbortController(),
      questions: new Map(),
      outcome: Promise.resolve({}),
      asked: createDeferred(),
      request,
      cancelTimer: () => {},
    };
    call.outcome = run({
      signal: call.controller.signal,
      report: (message) => call.request?.report(message),
      elicit: (params, signal) => this.#ask(call, params, signal),
    });
    this.#calls.set(call.key, call);
    return this.#wait(call, request);
  }

  /** `state` is the `requestState` of an earlier result, `responses` has the answers by the ids of the questions. */
  resume(request: AttachedRequest, state: unknown, responses: unknown): Promise<Result> {
    const call = typeof state === 'string' ? this.#calls.get(state) : undefined;
    if (!call) throw createParamsError('requestState is unknown: the call has ended. Call again without it');
    if (call.request) throw createParamsError('requestState is in use by another request');
    for (const [id, result] of Object.entries(isRecord(responses) ? responses : {})) {
      call.questions.get(id)?.answer(result);
    }
    return this.#wait(call, request);
  }

  #ask(call: OpenCall, params: Result, signal: AbortSignal): Promise<unknown> {
    const id = this.#ports.ids.uuid();
    const { promise, resolve } = createDeferred<unknown>();
    const answer = (result: unknown) => {
      call.questions.delete(id);
      signal.removeEventListener('abort', withdraw);
      resolve(result);
    };
    const withdraw = () => answer(undefined);
    signal.addEventListener('abort', withdraw, { once: true });
    call.questions.set(id, { params, answer });
    call.asked.resolve();
    return promise;
  }

  /** Resolves with the result of the call, or with the questions that it asks in the meantime. */
  async #wait(call: OpenCall, request: AttachedRequest): Promise<Result> {
    call.cancelTimer();
    call.request = request;
    const abort = () => call.controller.abort();
    request.signal.addEventListener('abort', abort, { once: true });
    if (request.signal.aborted) abort();
    try {
      for (;;) {
        call.asked = createDeferred();
        if (call.questions.size > 0) return this.#pause(call);
        const result = await Promise.race([call.outcome, call.asked.promise]);
        if (!result) continue;
        this.#calls.delete(call.key);
        return result;
      }
    } finally {
      request.signal.removeEventListener('abort', abort);
      call.request = undefined;
    }
  }

  #pause(call: OpenCall): Result {
    call.cancelTimer = this.#ports.clock.after(ABANDONED_AFTER_MS, () => {
      this.#calls.delete(call.key);
      call.controller.abort();
    });
    const questions = [...call.questions].map(([id, { params }]) => [id, { method: 'elicitation/create', params }]);
    return {
      resultType: 'input_required',
      inputRequests: Object.fromEntries(questions),
      requestState: call.key,
    };
  }
}

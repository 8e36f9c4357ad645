// UI requests that wait for an answer of the host. Late answers and answers with unknown ids are ignored.
import { createDeferred } from '../base/index.ts';
import type { AgentSession, Clock, HostUi, IdGenerator, UiQuestion } from '../contracts/index.ts';
import type { UiAnswer, UiRequest } from '../protocol/index.ts';

/** The key that a valid answer must have, for each method. Every other answer counts as cancelled. */
const ANSWER_KEYS: Record<UiQuestion['method'], 'value' | 'confirmed'> = {
  select: 'value',
  confirm: 'confirmed',
  input: 'value',
  editor: 'value',
};

export interface PendingUiRequests {
  /** Creates the UI interface of a session. */
  createHostUi(session: AgentSession): HostUi;
  resolve(id: string, answer: UiAnswer): void;
  /** The host has closed: all pending and future requests resolve without an answer. */
  close(): void;
}

/** `send` returns false when the dialect cannot encode the request. Then it resolves without an answer. */
export function createPendingUiRequests(
  ports: { clock: Clock; ids: IdGenerator },
  send: (request: UiRequest, session: AgentSession) => boolean,
): PendingUiRequests {
  const pending = new Map<string, (answer: UiAnswer | undefined) => void>();
  let closed = false;
  const closedSignal = createDeferred();
  const createHostUi = (session: AgentSession): HostUi => ({
    closed: closedSignal.promise,
    async ask(question, options = {}) {
      if (closed || options.signal?.aborted) return undefined;
      const id = ports.ids.uuid();
      if (!send({ id, ...question } as UiRequest, session)) return undefined;
      const { promise, resolve } = createDeferred<UiAnswer | undefined>();
      const settle = (answer: UiAnswer | undefined) => {
        pending.delete(id);
        resolve(answer);
      };
      const resolveEmpty = () => settle(undefined);
      const cancelRequest = () => {
        if (!pending.has(id)) return;
        resolveEmpty();
        send({ id: ports.ids.uuid(), method: 'cancel', targetId: id }, session);
      };
      const cancelTimer = options.timeout ? ports.clock.after(options.timeout, resolveEmpty) : () => {};
      options.signal?.addEventListener('abort', cancelRequest, { once: true });
      pending.set(id, settle);
      try {
        const answer = await promise;
        return answer && ANSWER_KEYS[question.method] in answer ? answer : undefined;
      } finally {
        cancelTimer();
        options.signal?.removeEventListener('abort', cancelRequest);
      }
    },
    show(display) {
      // Also after the host has closed its input: it may still read.
      send({ id: ports.ids.uuid(), ...display } as UiRequest, session);
    },
  });
  return {
    createHostUi,
    resolve(id, answer) {
      pending.get(id)?.(answer);
    },
    close() {
      closed = true;
      closedSignal.resolve();
      for (const resolve of pending.values()) resolve(undefined);
    },
  };
}

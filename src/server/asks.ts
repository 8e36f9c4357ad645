// First floor, server: questions that are open with the host. Late, unknown and missing answers do no harm.
import { deferred } from '../base/index.ts';
import type { AgentSession, Clock, HostUi, Ids, UiQuestion } from '../contracts/index.ts';
import type { UiAnswer, UiRequest } from '../protocol/index.ts';

/** The key of the one answer that fits each question; `cancelled` fits all of them. */
const FITTING: Record<UiQuestion['method'], 'value' | 'confirmed'> = {
  select: 'value',
  confirm: 'confirmed',
  input: 'value',
  editor: 'value',
};

export interface Asks {
  /** How a session puts its questions. */
  of(session: AgentSession): HostUi;
  answer(id: string, answer: UiAnswer): void;
  /** The host is gone: everybody takes the default, now and from here on. */
  close(): void;
}

/** `send` says whether the question could be put at all; where it cannot, everybody takes the default. */
export function createAsks(
  ports: { clock: Clock; ids: Ids },
  send: (request: UiRequest, session: AgentSession) => boolean,
): Asks {
  const open = new Map<string, (answer: UiAnswer | undefined) => void>();
  let closed = false;
  const gone = deferred();
  const uiOf = (session: AgentSession): HostUi => ({
    gone: gone.promise,
    async ask(question, options = {}) {
      if (closed || options.signal?.aborted) return undefined;
      const id = ports.ids.uuid();
      if (!send({ id, ...question } as UiRequest, session)) return undefined;
      const { promise, resolve } = deferred<UiAnswer | undefined>();
      const settle = (answer: UiAnswer | undefined) => {
        open.delete(id);
        resolve(answer);
      };
      const giveUp = () => settle(undefined);
      const withdraw = () => {
        if (!open.has(id)) return;
        giveUp();
        send({ id: ports.ids.uuid(), method: 'cancel', targetId: id }, session);
      };
      const cancelTimer = options.timeout ? ports.clock.after(options.timeout, giveUp) : () => {};
      options.signal?.addEventListener('abort', withdraw, { once: true });
      open.set(id, settle);
      try {
        const answer = await promise;
        return answer && FITTING[question.method] in answer ? answer : undefined;
      } finally {
        cancelTimer();
        options.signal?.removeEventListener('abort', withdraw);
      }
    },
    show(display) {
      // Also when the host has no more to say: it may well go on reading.
      send({ id: ports.ids.uuid(), ...display } as UiRequest, session);
    },
  });
  return {
    of: uiOf,
    answer(id, answer) {
      open.get(id)?.(answer);
    },
    close() {
      closed = true;
      gone.resolve();
      for (const resolve of open.values()) resolve(undefined);
    },
  };
}

// UI requests that wait for an answer of the host. Late answers and answers with unknown ids are ignored.
import { createDeferred } from '../base/index.ts';
import type {
  AgentSession,
  AskOptions,
  Clock,
  HostUi,
  IdGenerator,
  NoAnswerReason,
  UiQuestion,
} from '../contracts/index.ts';
import type { UiAnswer, UiRequest } from '../protocol/index.ts';

/** The key that a valid answer must have, for each method. Every other answer counts as cancelled. */
const ANSWER_KEYS = {
  select: 'value',
  confirm: 'confirmed',
  input: 'value',
  editor: 'value',
} as const satisfies Record<UiQuestion['method'], 'value' | 'confirmed'>;

export function hasAnswerKey({ method }: Pick<UiRequest, 'method'>, answer: UiAnswer): boolean {
  return method in ANSWER_KEYS && ANSWER_KEYS[method as UiQuestion['method']] in answer;
}

export interface PendingUiRequests {
  /** Creates the UI interface of a session. */
  createHostUi(session: AgentSession): HostUi;
  resolve(id: string, answer: UiAnswer): void;
  /** The host has closed: all pending and future requests resolve without an answer. */
  close(): void;
}

type Settle = (outcome: UiAnswer | NoAnswerReason) => void;

/**
 * `send` returns false when the dialect cannot encode the request. Then it resolves without an answer. With `shouldCancelAll` each
 * request that times out is cancelled; by default only approvals are.
 */
export function createPendingUiRequests(
  ports: { clock: Clock; ids: IdGenerator },
  send: (request: UiRequest, session: AgentSession) => boolean,
  { shouldCancelAll = false }: { shouldCancelAll?: boolean } = {},
): PendingUiRequests {
  const pending = new Map<string, Settle>();
  let closed = false;
  const closedSignal = createDeferred();

  const waitForOutcome = async (question: UiQuestion, session: AgentSession, { timeout, signal }: AskOptions) => {
    if (closed) return 'closed';
    if (signal?.aborted) return 'aborted';
    const id = ports.ids.uuid();
    if (!send({ id, ...question } as UiRequest, session)) return 'unsupported';
    const { promise, resolve } = createDeferred<UiAnswer | NoAnswerReason>();
    const settle: Settle = (outcome) => {
      pending.delete(id);
      resolve(outcome);
    };
    const withdraw = (reason: 'aborted' | 'timeout') => {
      if (!pending.has(id)) return;
      settle(reason);
      if (reason === 'timeout' && !shouldCancelAll && !isApproval(question)) return;
      send({ id: ports.ids.uuid(), ...createCancel(id, reason) }, session);
    };
    const handleAbort = () => withdraw('aborted');
    const cancelTimer = timeout ? ports.clock.after(timeout, () => withdraw('timeout')) : () => {};
    signal?.addEventListener('abort', handleAbort, { once: true });
    pending.set(id, settle);
    return promise.finally(() => {
      cancelTimer();
      signal?.removeEventListener('abort', handleAbort);
    });
  };

  const createHostUi = (session: AgentSession): HostUi => ({
    closed: closedSignal.promise,
    async ask(question, options = {}) {
      const outcome = await waitForOutcome(question, session, options);
      if (typeof outcome === 'object' && hasAnswerKey(question, outcome)) return outcome;
      options.onNoAnswer?.(toNoAnswerReason(outcome));
      return undefined;
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
      for (const settle of pending.values()) settle('closed');
    },
  };
}

function createCancel(targetId: string, reason: 'aborted' | 'timeout') {
  return { method: 'cancel' as const, targetId, ...(reason === 'timeout' ? { timedOut: true as const } : {}) };
}

/** Hosts end other dialogs by the `timeout` of the request. An approval must not stay open when its call has been denied. */
function isApproval(question: UiQuestion): boolean {
  return question.method === 'select' && question.toolCall !== undefined;
}

function toNoAnswerReason(outcome: UiAnswer | NoAnswerReason): NoAnswerReason {
  if (typeof outcome === 'string') return outcome;
  return 'timedOut' in outcome && outcome.timedOut ? 'timeout' : 'dismissed';
}

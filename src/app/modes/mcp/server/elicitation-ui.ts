// Shows the dialogs of a session to the user of the MCP client, as elicitation requests with a form of one field.
import { isRecord } from '../../../../base/index.ts';
import type { Clock, HostUi, NoAnswerReason, UiQuestion } from '../../../../contracts/index.ts';
import type { UiAnswer } from '../../../../protocol/index.ts';

/** Sends the parameters of `elicitation/create`. Resolves with the client's result, or with `undefined` when there is none. */
export type Elicit = (params: Record<string, unknown>, signal: AbortSignal) => Promise<unknown>;

const FIELD = 'answer';
const DENY = 'deny';

/** Without `elicit` no question is answered, so approvals are denied. `getElicit` is called for each question. */
export function createElicitationUi(
  getElicit: () => Elicit | undefined,
  { clock, closed }: { clock: Clock; closed: Promise<void> },
): HostUi {
  return {
    closed,
    async ask(question, { timeout, signal, onNoAnswer } = {}) {
      const elicit = getElicit();
      const controller = new AbortController();
      let reason: NoAnswerReason = 'dismissed';
      const withdraw = (cause: NoAnswerReason) => {
        reason = cause;
        controller.abort();
      };
      if (!elicit || signal?.aborted) {
        onNoAnswer?.(elicit ? 'aborted' : 'unsupported');
        return undefined;
      }
      const handleAbort = () => withdraw('aborted');
      const cancelTimer = timeout ? clock.after(timeout, () => withdraw('timeout')) : () => {};
      signal?.addEventListener('abort', handleAbort, { once: true });
      try {
        const answer = toAnswer(question, await elicit(toElicitation(question), controller.signal));
        if (!answer) onNoAnswer?.(reason);
        return answer;
      } finally {
        cancelTimer();
        signal?.removeEventListener('abort', handleAbort);
      }
    },
    show() {},
  };
}

/** A client that declares neither mode supports forms, as older clients do. */
export function canElicitForms({ elicitation }: Readonly<Record<string, unknown>>): boolean {
  return isRecord(elicitation) && (isRecord(elicitation.form) || !isRecord(elicitation.url));
}

function toElicitation(question: UiQuestion): Record<string, unknown> {
  const details = 'message' in question ? question.message : undefined;
  const message = details ? `${question.title}\n\n${details}` : question.title;
  const requestedSchema = { type: 'object', properties: { [FIELD]: toField(question) }, required: [FIELD] };
  return { message, requestedSchema };
}

function toField(question: UiQuestion): Record<string, unknown> {
  const { title } = question;
  if (question.method === 'select') return { type: 'string', title, enum: question.options };
  if (question.method === 'confirm') return { type: 'boolean', title };
  if (question.method === 'editor') {
    return { type: 'string', title, ...(question.prefill === undefined ? {} : { default: question.prefill }) };
  }
  return { type: 'string', title, ...(question.placeholder ? { description: question.placeholder } : {}) };
}

function toAnswer(question: UiQuestion, result: unknown): UiAnswer | undefined {
  if (!isRecord(result)) return undefined;
  const isApproval = question.method === 'select' && question.toolCall !== undefined;
  if (isApproval && result.action === 'decline') return { value: DENY };
  if (result.action !== 'accept' || !isRecord(result.content)) return undefined;
  const value = result.content[FIELD];
  if (question.method === 'confirm') return typeof value === 'boolean' ? { confirmed: value } : undefined;
  if (typeof value !== 'string') return undefined;
  return question.method === 'select' && !question.options.includes(value) ? undefined : { value };
}

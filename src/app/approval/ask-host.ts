// Asks the host about a tool call. Everything except an offered answer means no.
import type { HostUi, NoAnswerReason, UiQuestion } from '../../contracts/index.ts';

export type ApprovalQuestion = Extract<UiQuestion, { method: 'select' }>;

const PERMISSIONS = ['allow', 'allow_session', 'allow_always'] as const;

export type Refusal =
  /** `message` is for the model. */
  | { readonly kind: 'deny'; readonly message: string | undefined }
  | { readonly kind: 'deny_session'; readonly message: string | undefined }
  /** The host has answered with something that was not offered. */
  | { readonly kind: 'invalid'; readonly value: string }
  | { readonly kind: NoAnswerReason | 'no-host' };

export type Answer = { readonly kind: (typeof PERMISSIONS)[number] } | Refusal;

/** In characters. The rest of a longer message is not sent to the model. */
const MAX_MESSAGE_LENGTH = 10_000;

/** `timeout` in milliseconds, 0 for none. */
export async function askHost(
  host: HostUi | undefined,
  question: ApprovalQuestion,
  { timeout, signal }: { timeout: number; signal: AbortSignal },
): Promise<Answer> {
  if (!host) return { kind: 'no-host' };
  let reason: NoAnswerReason = 'dismissed';
  const onNoAnswer = (cause: NoAnswerReason) => {
    reason = cause;
  };
  const limit = timeout > 0 ? { timeout } : {};
  const answer = await host.ask({ ...question, ...limit }, { ...limit, signal, onNoAnswer });
  return answer && 'value' in answer ? toAnswer(answer, question.options) : { kind: reason };
}

/** `deny_session` is not among the options, because older hosts show all of them. Hosts that know it may answer with it. */
function toAnswer(
  { value, message }: { value: string; message?: string | undefined },
  offered: readonly string[],
): Answer {
  if (value === 'deny' || value === 'deny_session') return { kind: value, message: limitMessage(message) };
  const kind = PERMISSIONS.find((name) => name === value && offered.includes(name));
  return kind ? { kind } : { kind: 'invalid', value };
}

function limitMessage(message = ''): string | undefined {
  const text = message.trim();
  if (text === '') return undefined;
  if (text.length <= MAX_MESSAGE_LENGTH) return text;
  return `${text.slice(0, MAX_MESSAGE_LENGTH).toWellFormed()} [cut after ${MAX_MESSAGE_LENGTH} characters]`;
}

// First floor, dialects: questions as Opal puts them, and what its answers mean. Knows nobody who asks.
import { isRecord, toJson } from '../../base/index.ts';
import type { Frame, Incoming } from '../../contracts/index.ts';
import type { UiAnswer, UiRequest } from '../../protocol/index.ts';
import { eventFrame, frameOf } from './envelope.ts';
import type { OpalQuestion } from './told.ts';

interface OpenAsk {
  readonly id: string;
  read(result: Record<string, unknown>): UiAnswer | undefined;
}

interface Question {
  readonly method: OpalQuestion;
  readonly params: Record<string, unknown>;
  readonly read: OpenAsk['read'];
}

/** Ids are counted for the whole process. */
export class OpenAsks {
  readonly #open = new Map<string, OpenAsk>();
  #count = 0;

  /** What is only shown is told as the status. What has no place on an Opal host's screen is passed over. */
  ask(request: UiRequest, sessionId: string): Frame | undefined {
    if (request.method === 'cancel') return this.#forget(request.targetId);
    const shown = shownBy(request);
    if (shown !== undefined) return eventFrame(sessionId, { type: 'status_update', message: shown });
    const question = questionOf(request);
    if (!question) return undefined;
    this.#count += 1;
    const id = `s2c-${this.#count}`;
    this.#open.set(id, { id: request.id, read: question.read });
    return frameOf({ id, method: question.method, params: { session_id: sessionId, ...question.params } });
  }

  /** Hosts of this family cannot be told that nobody waits any more. */
  #forget(asked: string): undefined {
    for (const [id, open] of this.#open) if (open.id === asked) this.#open.delete(id);
  }

  /** Late and unknown answers do no harm; one that cannot be understood counts as none. */
  answer(id: unknown, result: unknown): Incoming {
    const asked = this.#open.get(id as string);
    if (!asked) return { kind: 'nothing' };
    this.#open.delete(id as string);
    const answer = isRecord(result) ? asked.read(result) : undefined;
    return { kind: 'answer', id: asked.id, answer: answer ?? { cancelled: true } };
  }
}

const ALLOW = 'allow';
const DENY = 'deny';

function questionOf(request: UiRequest): Question | undefined {
  switch (request.method) {
    case 'confirm': {
      const { title, message } = request;
      const read: OpenAsk['read'] = ({ action }) => ({ confirmed: action === ALLOW });
      return { method: 'client/confirm', params: { title, message, actions: [ALLOW, DENY] }, read };
    }
    case 'select':
      return selection(request);
    case 'input':
    case 'editor':
      if ('by' in request && request.by) return userAsked(request.title, []);
      return {
        method: 'client/input',
        params: { prompt: request.title, sensitive: false },
        read: ({ text }) => (typeof text === 'string' ? { value: text } : undefined),
      };
    default:
      return undefined;
  }
}

/** A choice with a message is about something that is going to happen. */
function selection({ title, options, message }: Extract<UiRequest, { method: 'select' }>): Question {
  if (message === undefined) return userAsked(title, options);
  return {
    method: 'client/confirm',
    params: { title, message, actions: options },
    read: ({ action }) => (typeof action === 'string' ? { value: action } : undefined),
  };
}

/** An answer that is not where it should be is still one: whoever asked reads it as it is. */
function userAsked(question: string, choices: readonly string[]): Question {
  return {
    method: 'client/ask_user',
    params: { question, choices },
    read: ({ answer, ...rest }) => ({ value: typeof answer === 'string' ? answer : toJson({ answer, ...rest }) }),
  };
}

function shownBy(request: UiRequest): string | undefined {
  if (request.method === 'notify') return request.message;
  return request.method === 'setStatus' ? (request.statusText ?? '') : undefined;
}

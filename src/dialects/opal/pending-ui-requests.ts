// Encodes UI requests as JSON-RPC requests to the Opal client and decodes the answers.
import { isRecord, toJson } from '../../base/index.ts';
import type { DecodedLine, Frame } from '../../contracts/index.ts';
import type { UiAnswer, UiRequest } from '../../protocol/index.ts';
import { createRpcFrame } from '../json-rpc.ts';
import { createEventFrame } from './event-frames.ts';
import type { OpalClientMethod } from './event-schemas.ts';

interface PendingUiRequest {
  readonly id: string;
  readonly sessionId: string;
  parseAnswer(result: Record<string, unknown>): UiAnswer | undefined;
}

interface ClientRequest {
  readonly method: OpalClientMethod;
  readonly params: Record<string, unknown>;
  readonly parseAnswer: PendingUiRequest['parseAnswer'];
}

/** Request ids are numbered per process, across sessions. */
export class PendingUiRequests {
  readonly #pending = new Map<string, PendingUiRequest>();
  #count = 0;

  /** Notifications and status texts become status_update events. Requests that Opal hosts cannot show are dropped. */
  encode(request: UiRequest, sessionId: string): Frame | undefined {
    if (request.method === 'cancel') return this.#cancel(request.targetId);
    const statusText = getStatusText(request);
    if (statusText !== undefined) return createEventFrame(sessionId, { type: 'status_update', message: statusText });
    const clientRequest = toClientRequest(request);
    if (!clientRequest) return undefined;
    this.#count += 1;
    const id = `s2c-${this.#count}`;
    this.#pending.set(id, { id: request.id, sessionId, parseAnswer: clientRequest.parseAnswer });
    return createRpcFrame({
      id,
      method: clientRequest.method,
      params: { session_id: sessionId, ...clientRequest.params },
    });
  }

  /** Opal has no message that cancels a request, so an event reports it. A later answer is ignored. */
  #cancel(targetId: string): Frame | undefined {
    for (const [id, pending] of this.#pending) {
      if (pending.id !== targetId) continue;
      this.#pending.delete(id);
      return createEventFrame(pending.sessionId, { type: 'client_request_cancelled', request_id: id });
    }
    return undefined;
  }

  /** Ignores answers to unknown or cancelled requests. An answer that cannot be parsed counts as cancelled. */
  answer(id: unknown, result: unknown): DecodedLine {
    const pending = this.#pending.get(id as string);
    if (!pending) return { kind: 'ignored' };
    this.#pending.delete(id as string);
    const answer = isRecord(result) ? pending.parseAnswer(result) : undefined;
    return { kind: 'answer', id: pending.id, answer: answer ?? { cancelled: true } };
  }
}

const ALLOW = 'allow';
const DENY = 'deny';

function toClientRequest(request: UiRequest): ClientRequest | undefined {
  switch (request.method) {
    case 'confirm': {
      const { title, message } = request;
      const parseAnswer: PendingUiRequest['parseAnswer'] = ({ action }) => ({ confirmed: action === ALLOW });
      return { method: 'client/confirm', params: { title, message, actions: [ALLOW, DENY] }, parseAnswer };
    }
    case 'select':
      return toSelectRequest(request);
    case 'input':
    case 'editor':
      if ('by' in request && request.by) return createAskUserRequest(request.title, []);
      return {
        method: 'client/input',
        params: { prompt: request.title, sensitive: false },
        parseAnswer: ({ text }) => (typeof text === 'string' ? { value: text } : undefined),
      };
    default:
      return undefined;
  }
}

/** A select with a message asks for permission, so it becomes client/confirm. */
function toSelectRequest({ title, options, message }: Extract<UiRequest, { method: 'select' }>): ClientRequest {
  if (message === undefined) return createAskUserRequest(title, options);
  return {
    method: 'client/confirm',
    params: { title, message, actions: options },
    parseAnswer: ({ action, message: reply }) =>
      typeof action === 'string'
        ? { value: action, ...(typeof reply === 'string' ? { message: reply } : {}) }
        : undefined,
  };
}

/** If `answer` is not a string, the whole result is passed on as JSON. */
function createAskUserRequest(question: string, choices: readonly string[]): ClientRequest {
  return {
    method: 'client/ask_user',
    params: { question, choices },
    parseAnswer: ({ answer, ...rest }) => ({
      value: typeof answer === 'string' ? answer : toJson({ answer, ...rest }),
    }),
  };
}

function getStatusText(request: UiRequest): string | undefined {
  if (request.method === 'notify') return request.message;
  return request.method === 'setStatus' ? (request.statusText ?? '') : undefined;
}

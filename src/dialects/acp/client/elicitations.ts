// Questions as elicitations: forms with one field, and pages to open.
import type { CreateElicitationRequest, ElicitationPropertySchema } from '@agentclientprotocol/sdk';
import { isRecord } from '../../../base/index.ts';
import type { UiAnswer, UiRequest } from '../../../protocol/index.ts';
import type { ClientQuestion } from './client-question.ts';

type Question = Extract<UiRequest, { method: 'select' | 'confirm' | 'input' | 'editor' }>;
type OpenUrlRequest = Extract<UiRequest, { method: 'open_url' }>;

/** The name of the only field. */
const FIELD = 'answer';

interface Field {
  readonly schema: ElicitationPropertySchema;
  /** A client may leave out an empty text. */
  readonly isRequired: boolean;
  parse(value: unknown): UiAnswer | undefined;
}

export function createForm(question: Question, sessionId: string): ClientQuestion {
  const { schema, isRequired, parse } = createField(question);
  const message =
    'message' in question && question.message ? `${question.title}\n\n${question.message}` : question.title;
  const params: CreateElicitationRequest = {
    sessionId,
    mode: 'form',
    message,
    requestedSchema: {
      type: 'object',
      properties: { [FIELD]: schema },
      ...(isRequired ? { required: [FIELD] } : {}),
    },
  };
  return {
    method: 'elicitation/create',
    params,
    parseAnswer({ action, content }) {
      if (action === 'accept') return parse(isRecord(content) ? content[FIELD] : undefined);
      return action === 'decline' && question.method === 'confirm' ? { confirmed: false } : undefined;
    },
  };
}

function createField(question: Question): Field {
  switch (question.method) {
    case 'confirm':
      return {
        schema: { type: 'boolean', title: question.title },
        isRequired: true,
        parse: (value) => (typeof value === 'boolean' ? { confirmed: value } : undefined),
      };
    case 'select': {
      const options = [...new Set(question.options)];
      return {
        schema: { type: 'string', title: question.title, enum: options },
        isRequired: true,
        parse: (value) => (options.includes(value as string) ? { value: value as string } : undefined),
      };
    }
    default:
      return { schema: createTextSchema(question), isRequired: false, parse: parseText };
  }
}

function createTextSchema(question: Extract<Question, { method: 'input' | 'editor' }>): ElicitationPropertySchema {
  const schema = { type: 'string' as const, title: question.title };
  if (question.method === 'editor') {
    return question.prefill === undefined ? schema : { ...schema, default: question.prefill };
  }
  return question.placeholder === undefined ? schema : { ...schema, description: question.placeholder };
}

function parseText(value: unknown = ''): UiAnswer | undefined {
  return typeof value === 'string' ? { value } : undefined;
}

/** The response says only whether the user has opened the page. It is not used. */
export function createUrlElicitation({ id, url, instructions }: OpenUrlRequest, sessionId: string): ClientQuestion {
  const params: CreateElicitationRequest = {
    sessionId,
    mode: 'url',
    elicitationId: id,
    url,
    message: instructions ?? 'Open this page in a browser.',
  };
  return { method: 'elicitation/create', params, parseAnswer: () => undefined };
}

/** For a request of the client that has no session, such as a sign-in. */
export function createUrlRequest({ requestId, url, message }: { requestId: unknown; url: string; message: string }) {
  const id = requestId as string | number | null;
  return {
    requestId: id,
    mode: 'url',
    elicitationId: `request-${id}`,
    url,
    message,
  } satisfies CreateElicitationRequest;
}

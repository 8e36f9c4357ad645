// Everything that the agent asks of the client: permissions, questions, files and terminals.
import { isRecord } from '../../../base/index.ts';
import type { AgentSession, DecodedLine, Frame, HostServices, TerminalOptions } from '../../../contracts/index.ts';
import type { UiRequest } from '../../../protocol/index.ts';
import { chainFrames, createRpcFrame } from '../../json-rpc.ts';
import type { ClientCapabilities } from '../client-capabilities.ts';
import { createUpdateFrame } from '../updates/index.ts';
import { createClientFiles } from './client-files.ts';
import type { ClientQuestion } from './client-question.ts';
import { ClientRequests, type ClientResponse, createCancelFrame, type SendFrame } from './client-requests.ts';
import { createForm, createUrlElicitation, createUrlRequest } from './elicitations.ts';
import { createApprovalRequest, createChoiceRequest, createYesNoRequest } from './permissions.ts';
import { createTerminalRunner } from './terminal-runner.ts';

export interface ClientConnectionOptions {
  getCapabilities(): ClientCapabilities;
  /** Called when the client has created a terminal for a tool call: the codec shows it. */
  onTerminal(session: AgentSession, toolCallId: string, terminalId: string): void;
}

export interface OpenUrlOptions {
  /** The id of the client's request. */
  readonly requestId: unknown;
  readonly url: string;
  readonly message: string;
  onDeclined(): void;
}

interface OpenQuestion {
  readonly requestId: number;
  readonly sessionId: string;
  readonly question: ClientQuestion;
}

export class ClientConnection {
  readonly #options: ClientConnectionOptions;
  readonly #requests = new ClientRequests();
  /** By the id of the UI request. */
  readonly #openQuestions = new Map<string, OpenQuestion>();
  #send: SendFrame | undefined;

  constructor(options: ClientConnectionOptions) {
    this.#options = options;
  }

  /** `undefined` when the client cannot show it: then the caller uses the default answer. */
  encodeUiRequest(request: UiRequest, session: AgentSession): Frame | undefined {
    if (request.method === 'cancel') return this.#withdraw(request.targetId);
    const capabilities = this.#options.getCapabilities();
    if (request.method === 'notify') return capabilities.notices ? createNotice(request, session.id) : undefined;
    const question = toQuestion(request, session.id, capabilities);
    return question && this.#ask(request.id, question, session.id);
  }

  #ask(uiRequestId: string, question: ClientQuestion, sessionId: string): Frame {
    const { id, frame } = this.#requests.encode(question.method, question.params, {
      receive: (response) => {
        this.#openQuestions.delete(uiRequestId);
        const update = createQuestionUpdate(question, sessionId, 'completed');
        if (update) this.#send?.(update);
        return { kind: 'answer', id: uiRequestId, answer: parseAnswer(question, response) };
      },
    });
    this.#openQuestions.set(uiRequestId, { requestId: id, sessionId, question });
    return frame;
  }

  #withdraw(uiRequestId: string): Frame | undefined {
    const open = this.#openQuestions.get(uiRequestId);
    if (!open) return undefined;
    this.#openQuestions.delete(uiRequestId);
    this.#requests.forget(open.requestId);
    const update = createQuestionUpdate(open.question, open.sessionId, 'failed');
    return chainFrames([createCancelFrame(open.requestId), ...(update ? [update] : [])]);
  }

  /** The capabilities are read at every use, because the client may send `initialize` again. */
  createHostServices(session: AgentSession, send: SendFrame): HostServices {
    this.#send = send;
    const requests = this.#requests;
    const { getCapabilities, onTerminal } = this.#options;
    return {
      get files() {
        return requests.isClosed ? undefined : createClientFiles(requests, session, send, getCapabilities());
      },
      get createTerminalRunner() {
        if (requests.isClosed || !getCapabilities().terminal) return undefined;
        return (terminal: TerminalOptions) =>
          createTerminalRunner({
            ...{ ...terminal, requests, session, send },
            onCreated: (terminalId) => onTerminal(session, terminal.toolCallId, terminalId),
          });
      },
    };
  }

  /**
   * Asks the user to open a page, for a request of the client that has no session. `onDeclined` is called when the user does not. The
   * returned function tells the client that the page is no longer needed.
   */
  openUrl({ onDeclined, ...page }: OpenUrlOptions, send: SendFrame): () => void {
    const params = createUrlRequest(page);
    void this.#requests.send(send, 'elicitation/create', params).then(
      (result) => isRecord(result) && result.action !== 'accept' && onDeclined(),
      () => {},
    );
    const { elicitationId } = params;
    return () => send(createRpcFrame({ method: 'elicitation/complete', params: { elicitationId } }));
  }

  /** A response of the client to one of our requests. Unknown and late ids are ignored. */
  receiveResponse(response: ClientResponse): DecodedLine {
    return this.#requests.receive(response);
  }

  /** The client has closed its input: every pending request fails. */
  close(): void {
    this.#openQuestions.clear();
    this.#requests.close();
  }
}

/** `undefined` when the client cannot show the request. */
function toQuestion(
  request: UiRequest,
  sessionId: string,
  { elicitationForm, elicitationUrl }: ClientCapabilities,
): ClientQuestion | undefined {
  switch (request.method) {
    case 'select':
      if (request.toolCall) return createApprovalRequest(request, request.toolCall, sessionId);
      if (request.options.length === 0) return undefined;
      return elicitationForm ? createForm(request, sessionId) : createChoiceRequest(request, sessionId);
    case 'confirm':
      return elicitationForm ? createForm(request, sessionId) : createYesNoRequest(request, sessionId);
    case 'input':
    case 'editor':
      return elicitationForm ? createForm(request, sessionId) : undefined;
    case 'open_url':
      return elicitationUrl ? createUrlElicitation(request, sessionId) : undefined;
    default:
      return undefined;
  }
}

/** An error response and a result of another shape are no answers. */
function parseAnswer(question: ClientQuestion, { result, error }: ClientResponse) {
  const answer = error === undefined && isRecord(result) ? question.parseAnswer(result) : undefined;
  return answer ?? { cancelled: true as const };
}

/** Ends the tool call that was made up for a question, so that clients do not show it as running. */
function createQuestionUpdate(
  { questionCallId }: ClientQuestion,
  sessionId: string,
  status: 'completed' | 'failed',
): Frame | undefined {
  if (questionCallId === undefined) return undefined;
  return createUpdateFrame(sessionId, { sessionUpdate: 'tool_call_update', toolCallId: questionCallId, status });
}

/** The first line is the title. */
function createNotice(
  { message, notifyType = 'info' }: Extract<UiRequest, { method: 'notify' }>,
  sessionId: string,
): Frame | undefined {
  const [title = '', ...rest] = message.trim().split('\n');
  if (title === '') return undefined;
  const description = rest.join('\n').trim();
  const details = description ? { description } : {};
  return createUpdateFrame(sessionId, { sessionUpdate: 'notice', severity: notifyType, title, ...details });
}

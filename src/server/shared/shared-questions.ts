// Questions of one session to all its clients. The first answer counts; it withdraws the question from the other clients.
import type { AgentSession, Clock, HostUi, IdGenerator } from '../../contracts/index.ts';
import type { UiAnswer, UiRequest } from '../../protocol/index.ts';
import { createPendingUiRequests, type PendingUiRequests } from '../pending-ui-requests.ts';
import { isDismissal } from './answer-check.ts';

/** A client that can show questions. */
export interface QuestionMember {
  readonly name: string;
  /** Returns false when its dialect cannot show the request. */
  ask(request: UiRequest): boolean;
}

export type AnswerListener = (request: UiRequest, answer: UiAnswer) => void;

interface OpenQuestion {
  readonly request: UiRequest;
  readonly askedMs: number;
  /** The clients that show it. */
  readonly askedMembers: Set<QuestionMember>;
  /** The clients that have left it to the others. */
  readonly dismissedMembers: Set<QuestionMember>;
}

type Display = Extract<UiRequest, { method: 'setStatus' | 'setWidget' | 'setTitle' }>;

export class SharedQuestions {
  readonly hostUi: HostUi;
  readonly #ids: IdGenerator;
  readonly #clock: Clock;
  readonly #requests: PendingUiRequests;
  readonly #members = new Set<QuestionMember>();
  readonly #open = new Map<string, OpenQuestion>();
  /** The newest displays that stay visible, for clients that come later. */
  readonly #displays = new Map<string, Display>();

  readonly #onAnswered: AnswerListener;

  constructor(session: AgentSession, ports: { clock: Clock; ids: IdGenerator }, onAnswered: AnswerListener = () => {}) {
    this.#ids = ports.ids;
    this.#clock = ports.clock;
    this.#onAnswered = onAnswered;
    this.#requests = createPendingUiRequests(ports, (request) => this.#send(request), { shouldCancelAll: true });
    this.hostUi = this.#requests.createHostUi(session);
  }

  get openRequests(): readonly UiRequest[] {
    return [...this.#open.values()].map((question) => this.#describe(question));
  }

  /** Asks the client what is not answered yet, and shows it what is displayed. */
  join(member: QuestionMember): void {
    this.#members.add(member);
    for (const display of this.#displays.values()) member.ask(display);
    this.offer(member);
  }

  /** Asks the client what it could not show before. */
  offer(member: QuestionMember): void {
    for (const question of this.#open.values()) {
      const { askedMembers, dismissedMembers } = question;
      if (askedMembers.has(member) || dismissedMembers.has(member)) continue;
      if (member.ask(this.#describe(question))) askedMembers.add(member);
    }
  }

  /** Asks the client once more what it was asked: it has withdrawn its questions, because its session has another id. */
  askAgain(member: QuestionMember): void {
    for (const display of this.#displays.values()) member.ask(display);
    for (const question of this.#open.values())
      if (question.askedMembers.has(member)) member.ask(this.#describe(question));
  }

  /** With the time that is left for an answer. */
  #describe({ request, askedMs }: OpenQuestion): UiRequest {
    if (!('timeout' in request) || !request.timeout) return request;
    return { ...request, timeout: Math.max(1, request.timeout - (this.#clock.now() - askedMs)) };
  }

  /** A client that leaves has not dismissed its questions: it may come back, for example after a page was loaded again. */
  leave(member: QuestionMember): void {
    this.#members.delete(member);
    for (const { askedMembers } of this.#open.values()) askedMembers.delete(member);
  }

  /**
   * Answers a question. Returns false when it is not open. A client that dismisses a question leaves it to the others: it counts as
   * dismissed when the last client that shows it has dismissed it.
   */
  answer(id: string, answer: UiAnswer, member: QuestionMember): boolean {
    const question = this.#open.get(id);
    if (!question) return false;
    if (isDismissal(question.request, answer)) {
      question.askedMembers.delete(member);
      question.dismissedMembers.add(member);
      if (question.askedMembers.size === 0) this.#dismiss(id);
      return true;
    }
    this.#open.delete(id);
    this.#requests.resolve(id, answer);
    this.#onAnswered(question.request, answer);
    const { askedMembers } = question;
    askedMembers.delete(member);
    const cancel = { id: this.#ids.uuid(), method: 'cancel' as const, targetId: id, answeredBy: member.name };
    for (const other of askedMembers) other.ask(cancel);
    return true;
  }

  /** No client can answer any more: all questions resolve without an answer. */
  close(): void {
    this.#open.clear();
    this.#requests.close();
  }

  #dismiss(id: string): void {
    this.#open.delete(id);
    this.#requests.resolve(id, { cancelled: true });
  }

  /** A question without a client waits for one. */
  #send(request: UiRequest): boolean {
    if (request.method === 'cancel') {
      const question = this.#open.get(request.targetId);
      this.#open.delete(request.targetId);
      for (const member of question?.askedMembers ?? []) member.ask(request);
      return true;
    }
    const askedMembers = new Set([...this.#members].filter((member) => member.ask(request)));
    if (isQuestion(request))
      this.#open.set(request.id, { request, askedMs: this.#clock.now(), askedMembers, dismissedMembers: new Set() });
    else this.#remember(request);
    return true;
  }

  #remember(request: UiRequest): void {
    if (request.method === 'setTitle') this.#displays.set('title', request);
    if (request.method === 'setStatus') this.#displays.set(`status ${request.statusKey}`, request);
    if (request.method === 'setWidget') this.#displays.set(`widget ${request.widgetKey}`, request);
  }
}

function isQuestion({ method }: UiRequest): boolean {
  return method === 'select' || method === 'confirm' || method === 'input' || method === 'editor';
}

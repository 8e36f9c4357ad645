// The hall, client: the agent's questions to the person at the host, and what it only shows. Every question gets an answer.
import type { UiAnswer, UiRequest } from '../protocol/index.ts';
import { createListeners, type Listeners } from './listeners.ts';

type QuestionMethod = 'select' | 'confirm' | 'input' | 'editor';

/** Waits for an answer. */
export type Question = Extract<UiRequest, { method: QuestionMethod }>;
/** Is shown and forgotten. */
export type Display = Exclude<UiRequest, { method: QuestionMethod }>;

/** `undefined` dismisses the question: the asker takes its default. */
export type AskHandler = (question: Question) => UiAnswer | undefined | Promise<UiAnswer | undefined>;

export interface Dialogs {
  readonly displays: Listeners<Display>;
  /** The newest handler answers. */
  handle(handler: AskHandler): () => void;
  /** The host has begun to talk: questions that no handler takes are dismissed from now on, and no longer kept for one. */
  begin(): void;
  /** Returns false for a method that is not known here; it is dismissed, as nobody could answer it. */
  take(request: UiRequest): boolean;
}

const METHODS: Record<UiRequest['method'], 'question' | 'display'> = {
  select: 'question',
  confirm: 'question',
  input: 'question',
  editor: 'question',
  notify: 'display',
  setStatus: 'display',
  setWidget: 'display',
  setTitle: 'display',
  set_editor_text: 'display',
  open_url: 'display',
  cancel: 'display',
};

export function createDialogs(send: (frame: object) => void, onError: (thrown: unknown) => void): Dialogs {
  const displays = createListeners<Display>(onError);
  const handlers: { handler: AskHandler }[] = [];
  /** What was asked before the host had a chance to say who answers. */
  let kept: Question[] | undefined = [];
  const answer = async (question: Question): Promise<void> => {
    let given: UiAnswer | undefined;
    try {
      given = await handlers.at(-1)?.handler(question);
    } catch (thrown) {
      onError(thrown);
    }
    send({ type: 'extension_ui_response', id: question.id, ...(given ?? { cancelled: true }) });
  };
  const begin = () => {
    const questions = kept ?? [];
    kept = undefined;
    for (const question of questions) void answer(question);
  };
  const ask = (question: Question) => {
    if (kept) kept.push(question);
    else void answer(question);
  };
  return {
    displays,
    begin,
    handle(handler) {
      const entry = { handler };
      handlers.push(entry);
      begin();
      return () => {
        const at = handlers.indexOf(entry);
        if (at >= 0) handlers.splice(at, 1);
      };
    },
    take(request) {
      const kind = Object.hasOwn(METHODS, request.method) ? METHODS[request.method] : undefined;
      if (request.method === 'cancel') kept = kept?.filter(({ id }) => id !== request.targetId);
      if (kind === 'display') displays.tell(request as Display);
      else if (kind === 'question') ask(request as Question);
      else send({ type: 'extension_ui_response', id: (request as UiRequest).id, cancelled: true });
      return kind !== undefined;
    },
  };
}

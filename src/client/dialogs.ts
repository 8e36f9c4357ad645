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
};

export function createDialogs(send: (frame: object) => void, onError: (thrown: unknown) => void): Dialogs {
  const displays = createListeners<Display>(onError);
  const handlers: { handler: AskHandler }[] = [];
  const answer = async (question: Question): Promise<void> => {
    let given: UiAnswer | undefined;
    try {
      given = await handlers.at(-1)?.handler(question);
    } catch (thrown) {
      onError(thrown);
    }
    send({ type: 'extension_ui_response', id: question.id, ...(given ?? { cancelled: true }) });
  };
  return {
    displays,
    handle(handler) {
      const entry = { handler };
      handlers.push(entry);
      return () => {
        const at = handlers.indexOf(entry);
        if (at >= 0) handlers.splice(at, 1);
      };
    },
    take(request) {
      const kind = Object.hasOwn(METHODS, request.method) ? METHODS[request.method] : undefined;
      if (kind === 'display') displays.tell(request as Display);
      else if (kind === 'question') void answer(request as Question);
      else send({ type: 'extension_ui_response', id: (request as UiRequest).id, cancelled: true });
      return kind !== undefined;
    },
  };
}

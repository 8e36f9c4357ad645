// Dispatches UI requests of the agent to dialog handlers and display listeners. Every question gets an answer.
import type { UiAnswer, UiRequest } from '../protocol/index.ts';
import { createListeners, type Listeners } from './listeners.ts';

type DialogMethod = 'select' | 'confirm' | 'input' | 'editor';

/** A request that waits for an answer. */
export type DialogRequest = Extract<UiRequest, { method: DialogMethod }>;
/** A request that is displayed and gets no answer. */
export type DisplayRequest = Exclude<UiRequest, { method: DialogMethod }>;

/** `undefined` dismisses the question, and the agent uses its default. `leave-open` sends nothing: another client may answer. */
export type DialogHandler = (
  dialog: DialogRequest,
) => UiAnswer | 'leave-open' | undefined | Promise<UiAnswer | 'leave-open' | undefined>;

export interface DialogDispatcher {
  readonly displays: Listeners<DisplayRequest>;
  /** The most recently added handler answers. */
  addHandler(handler: DialogHandler): () => void;
  /** Called when the host has sent its first frame. From then on, questions without a handler are dismissed, not buffered. */
  stopBuffering(): void;
  /** Returns false for an unknown method. The request is dismissed, because no handler could answer it. */
  dispatch(request: UiRequest): boolean;
  /** There is a new connection, on which the agent sends the open questions again. */
  startResending(): void;
  /** The open questions have been sent again. The other ones were answered by another client. */
  endResending(): void;
  /** The client follows another session, whose questions follow. */
  withdrawAll(): void;
}

interface DialogDispatcherOptions {
  send(frame: object): void;
  onError(thrown: unknown): void;
  /** Other clients may answer too. Questions without a handler stay open, instead of being dismissed for all clients. */
  readonly isShared: boolean;
}

const METHOD_KINDS: Record<UiRequest['method'], 'dialog' | 'display'> = {
  select: 'dialog',
  confirm: 'dialog',
  input: 'dialog',
  editor: 'dialog',
  notify: 'display',
  setStatus: 'display',
  setWidget: 'display',
  setTitle: 'display',
  set_editor_text: 'display',
  open_url: 'display',
  cancel: 'display',
};

export function createDialogDispatcher(options: DialogDispatcherOptions): DialogDispatcher {
  const displays = createListeners<DisplayRequest>(options.onError);
  const questions = new OpenQuestions(options, displays);
  return {
    displays,
    stopBuffering: () => questions.stopBuffering(),
    addHandler: (handler) => questions.addHandler(handler),
    startResending: () => questions.startResending(),
    endResending: () => questions.endResending(),
    withdrawAll: () => questions.withdrawAll(),
    dispatch(request) {
      const kind = Object.hasOwn(METHOD_KINDS, request.method) ? METHOD_KINDS[request.method] : undefined;
      if (request.method === 'cancel') questions.remove(request.targetId);
      if (kind === 'display') displays.emit(request as DisplayRequest);
      else if (kind === 'dialog') questions.add(request as DialogRequest);
      else if (!options.isShared)
        options.send({ type: 'extension_ui_response', id: (request as UiRequest).id, cancelled: true });
      return kind !== undefined;
    },
  };
}

/** A question whose handler is running, or whose answer waits until the agent has sent the question again. */
interface HandledQuestion {
  /** The agent has sent it on this connection. */
  isCurrent: boolean;
  /** Given while the connection was lost. */
  answer?: UiAnswer | { cancelled: true };
}

/** The questions that are not answered yet, by id. */
class OpenQuestions {
  readonly #options: DialogDispatcherOptions;
  readonly #displays: Listeners<DisplayRequest>;
  readonly #handlers: { handler: DialogHandler }[] = [];
  readonly #handled = new Map<string, HandledQuestion>();
  /** Questions that arrived before the host could register a handler. */
  #buffered: DialogRequest[] = [];
  #isBuffering = true;

  constructor(options: DialogDispatcherOptions, displays: Listeners<DisplayRequest>) {
    this.#options = options;
    this.#displays = displays;
  }

  add(dialog: DialogRequest): void {
    const handled = this.#handled.get(dialog.id);
    if (handled?.answer) {
      this.remove(dialog.id);
      this.#send(dialog.id, handled.answer);
    } else if (handled) handled.isCurrent = true;
    else if (this.#isBuffering || (this.#options.isShared && this.#handlers.length === 0)) {
      this.remove(dialog.id);
      this.#buffered.push(dialog);
    } else void this.#answer(dialog);
  }

  remove(id: string): void {
    this.#handled.delete(id);
    this.#buffered = this.#buffered.filter((dialog) => dialog.id !== id);
  }

  addHandler(handler: DialogHandler): () => void {
    const entry = { handler };
    this.#handlers.push(entry);
    this.stopBuffering();
    return () => {
      const at = this.#handlers.indexOf(entry);
      if (at >= 0) this.#handlers.splice(at, 1);
    };
  }

  stopBuffering(): void {
    this.#isBuffering = false;
    for (const dialog of this.#buffered.splice(0)) this.add(dialog);
  }

  startResending(): void {
    this.#buffered = [];
    for (const handled of this.#handled.values()) handled.isCurrent = false;
  }

  endResending(): void {
    for (const [id, { isCurrent }] of [...this.#handled]) {
      if (!isCurrent) this.#withdraw(id);
    }
  }

  withdrawAll(): void {
    this.#buffered = [];
    for (const id of [...this.#handled.keys()]) this.#withdraw(id);
  }

  #withdraw(id: string): void {
    const isAnswered = this.#handled.get(id)?.answer !== undefined;
    this.remove(id);
    if (!isAnswered) this.#displays.emit({ id, method: 'cancel', targetId: id });
  }

  async #answer(dialog: DialogRequest): Promise<void> {
    const { id } = dialog;
    const handled: HandledQuestion = { isCurrent: true };
    this.#handled.set(id, handled);
    let answer: Awaited<ReturnType<DialogHandler>>;
    try {
      answer = await this.#handlers.at(-1)?.handler(dialog);
    } catch (thrown) {
      this.#options.onError(thrown);
    }
    const isWithdrawn = this.#handled.get(id) !== handled;
    if (isWithdrawn && this.#options.isShared) return;
    const isCurrent = isWithdrawn || handled.isCurrent;
    if (answer !== 'leave-open' && !isCurrent) {
      // The agent sends the question again in any case. The answer waits for it, so that it is not asked twice.
      handled.answer = answer ?? { cancelled: true };
      return;
    }
    if (!isWithdrawn) this.#handled.delete(id);
    if (answer !== 'leave-open') this.#send(id, answer ?? { cancelled: true });
  }

  #send(id: string, answer: UiAnswer | { cancelled: true }): void {
    this.#options.send({ type: 'extension_ui_response', id, ...answer });
  }
}

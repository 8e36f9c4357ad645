// Dispatches UI requests of the agent to dialog handlers and display listeners. Every question gets an answer.
import type { UiAnswer, UiRequest } from '../protocol/index.ts';
import { createListeners, type Listeners } from './listeners.ts';

type DialogMethod = 'select' | 'confirm' | 'input' | 'editor';

/** A request that waits for an answer. */
export type DialogRequest = Extract<UiRequest, { method: DialogMethod }>;
/** A request that is displayed and gets no answer. */
export type DisplayRequest = Exclude<UiRequest, { method: DialogMethod }>;

/** `undefined` dismisses the question, and the agent uses its default. */
export type DialogHandler = (dialog: DialogRequest) => UiAnswer | undefined | Promise<UiAnswer | undefined>;

export interface DialogDispatcher {
  readonly displays: Listeners<DisplayRequest>;
  /** The most recently added handler answers. */
  addHandler(handler: DialogHandler): () => void;
  /** Called when the host has sent its first frame. From then on, questions without a handler are dismissed, not buffered. */
  stopBuffering(): void;
  /** Returns false for an unknown method. The request is dismissed, because no handler could answer it. */
  dispatch(request: UiRequest): boolean;
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

export function createDialogDispatcher(
  send: (frame: object) => void,
  onError: (thrown: unknown) => void,
): DialogDispatcher {
  const displays = createListeners<DisplayRequest>(onError);
  const handlers: { handler: DialogHandler }[] = [];
  /** Questions that arrived before the host could register a handler. */
  let buffered: DialogRequest[] | undefined = [];
  const answer = async (dialog: DialogRequest): Promise<void> => {
    let response: UiAnswer | undefined;
    try {
      response = await handlers.at(-1)?.handler(dialog);
    } catch (thrown) {
      onError(thrown);
    }
    send({ type: 'extension_ui_response', id: dialog.id, ...(response ?? { cancelled: true }) });
  };
  const stopBuffering = () => {
    const dialogs = buffered ?? [];
    buffered = undefined;
    for (const dialog of dialogs) void answer(dialog);
  };
  const handleDialog = (dialog: DialogRequest) => {
    if (buffered) buffered.push(dialog);
    else void answer(dialog);
  };
  return {
    displays,
    stopBuffering,
    addHandler(handler) {
      const entry = { handler };
      handlers.push(entry);
      stopBuffering();
      return () => {
        const at = handlers.indexOf(entry);
        if (at >= 0) handlers.splice(at, 1);
      };
    },
    dispatch(request) {
      const kind = Object.hasOwn(METHOD_KINDS, request.method) ? METHOD_KINDS[request.method] : undefined;
      if (request.method === 'cancel') buffered = buffered?.filter(({ id }) => id !== request.targetId);
      if (kind === 'display') displays.emit(request as DisplayRequest);
      else if (kind === 'dialog') handleDialog(request as DialogRequest);
      else send({ type: 'extension_ui_response', id: (request as UiRequest).id, cancelled: true });
      return kind !== undefined;
    },
  };
}

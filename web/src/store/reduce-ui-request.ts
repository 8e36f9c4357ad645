// Dialogs and displays that the agent requests. Pure.
import type { UiRequestFrame } from '../wire/server-frames.ts';
import { addNotice } from './conversation.ts';
import type { ClosedDialog, SessionView } from './session-view.ts';

/** More closed dialogs: the oldest are forgotten, because together they would cover the conversation. */
const MAX_CLOSED = 3;

export function reduceUiRequest(old: SessionView, request: UiRequestFrame): SessionView {
  switch (request.method) {
    case 'select':
    case 'confirm':
    case 'input':
    case 'editor': {
      const isKnown = old.dialogs.some(({ id }) => id === request.id);
      const replaced = old.dialogs.map((dialog) => (dialog.id === request.id ? request : dialog));
      const unconfirmedDialogs = old.unconfirmedDialogs.filter((id) => id !== request.id);
      return { ...old, dialogs: isKnown ? replaced : [...old.dialogs, request], unconfirmedDialogs };
    }
    case 'cancel':
      return cancelDialog(old, request);
    case 'notify':
      return { ...old, conversation: addNotice(old.conversation, request.notifyType ?? 'info', request.message) };
    case 'setStatus':
      return { ...old, statusTexts: setOrDelete(old.statusTexts, request.statusKey, request.statusText) };
    case 'setWidget':
      return { ...old, widgets: setOrDelete(old.widgets, request.widgetKey, request.widgetLines) };
    case 'setTitle':
      return { ...old, title: request.title };
    case 'set_editor_text':
      return { ...old, editorText: { text: request.text, count: old.editorText.count + 1 } };
    case 'open_url': {
      const { id, url, instructions } = request;
      return { ...old, links: [...old.links.filter((link) => link.id !== id), { id, url, instructions }] };
    }
    default:
      return old;
  }
}

/** The server has sent all dialogs that still wait. */
export function dropUnconfirmed(old: SessionView): SessionView {
  if (old.unconfirmedDialogs.length === 0) return old;
  const dialogs = old.dialogs.filter(({ id }) => !old.unconfirmedDialogs.includes(id));
  return { ...old, dialogs, unconfirmedDialogs: [] };
}

type CancelRequest = Extract<UiRequestFrame, { method: 'cancel' }>;

function cancelDialog(old: SessionView, { targetId, timedOut, answeredBy }: CancelRequest): SessionView {
  const links = old.links.filter(({ id }) => id !== targetId);
  const dialog = old.dialogs.find(({ id }) => id === targetId);
  if (!dialog) return links.length === old.links.length ? old : { ...old, links };
  const outcome = answeredBy ? 'answered' : timedOut ? 'timedOut' : 'withdrawn';
  const closed: ClosedDialog = { id: targetId, title: dialog.title, outcome, answeredBy };
  return {
    ...old,
    links,
    dialogs: old.dialogs.filter((other) => other !== dialog),
    closedDialogs: [...old.closedDialogs, closed].slice(-MAX_CLOSED),
  };
}

/** This client has answered the dialog. */
export function removeDialog(old: SessionView, id: string): SessionView {
  return { ...old, dialogs: old.dialogs.filter((dialog) => dialog.id !== id) };
}

/** The user has seen how a dialog ended. */
export function dismissClosedDialog(old: SessionView, id: string): SessionView {
  return { ...old, closedDialogs: old.closedDialogs.filter((dialog) => dialog.id !== id) };
}

function setOrDelete<T>(old: ReadonlyMap<string, T>, key: string, value: T | undefined): ReadonlyMap<string, T> {
  const next = new Map(old);
  if (value === undefined) next.delete(key);
  else next.set(key, value);
  return next;
}

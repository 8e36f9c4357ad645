// Questions of the agent that wait for an answer, above the prompt, and how earlier ones ended.
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { announce } from '../app/app-state.ts';
import type { SessionStore } from '../app/session-store.ts';
import { ConversationContext, type ConversationScope } from '../conversation/conversation-context.ts';
import { toSafeLink } from '../markdown/safe-link.ts';
import { IconButton } from '../parts/button.tsx';
import { formatCount } from '../parts/format.ts';
import { Icon } from '../parts/icon.tsx';
import type { ClosedDialog, DialogRequest } from '../store/session-view.ts';
import { ApprovalDialog } from './approval-dialog.tsx';
import { ConfirmDialog, EditorDialog, InputDialog, SelectDialog } from './simple-dialogs.tsx';

const SHOWN_MS = 10_000;

export function DialogStack({ store }: { readonly store: SessionStore }) {
  const { dialogs, closedDialogs, links, conversation } = store.view.value;
  const expanded = useRef(new Map<string, boolean>());
  const [first] = dialogs;
  useEffect(() => {
    if (first) announce(`Question: ${first.title}`);
  }, [first?.id]);
  if (dialogs.length + closedDialogs.length + links.length === 0) return null;
  const scope: ConversationScope = {
    store,
    conversation,
    depth: 0,
    expanded: expanded.current,
    renderNested: () => null,
  };
  return (
    <ConversationContext.Provider value={scope}>
      <section class="dialogs" aria-label="Questions of the agent">
        {closedDialogs.map((dialog) => (
          <ClosedNotice key={dialog.id} store={store} dialog={dialog} />
        ))}
        {links.map((link) => (
          <LinkCard key={link.id} store={store} {...link} />
        ))}
        {first ? <Dialog key={first.id} store={store} dialog={first} /> : null}
        {dialogs.length > 1 ? <p class="quiet">{formatCount(dialogs.length - 1, 'more question')}</p> : null}
      </section>
    </ConversationContext.Provider>
  );
}

function Dialog({ store, dialog }: { readonly store: SessionStore; readonly dialog: DialogRequest }) {
  useLayoutEffect(() => leaveDialog, []);
  const answer = (value: object) => store.answerDialog(dialog.id, value);
  if (dialog.method === 'select') {
    return dialog.toolCall ? (
      <ApprovalDialog dialog={dialog} call={dialog.toolCall} onAnswer={answer} />
    ) : (
      <SelectDialog dialog={dialog} onAnswer={answer} />
    );
  }
  if (dialog.method === 'confirm') return <ConfirmDialog dialog={dialog} onAnswer={answer} />;
  if (dialog.method === 'input') return <InputDialog dialog={dialog} onAnswer={answer} />;
  return <EditorDialog dialog={dialog} onAnswer={answer} />;
}

/** Otherwise the focus would be lost with the dialog that had it, also if another client has answered: the next keys would be shortcuts. */
function leaveDialog(): void {
  if (document.activeElement?.closest('[data-dialog]')) document.getElementById('prompt')?.focus();
}

const OUTCOMES: Readonly<Record<ClosedDialog['outcome'], string>> = {
  answered: 'was answered',
  withdrawn: 'was withdrawn',
  timedOut: 'was not answered in time',
};

/** Disappears by itself. */
function ClosedNotice({ store, dialog }: { readonly store: SessionStore; readonly dialog: ClosedDialog }) {
  const { id, title, outcome, answeredBy } = dialog;
  useEffect(() => {
    const timer = setTimeout(() => store.dismissDialog(id), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [id]);
  return (
    <p class="closed-dialog" role="status">
      <Icon name="info" size={14} />
      <span>
        “{title}” {OUTCOMES[outcome]}
        {answeredBy ? ` by ${answeredBy}` : ''}
      </span>
      <IconButton icon="close" label="Dismiss" onClick={() => store.dismissDialog(id)} />
    </p>
  );
}

interface LinkCardProps {
  readonly store: SessionStore;
  readonly id: string;
  readonly url: string;
  readonly instructions: string | undefined;
}

function LinkCard({ store, id, url, instructions }: LinkCardProps) {
  const address = toSafeLink(url);
  return (
    <div class="dialog link-card">
      <Icon name="link" />
      <div>
        {instructions ? <p>{instructions}</p> : null}
        {address ? (
          <a href={address} target="_blank" rel="noopener noreferrer">
            {url}
          </a>
        ) : (
          <code>{url}</code>
        )}
      </div>
      <IconButton icon="close" label="Dismiss" onClick={() => store.dismissLink(id)} />
    </div>
  );
}

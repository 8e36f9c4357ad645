// A session: its head, the conversation, questions, queued messages, and the prompt.
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { announce, canChange, isSidebarOpen, openPanel, refreshSessions } from '../app/app-state.ts';
import type { SessionStore } from '../app/session-store.ts';
import { ConversationView } from '../conversation/conversation-view.tsx';
import type { ListScroller } from '../conversation/list-scroller.ts';
import { DialogStack } from '../dialogs/dialog-stack.tsx';
import { QueuePanel } from '../panels/queue-panel.tsx';
import { SidePanel } from '../panels/side-panel.tsx';
import { readText } from '../panels/tree-layout.ts';
import { shorten } from '../parts/format.ts';
import { Icon } from '../parts/icon.tsx';
import { PHONE, useMediaQuery } from '../parts/use-media-query.ts';
import { PromptEditor } from '../prompt/prompt-editor.tsx';
import type { Conversation } from '../store/conversation.ts';
import { isRunning } from '../store/session-view.ts';
import { ConnectionBar } from './connection-bar.tsx';
import { SessionHeader } from './session-header.tsx';

export function SessionPage({ store }: { readonly store: SessionStore }) {
  const view = store.view.value;
  const isCovered = useMediaQuery(PHONE) && (isSidebarOpen.value || openPanel.value !== undefined);
  const list = useRef<ListScroller | null>(null);
  const onMissing = useMemo(() => (index: number) => void store.loadMessages(index), [store]);
  useAnnouncements(store);
  useListRefresh(store);
  return (
    <>
      <main class="session" inert={isCovered}>
        <SessionHeader store={store} />
        <ConnectionBar store={store} />
        {view.isLoaded && isEmpty(view.conversation) ? (
          <EmptyConversation />
        ) : (
          <ConversationView
            store={store}
            conversation={view.conversation}
            label="Conversation"
            onMissing={onMissing}
            handle={list}
          />
        )}
        <div class="dock">
          <div class="dock-column">
            <Widgets store={store} />
            {view.isInterrupted && !isRunning(view) && canChange.value ? <ContinueBar store={store} /> : null}
            {canChange.value ? <DialogStack store={store} /> : null}
            <QueuePanel store={store} />
            <PromptEditor store={store} onStart={() => list.current?.scrollToEnd()} />
          </div>
        </div>
      </main>
      <SidePanel store={store} />
    </>
  );
}

function isEmpty({ messages, openMessage, notices }: Conversation): boolean {
  return messages.length === 0 && openMessage === undefined && notices.length === 0;
}

function EmptyConversation() {
  return (
    <div class="empty-conversation">
      <Icon name="terminal" size={28} />
      <p>What should be done?</p>
      <p class="quiet">Write a prompt below. Press ? for the shortcuts.</p>
    </div>
  );
}

function ContinueBar({ store }: { readonly store: SessionStore }) {
  return (
    <div class="continue-bar" role="status">
      <Icon name="warning" size={14} />
      <span>The last run was interrupted.</span>
      <button type="button" class="button small primary" onClick={() => void store.run('continue_run')}>
        <Icon name="play" size={12} /> Continue
      </button>
    </div>
  );
}

/** Lines that extensions show above the prompt. */
function Widgets({ store }: { readonly store: SessionStore }) {
  const { widgets } = store.view.value;
  if (widgets.size === 0) return null;
  return (
    <div class="widgets">
      {[...widgets].map(([key, lines]) => (
        <pre key={key}>{lines.join('\n')}</pre>
      ))}
    </div>
  );
}

const MAX_ANNOUNCED = 300;

/** Reads out the end of an answer, not every delta. */
function useAnnouncements(store: SessionStore): void {
  const { conversation, isLoaded } = store.view.value;
  const { messages, generation } = conversation;
  const seen = useRef({ generation, count: messages.length });
  useEffect(() => {
    const isNew = seen.current.generation === generation && messages.length > seen.current.count;
    seen.current = { generation, count: messages.length };
    const last = messages.at(-1);
    if (!isLoaded || !isNew || last?.role !== 'assistant') return;
    const text = readText(last.content);
    if (text !== '') announce(`Answer: ${shorten(text, MAX_ANNOUNCED)}`);
  }, [messages.length, generation]);
}

/** The list shows the state and the cost of this session too. */
function useListRefresh(store: SessionStore): void {
  const view = store.view.value;
  const running = isRunning(view);
  const name = view.state?.sessionName;
  const waiting = view.dialogs.length > 0;
  useEffect(() => {
    if (view.isLoaded) void refreshSessions();
  }, [running, name, waiting, view.sessionId, view.isLoaded]);
}

// The head of a session: its name, state, cost, context use, and the buttons of its panels.
import { useState } from 'preact/hooks';
import {
  canChange,
  currentActivity,
  findSummary,
  forgetStore,
  isRefused,
  isSidebarOpen,
  openPanel,
  refreshSessions,
  showToast,
  togglePanel,
} from '../app/app-state.ts';
import { deleteSession, forkSession, getExportUrl, renameSession } from '../app/http-api.ts';
import { navigate } from '../app/router.ts';
import type { SessionStore } from '../app/session-store.ts';
import { PANELS } from '../panels/side-panel.tsx';
import { IconButton } from '../parts/button.tsx';
import { formatCost, formatShort } from '../parts/format.ts';
import { Icon } from '../parts/icon.tsx';
import { Menu, type MenuItem } from '../parts/menu.tsx';
import { Modal } from '../parts/modal.tsx';
import { useFocus } from '../parts/use-focus.ts';
import { isRunning, type SessionView } from '../store/session-view.ts';
import { countTodos } from '../store/todo-list.ts';
import { findTitle } from './session-title.ts';

export function SessionHeader({ store }: { readonly store: SessionStore }) {
  const [dialog, setDialog] = useState<'rename' | 'delete' | undefined>(undefined);
  const view = store.view.value;
  const title = findTitle(view);
  const close = () => setDialog(undefined);
  return (
    <header class="session-head">
      <IconButton icon="menu" label="Sessions" class="phone-only" onClick={() => (isSidebarOpen.value = true)} />
      <div class="session-name">
        <h1 title={title} dir="auto">
          {title}
        </h1>
        <SessionFacts view={view} />
      </div>
      <nav class="panel-buttons" aria-label="Panels">
        {PANELS.map(({ name, title: label, icon, key }) => (
          <IconButton
            key={name}
            icon={icon}
            label={`${label} (${key})`}
            id={`panel-button-${name}`}
            isPressed={openPanel.value === name}
            badge={getBadge(name, view)}
            onClick={() => togglePanel(name)}
          />
        ))}
        <Menu label="Actions of the session" items={listActions(store, setDialog)} />
      </nav>
      {dialog === 'rename' ? <RenameDialog store={store} title={title} onClose={close} /> : null}
      {dialog === 'delete' ? <DeleteDialog store={store} title={title} onClose={close} /> : null}
    </header>
  );
}

function getBadge(name: string, { state, subagents }: SessionView): string | number | undefined {
  if (name === 'todos') {
    const { done, total } = countTodos(state?.todoPhases ?? []);
    return total > 0 && done < total ? total - done : undefined;
  }
  if (name !== 'subagents') return undefined;
  const running = [...subagents.values()].filter(({ status }) => status === 'running').length;
  return running > 0 ? running : undefined;
}

function SessionFacts({ view }: { readonly view: SessionView }) {
  const { totals, state, access, statusTexts } = view;
  const limit = state?.model?.contextWindow;
  const share = limit && totals.contextTokens ? Math.min(1, totals.contextTokens / limit) : undefined;
  const { cwd, cost = 0 } = findSummary(view.sessionId) ?? {};
  return (
    <p class="session-facts">
      <StateBadge view={view} />
      {access === 'read' && view.isLoaded ? <span class="badge-text">read-only</span> : null}
      {/* The list counts all branches, but is older than the events of this branch. */}
      <span class="fact" title={`Cost of the session; of this branch: ${formatCost(totals.cost)}`}>
        {formatCost(Math.max(totals.cost, cost))}
      </span>
      {share === undefined ? null : (
        <span
          class="fact context-fact"
          title={`${formatShort(totals.contextTokens ?? 0)} of ${formatShort(limit ?? 0)} tokens`}
        >
          <span class="meter" aria-hidden="true">
            <span style={{ width: `${share * 100}%` }} />
          </span>
          {Math.round(share * 100)} % context
        </span>
      )}
      {[...statusTexts].map(([key, text]) => (
        <span key={key} class="fact">
          {text}
        </span>
      ))}
      {cwd ? (
        <span class="fact cwd" title={cwd}>
          {cwd}
        </span>
      ) : null}
    </p>
  );
}

function StateBadge({ view }: { readonly view: SessionView }) {
  const { isInterrupted, compaction, retry, runClient, clientId } = view;
  if (isRefused.value) return <span class="state-badge">not connected</span>;
  if (!view.isLoaded) return <span class="state-badge">loading</span>;
  if (currentActivity.value === 'waiting') return <span class="state-badge waiting">waiting for an answer</span>;
  if (compaction) return <span class="state-badge running">compacting</span>;
  if (retry) return <span class="state-badge waiting">retrying</span>;
  if (isRunning(view)) {
    const by = runClient && runClient !== clientId ? `, asked by ${runClient}` : '';
    return <span class="state-badge running">running{by}</span>;
  }
  return isInterrupted ? <span class="state-badge waiting">interrupted</span> : <span class="state-badge">idle</span>;
}

function listActions(store: SessionStore, setDialog: (dialog: 'rename' | 'delete') => void): MenuItem[] {
  const { sessionId } = store.view.value;
  const read: MenuItem[] = [
    {
      label: 'Export as HTML',
      icon: 'download',
      onSelect: () => void open(getExportUrl(sessionId), '_blank', 'noopener'),
    },
  ];
  if (!canChange.value) return read;
  return [
    { label: 'Rename', icon: 'edit', onSelect: () => setDialog('rename') },
    { label: 'Fork', icon: 'fork', onSelect: () => void fork(sessionId) },
    { label: 'Compact the context', icon: 'down', onSelect: () => void store.run('compact') },
    ...read,
    { label: 'Delete', icon: 'trash', isDangerous: true, onSelect: () => setDialog('delete') },
  ];
}

async function fork(sessionId: string): Promise<void> {
  try {
    const id = await forkSession(sessionId);
    navigate(id);
    showToast('The session was copied. This is the copy.', 'info');
    await refreshSessions();
  } catch (thrown) {
    showToast((thrown as Error).message);
  }
}

interface DialogProps {
  readonly store: SessionStore;
  readonly title: string;
  readonly onClose: () => void;
}

function RenameDialog({ store, title, onClose }: DialogProps) {
  const [name, setName] = useState(title);
  const field = useFocus<HTMLInputElement>();
  const save = async () => {
    try {
      await renameSession(store.view.value.sessionId, name);
      onClose();
      await refreshSessions();
    } catch (thrown) {
      showToast((thrown as Error).message);
    }
  };
  return (
    <Modal title="Rename the session" onClose={onClose}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <label>
          Name
          <input
            ref={field}
            type="text"
            class="field"
            value={name}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        </label>
        <div class="form-buttons">
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="button primary" disabled={name.trim() === ''}>
            Rename
          </button>
        </div>
      </form>
    </Modal>
  );
}

function DeleteDialog({ store, title, onClose }: DialogProps) {
  const { sessionId } = store.view.value;
  const remove = async () => {
    onClose();
    try {
      // The connection is closed first: it would report that the session has gone.
      navigate(undefined);
      forgetStore(sessionId);
      await deleteSession(sessionId);
      showToast('The session was deleted.', 'info');
    } catch (thrown) {
      showToast((thrown as Error).message);
    }
    await refreshSessions();
  };
  return (
    <Modal title="Delete the session?" onClose={onClose}>
      <p>“{title}” and its artifacts are removed from the disk. This cannot be undone.</p>
      <div class="form-buttons">
        <button type="button" class="button" onClick={onClose}>
          Cancel
        </button>
        <button type="button" class="button danger" onClick={() => void remove()}>
          <Icon name="trash" size={14} /> Delete
        </button>
      </div>
    </Modal>
  );
}

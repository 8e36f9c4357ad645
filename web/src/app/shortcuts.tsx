// Keys of the page, and the list of them.
import { closePanel, PANELS } from '../panels/side-panel.tsx';
import { isTextField } from '../parts/is-text-field.ts';
import { Modal } from '../parts/modal.tsx';
import { PHONE } from '../parts/use-media-query.ts';
import { moveInList } from '../sessions/session-list.tsx';
import { isRunning } from '../store/session-view.ts';
import {
  currentStore,
  isNewSessionOpen,
  isReadOnly,
  isShortcutListOpen,
  isSidebarOpen,
  openPanel,
  togglePanel,
} from './app-state.ts';

interface Shortcut {
  readonly key: string;
  readonly text: string;
  readonly run: () => void;
}

function focusElement(selector: string): void {
  document.querySelector<HTMLElement>(selector)?.focus();
}

function focusSearch(): void {
  if (matchMedia(PHONE).matches) isSidebarOpen.value = true;
  // The field can have the focus only when the list is visible.
  requestAnimationFrame(() => focusElement('#session-search'));
}

const SHORTCUTS: readonly Shortcut[] = [
  { key: '?', text: 'Show this list', run: () => (isShortcutListOpen.value = true) },
  { key: '/', text: 'Search sessions', run: focusSearch },
  { key: 'n', text: 'New session', run: () => (isNewSessionOpen.value = !isReadOnly.value) },
  { key: 'j', text: 'Next session', run: () => moveInList(1) },
  { key: 'k', text: 'Previous session', run: () => moveInList(-1) },
  { key: 'p', text: 'Go to the prompt', run: () => focusElement('#prompt') },
  {
    key: 'a',
    text: 'Go to the question of the agent',
    run: () => focusElement('[data-dialog] :is(input, textarea, .choices button)'),
  },
  { key: 'c', text: 'Go to the conversation', run: () => focusElement('.session .scroller') },
  ...PANELS.map(({ key, title, name }) => ({ key, text: `${title} panel`, run: () => togglePanel(name) })),
];

const EDITOR_KEYS = [
  ['Enter', 'Send the prompt; during a run: steer it'],
  ['Alt + Enter', 'During a run: follow up when it has ended'],
  ['Shift + Enter', 'New line'],
  ['Esc', 'Abort the run; close a list or a panel'],
  ['Tab', 'Complete a slash command'],
] as const;

export function startShortcuts(): void {
  addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.isComposing) return;
    if (event.key === 'Escape') return handleEscape();
    if (
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      isTextField(event.target) ||
      document.querySelector('dialog[open]')
    )
      return;
    const shortcut = SHORTCUTS.find(({ key }) => key === event.key);
    if (!shortcut) return;
    event.preventDefault();
    shortcut.run();
  });
}

function handleEscape(): void {
  if (document.querySelector('dialog[open]')) return;
  const store = currentStore.value;
  if (isSidebarOpen.value) isSidebarOpen.value = false;
  // In the prompt, the editor handles the key. In other fields it belongs to the field.
  else if (isTextField(document.activeElement)) return;
  else if (openPanel.value) closePanel();
  else if (store && isRunning(store.view.value) && store.view.value.access === 'full') void store.run('abort');
}

export function ShortcutList() {
  return (
    <Modal title="Shortcuts" onClose={() => (isShortcutListOpen.value = false)}>
      <div class="shortcuts">
        <dl>
          {SHORTCUTS.map(({ key, text }) => (
            <div key={key}>
              <dt>
                <kbd>{key}</kbd>
              </dt>
              <dd>{text}</dd>
            </div>
          ))}
        </dl>
        <h3>In the prompt</h3>
        <dl>
          {EDITOR_KEYS.map(([key, text]) => (
            <div key={key}>
              <dt>
                <kbd>{key}</kbd>
              </dt>
              <dd>{text}</dd>
            </div>
          ))}
        </dl>
      </div>
    </Modal>
  );
}

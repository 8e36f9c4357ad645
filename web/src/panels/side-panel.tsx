// The panel at the right: todo list, subagents, branch tree, usage, or frames.
import { isSidebarOpen, openPanel, type PanelName } from '../app/app-state.ts';
import type { SessionStore } from '../app/session-store.ts';
import { IconButton } from '../parts/button.tsx';
import type { IconName } from '../parts/icon-paths.ts';
import { useCoverFocus } from '../parts/use-cover-focus.ts';
import { PHONE, useMediaQuery } from '../parts/use-media-query.ts';
import { FramesPanel } from './frames-panel.tsx';
import { SubagentsPanel } from './subagents-panel.tsx';
import { TodoPanel } from './todo-panel.tsx';
import { TreePanel } from './tree-panel.tsx';
import { UsagePanel } from './usage-panel.tsx';

export const PANELS: readonly {
  readonly name: PanelName;
  readonly title: string;
  readonly icon: IconName;
  readonly key: string;
}[] = [
  { name: 'todos', title: 'Todo list', icon: 'todo', key: 't' },
  { name: 'subagents', title: 'Subagents', icon: 'agents', key: 's' },
  { name: 'tree', title: 'Branches', icon: 'branch', key: 'b' },
  { name: 'usage', title: 'Usage', icon: 'chart', key: 'u' },
  { name: 'frames', title: 'Frames', icon: 'frames', key: 'f' },
];

/** The focus returns to the button of the panel, if it was in the panel. */
export function closePanel(): void {
  const name = openPanel.value;
  const hasFocus = document.activeElement?.closest('.side-panel') !== null;
  openPanel.value = undefined;
  if (hasFocus) document.getElementById(`panel-button-${name}`)?.focus();
}

export function SidePanel({ store }: { readonly store: SessionStore }) {
  const panel = PANELS.find(({ name }) => name === openPanel.value);
  const isPhone = useMediaQuery(PHONE);
  const aside = useCoverFocus<HTMLElement>(isPhone && panel !== undefined);
  if (!panel) return null;
  const isCovered = isPhone && isSidebarOpen.value;
  return (
    <aside ref={aside} class={`side-panel ${panel.name}`} aria-label={panel.title} tabIndex={-1} inert={isCovered}>
      <header class="panel-head">
        <h2>{panel.title}</h2>
        <IconButton icon="close" label="Close the panel" onClick={closePanel} />
      </header>
      <div class="panel-body">{renderPanel(panel.name, store)}</div>
    </aside>
  );
}

function renderPanel(name: PanelName, store: SessionStore) {
  switch (name) {
    case 'todos':
      return <TodoPanel store={store} />;
    case 'subagents':
      return <SubagentsPanel store={store} />;
    case 'tree':
      return <TreePanel store={store} />;
    case 'usage':
      return <UsagePanel store={store} />;
    default:
      return <FramesPanel store={store} />;
  }
}

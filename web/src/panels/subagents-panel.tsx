// All subagents of a session, running and ended.
import { useRef } from 'preact/hooks';
import type { SessionStore } from '../app/session-store.ts';
import { ConversationContext, type ConversationScope } from '../conversation/conversation-context.ts';
import { ConversationView } from '../conversation/conversation-view.tsx';
import { SubagentPane } from '../conversation/subagent-panes.tsx';

export function SubagentsPanel({ store }: { readonly store: SessionStore }) {
  const { subagents, conversation } = store.view.value;
  const expanded = useRef(new Map<string, boolean>());
  const roots = [...subagents.values()].filter(({ parentId }) => parentId === undefined);
  if (roots.length === 0) {
    return <p class="quiet">No subagents yet. The model starts them with the task tool; they are listed here.</p>;
  }
  const scope: ConversationScope = {
    store,
    conversation,
    depth: 0,
    expanded: expanded.current,
    renderNested: (nested, label) => (
      <div class="nested">
        <ConversationView store={store} conversation={nested} label={label} depth={1} />
      </div>
    ),
  };
  return (
    <ConversationContext.Provider value={scope}>
      <div class="subagents">
        {roots.map((view) => (
          <SubagentPane key={view.id} view={view} />
        ))}
      </div>
    </ConversationContext.Provider>
  );
}

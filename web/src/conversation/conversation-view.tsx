// The conversation of a session, or of a subagent inside it.
import { useEffect, useMemo, useReducer, useRef } from 'preact/hooks';
import type { SessionStore } from '../app/session-store.ts';
import type { Conversation } from '../store/conversation.ts';
import { ConversationContext, type ConversationScope } from './conversation-context.ts';
import { ConversationRows, type Row } from './conversation-rows.ts';
import type { ListScroller } from './list-scroller.ts';
import { describeUsage, RowView } from './message-rows.tsx';
import { estimateRowHeight } from './row-height.ts';
import { VirtualList } from './virtual-list.tsx';

interface ConversationViewProps {
  readonly store: SessionStore;
  readonly conversation: Conversation;
  readonly label: string;
  readonly depth?: number;
  readonly onMissing?: (index: number) => void;
  readonly handle?: { current: ListScroller | null };
}

export function ConversationView(props: ConversationViewProps) {
  const { store, conversation, label, depth = 0, onMissing, handle } = props;
  const builder = useMemo(() => new ConversationRows(() => performance.now()), [store]);
  const expanded = useRef(new Map<string, boolean>());
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const { rows, hasMore } = builder.build(conversation);
  // A long text is parsed in several steps, one per animation frame.
  useEffect(() => {
    if (!hasMore) return;
    const frame = requestAnimationFrame(() => redraw(0));
    return () => cancelAnimationFrame(frame);
  });
  const scope: ConversationScope = {
    store,
    conversation,
    depth,
    expanded: expanded.current,
    renderNested: (nested, nestedLabel) => (
      <div class="nested">
        <ConversationView store={store} conversation={nested} label={nestedLabel} depth={depth + 1} />
      </div>
    ),
  };
  const loadMissing = useMemo(
    () => (drawn: readonly Row[]) => {
      const gaps = drawn.filter(({ kind }) => kind === 'gap');
      const pages = new Set(gaps.map(({ index }) => Math.floor(index / 100)));
      for (const page of pages) onMissing?.(page * 100);
    },
    [onMissing],
  );
  return (
    <ConversationContext.Provider value={scope}>
      <VirtualList
        rows={rows}
        generation={conversation.generation}
        label={label}
        estimateHeight={estimateRowHeight}
        onDrawn={loadMissing}
        class="conversation"
        {...(handle ? { handle } : {})}
        renderRow={(row) => (
          <div
            class={`row-content kind-${row.kind}`}
            title={row.kind === 'text' ? describeUsage(conversation.messages[row.index]) : undefined}
          >
            <RowView row={row} />
          </div>
        )}
      />
    </ConversationContext.Provider>
  );
}

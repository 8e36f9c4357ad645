// What the rows of a conversation share: which parts are expanded, and the session that they belong to.
import { type ComponentChildren, createContext } from 'preact';
import { useContext, useState } from 'preact/hooks';
import type { SessionStore } from '../app/session-store.ts';
import type { Conversation } from '../store/conversation.ts';

export interface ConversationScope {
  readonly store: SessionStore;
  readonly conversation: Conversation;
  /** By the key of a part: rows that leave the screen are removed and must look the same when they come back. */
  readonly expanded: Map<string, boolean>;
  /** Subagents of subagents are shown inside them. */
  readonly depth: number;
  /** Draws the conversation of a subagent. Passed in, because it contains calls, which contain subagents. */
  readonly renderNested: (conversation: Conversation, label: string) => ComponentChildren;
}

export const ConversationContext = createContext<ConversationScope | undefined>(undefined);

export function useConversation(): ConversationScope {
  const scope = useContext(ConversationContext);
  if (!scope) throw new Error('There is no conversation around this element');
  return scope;
}

export function useExpanded(key: string, isInitiallyExpanded: boolean): readonly [boolean, (value: boolean) => void] {
  const { expanded } = useConversation();
  const [, redraw] = useState(0);
  const set = (value: boolean) => {
    expanded.set(key, value);
    redraw((count) => count + 1);
  };
  return [expanded.get(key) ?? isInitiallyExpanded, set];
}

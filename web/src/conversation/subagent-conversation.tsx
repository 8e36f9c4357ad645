// The conversation of a subagent: from its events, or from its log if the page did not see its beginning.
import { useEffect, useState } from 'preact/hooks';
import type { SubagentView } from '../store/session-view.ts';
import { useConversation } from './conversation-context.ts';

export function SubagentConversation({ view }: { readonly view: SubagentView }) {
  const { store, renderNested } = useConversation();
  // After a lost connection it is tried again.
  const { attachCount } = store.view.value;
  const [problem, setProblem] = useState('');
  const [first] = view.conversation.messages;
  // The first message of a subagent is its task. Without it, the beginning was not seen.
  const isComplete = first?.role === 'user';
  useEffect(() => {
    if (isComplete) return;
    setProblem('');
    store.loadSubagent(view).catch((thrown: Error) => setProblem(thrown.message));
  }, [view.id, isComplete, attachCount]);
  if (isComplete) return <>{renderNested(view.conversation, `Conversation of ${view.id}`)}</>;
  if (problem !== '') return <p class="problem">The conversation could not be loaded: {problem}</p>;
  return <p class="quiet">Loading…</p>;
}

// Loads the tree of a session: when a panel is opened, when the conversation was replaced, and when a run has ended.
import { useEffect, useState } from 'preact/hooks';
import { callCommand } from '../app/http-api.ts';
import type { SessionStore } from '../app/session-store.ts';
import { isRunning } from '../store/session-view.ts';
import type { EntryTree } from './tree-layout.ts';

export interface LoadedTree {
  readonly tree: readonly EntryTree[];
  readonly leafId: string | null;
}

export type TreeState =
  | { readonly kind: 'loading' }
  | { readonly kind: 'failed'; readonly reason: string }
  | ({ readonly kind: 'loaded' } & LoadedTree);

export function useTree(store: SessionStore): TreeState {
  const { sessionId, conversation, state, attachCount } = store.view.value;
  const running = isRunning({ state });
  const [tree, setTree] = useState<TreeState>({ kind: 'loading' });
  // While a run is in progress the tree is loaded again after each message.
  const version = [sessionId, attachCount, conversation.generation, running, conversation.messages.length].join(' ');
  useEffect(() => {
    let isCurrent = true;
    callCommand(sessionId, 'get_tree').then(
      (reply) => isCurrent && setTree({ kind: 'loaded', ...(reply as LoadedTree) }),
      (thrown: Error) => isCurrent && setTree({ kind: 'failed', reason: thrown.message }),
    );
    return () => {
      isCurrent = false;
    };
  }, [version]);
  return tree;
}

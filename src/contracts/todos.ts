// Ground floor: the list of things to do that belongs to a conversation.
import type { TodoItem } from '../protocol/index.ts';

export interface Todos {
  list(): Promise<readonly TodoItem[]>;
  /** Resolves when the list is kept: beside the session, or only in memory when the session is not kept either. */
  replace(todos: readonly TodoItem[]): Promise<{ updatedAt: number; storage: 'session' | 'memory' }>;
}

// The todo list of a session.
import type { TodoItem } from '../protocol/index.ts';

export interface TodoList {
  list(): Promise<readonly TodoItem[]>;
  /** Resolves when the list is stored: next to the session log, or in memory when the session is not persisted. */
  replace(todos: readonly TodoItem[]): Promise<{ updatedAt: number; storage: 'session' | 'memory' }>;
}

// The todo list of the session, stored next to the log, and the reminder of open items when the model stops.
import { array, object, safeParse } from 'valibot';
import type { TodoList } from '../../contracts/index.ts';
import { type AssistantMessage, type TodoItem, todoItem } from '../../protocol/index.ts';
import type { SessionState } from './session-state.ts';

const TODO_FILE = 'todos.json';
const todoFile = object({ todos: array(todoItem) });

export class TodoFacet implements TodoList {
  readonly #state: SessionState;
  #items: readonly TodoItem[] | undefined;
  /** Since the last prompt. */
  reminderCount = 0;

  constructor(state: SessionState) {
    this.#state = state;
    // A new session has no list. Not reading the file keeps the first reply fast.
    if (!state.options.resumed) this.#items = [];
  }

  async list(): Promise<readonly TodoItem[]> {
    this.#items ??= await this.#read();
    return this.#items;
  }

  async replace(todos: readonly TodoItem[]): Promise<{ updatedAt: number; storage: 'session' | 'memory' }> {
    const { sidecarFiles, conversation, ports } = this.#state;
    const updatedAt = ports.clock.now();
    await sidecarFiles.write(TODO_FILE, `${JSON.stringify({ todos, updatedAt }, null, 2)}\n`);
    this.#items = todos;
    if (this.#openItems.length === 0) this.reminderCount = 0;
    return { updatedAt, storage: conversation.file === undefined ? 'memory' : 'session' };
  }

  /** A new prompt resets the reminder count. */
  async onPrompt(): Promise<void> {
    this.reminderCount = 0;
    if (this.#state.options.todos?.reminders) await this.list();
  }

  /** True if the model stopped by itself and items are open. */
  shouldRemind({ stopReason }: AssistantMessage): boolean {
    const { todos } = this.#state.options;
    if (!todos?.reminders || stopReason === 'error' || stopReason === 'aborted') return false;
    // If the last answer of a run has tool calls, the tools themselves asked to end the run.
    if (stopReason === 'toolUse') return false;
    return this.#openItems.length > 0 && this.reminderCount < todos.maxReminders;
  }

  async remind(): Promise<boolean> {
    const maxAttempts = this.#state.options.todos?.maxReminders ?? 0;
    const todos = [...this.#openItems];
    this.reminderCount += 1;
    const attempt = this.reminderCount;
    await this.#state.broadcast.emit({ type: 'todo_reminder', todos, attempt, maxAttempts });
    const content = formatReminder(todos, `${attempt}/${maxAttempts}`);
    await this.#state.conversation.record([
      { type: 'custom_message', customType: 'todo-reminder', content, display: false },
    ]);
    return true;
  }

  /** Called after a switch to another conversation, which has its own list. */
  reset(): void {
    this.#items = undefined;
    this.reminderCount = 0;
  }

  get #openItems(): readonly TodoItem[] {
    return (this.#items ?? []).filter(({ status }) => status === 'pending' || status === 'in_progress');
  }

  async #read(): Promise<readonly TodoItem[]> {
    try {
      const parsed = safeParse(todoFile, JSON.parse((await this.#state.sidecarFiles.read(TODO_FILE)) ?? 'null'));
      return parsed.success ? parsed.output.todos : [];
    } catch {
      // Unreadable or invalid file: start with an empty list.
      return [];
    }
  }
}

function formatReminder(todos: readonly TodoItem[], count: string): string {
  const lines = todos.map(({ content, status }) => `- ${content}${status === 'in_progress' ? ' (in progress)' : ''}`);
  return [
    '<system_reminder>',
    'You stopped, but these todo items are not completed:',
    ...lines,
    'Continue with them, or remove the items that are no longer needed.',
    `(Reminder ${count})`,
    '</system_reminder>',
  ].join('\n');
}

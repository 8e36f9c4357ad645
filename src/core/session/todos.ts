// First floor, core: the list of things to do, kept beside the log, and the reminder of what is left when the model stops.
import { array, object, safeParse } from 'valibot';
import type { Todos } from '../../contracts/index.ts';
import { type AssistantMessage, type TodoItem, todoItem } from '../../protocol/index.ts';
import type { Seat } from './seat.ts';

const FILE = 'todos.json';
const list = object({ todos: array(todoItem) });

export class TodoFacet implements Todos {
  readonly #seat: Seat;
  #items: readonly TodoItem[] | undefined;
  #reminded = 0;

  constructor(seat: Seat) {
    this.#seat = seat;
  }

  async list(): Promise<readonly TodoItem[]> {
    this.#items ??= await this.#read();
    return this.#items;
  }

  async replace(todos: readonly TodoItem[]): Promise<{ updatedAt: number; storage: 'session' | 'memory' }> {
    const { kept, conversation, ports } = this.#seat;
    const updatedAt = ports.clock.now();
    await kept.write(FILE, `${JSON.stringify({ todos, updatedAt }, null, 2)}\n`);
    this.#items = todos;
    if (this.#left.length === 0) this.#reminded = 0;
    return { updatedAt, storage: conversation.file === undefined ? 'memory' : 'session' };
  }

  /** A person has spoken: whatever is left, it is counted anew. */
  async prompted(): Promise<void> {
    this.#reminded = 0;
    if (this.#seat.options.todos?.reminders) await this.list();
  }

  /** The model stopped of its own accord with things left to do. */
  isDue({ stopReason }: AssistantMessage): boolean {
    const { todos } = this.#seat.options;
    if (!todos?.reminders || stopReason === 'error' || stopReason === 'aborted') return false;
    // The last answer of a run still calls tools only when these asked to end the run.
    if (stopReason === 'toolUse') return false;
    return this.#left.length > 0 && this.#reminded < todos.maxReminders;
  }

  async remind(): Promise<boolean> {
    const maxAttempts = this.#seat.options.todos?.maxReminders ?? 0;
    const todos = [...this.#left];
    this.#reminded += 1;
    const attempt = this.#reminded;
    await this.#seat.broadcast.emit({ type: 'todo_reminder', todos, attempt, maxAttempts });
    const content = reminder(todos, `${attempt}/${maxAttempts}`);
    await this.#seat.conversation.record([
      { type: 'custom_message', customType: 'todo-reminder', content, display: false },
    ]);
    return true;
  }

  /** Another conversation has its own list. */
  reset(): void {
    this.#items = undefined;
    this.#reminded = 0;
  }

  get #left(): readonly TodoItem[] {
    return (this.#items ?? []).filter(({ status }) => status === 'pending' || status === 'in_progress');
  }

  async #read(): Promise<readonly TodoItem[]> {
    try {
      const parsed = safeParse(list, JSON.parse((await this.#seat.kept.read(FILE)) ?? 'null'));
      return parsed.success ? parsed.output.todos : [];
    } catch {
      // Not there, or not ours: the list begins empty.
      return [];
    }
  }
}

function reminder(todos: readonly TodoItem[], count: string): string {
  const lines = todos.map(({ content, status }) => `- ${content}${status === 'in_progress' ? ' (in progress)' : ''}`);
  return [
    '<system_reminder>',
    'You stopped, but these things are still to do:',
    ...lines,
    'Go on with them, or take off the list what need not be done.',
    `(Reminder ${count})`,
    '</system_reminder>',
  ].join('\n');
}

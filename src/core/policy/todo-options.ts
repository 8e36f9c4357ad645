// Options for reminders of open to-do items.

export interface TodoOptions {
  readonly reminders: boolean;
  readonly maxReminders: number;
}

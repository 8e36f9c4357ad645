// First floor, core: how insistent the reminder of things to do is. Words only.

export interface TodoOptions {
  readonly reminders: boolean;
  readonly maxReminders: number;
}

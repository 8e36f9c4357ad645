// The interface of the limits of a session, and its implementation without limits.
import type { AgentMessage, EntryBody, Usage } from '../../protocol/index.ts';
import type { RunLimits } from '../agent/run-scope.ts';
import type { Spending } from '../policy/budget.ts';
import type { BudgetAccount } from './parent-link.ts';

export interface SessionLimits extends RunLimits, BudgetAccount {
  /** Throws if no new work may start. */
  assertWithinBudget(): void;
  /** Called when a prompt was accepted. `stop` is called at the wall-time limit, because the next safe point may come too late. */
  startRun(stop: () => void): void;
  /** Called at the end of a run: a queued message that continues it gets the full number of turns. */
  resetTurns(): void;
  /** Stops counting time: time between runs is not counted. */
  endRun(): void;
  /** Counts the time of work outside of a run. Returns a function that ends it. `stop` is called at the wall-time limit. */
  startWork(stop: () => void): () => void;
  /** Called after a switch to another conversation or another branch. */
  onConversationChanged(): undefined | Promise<void>;
  chargeUsage(usage: Usage): undefined | Promise<void>;
  /** Log entries with the spending so far, including `message`, which is about to be stored. Empty if the log is up to date. */
  takeSpendingEntries(message?: AgentMessage): EntryBody[];
  /** Called when these limits replace others. Counts the earlier spending and emits the events that become due. */
  adoptSpending(spent: Spending | undefined): undefined | Promise<void>;
  /** The spending so far, for a checkpoint. */
  readonly spent: Spending | undefined;
}

/** Counts and stores nothing. */
export const UNLIMITED: SessionLimits = {
  haltReason: undefined,
  exceededLimit: undefined,
  stoppingLimit: undefined,
  spent: undefined,
  countToolCall: () => undefined,
  countTurn: () => undefined,
  assertWithinBudget() {},
  startRun() {},
  resetTurns() {},
  endRun() {},
  startWork: () => () => {},
  onConversationChanged: () => undefined,
  charge: () => undefined,
  chargeUsage: () => undefined,
  adoptSpending: () => undefined,
  takeSpendingEntries: () => [],
};

// First floor, core: what the facets of a session ask of its limits, and a session without any. Counts nothing.
import type { AgentMessage, EntryBody, Usage } from '../../protocol/index.ts';
import type { RunLimits } from '../agent/scope.ts';
import type { Spending } from '../policy/budget.ts';
import type { Purse } from './family.ts';

export interface Limits extends RunLimits, Purse {
  /** Throws when nothing new is taken on. */
  refuse(): void;
  /** A prompt was accepted. `stop` ends it when its time is up, for nobody knows when the next safe point would come. */
  begin(stop: () => void): void;
  /** A queued message follows the run: it may take as many turns as a prompt. */
  restartTurns(): void;
  /** Time between runs does not count. */
  end(): void;
  /** The session has taken another conversation, or stands elsewhere in this one. */
  arrived(): undefined | Promise<void>;
  spendUsage(usage: Usage): undefined | Promise<void>;
  /** What was spent so far, for the log; with a message that is about to be kept. Empty when the log knows it already. */
  ledger(message?: AgentMessage): EntryBody[];
  /** These limits take the place of others: what was spent under those counts, and what is due by it is said now. */
  inherit(spent: Spending | undefined): undefined | Promise<void>;
  /** The same for a checkpoint. */
  readonly spent: Spending | undefined;
}

/** Nothing is limited: nothing is counted, told or kept. */
export const UNLIMITED: Limits = {
  halted: undefined,
  violation: undefined,
  exhausted: undefined,
  spent: undefined,
  toolStarts: () => undefined,
  turnOver: () => undefined,
  refuse() {},
  begin() {},
  restartTurns() {},
  end() {},
  arrived: () => undefined,
  spend: () => undefined,
  spendUsage: () => undefined,
  inherit: () => undefined,
  ledger: () => [],
};

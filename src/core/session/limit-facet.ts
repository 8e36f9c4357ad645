// Enforces the budget and turn limits of a session and stores what was spent in its log. Loaded only if there is a limit.
import { Fault } from '../../base/index.ts';
import type { Cancel } from '../../contracts/index.ts';
import type { AgentMessage, AssistantMessage, BudgetReason, EntryBody, Usage } from '../../protocol/index.ts';
import { addSpending, type Budget, createBudget, type Spending, usageToSpending } from '../policy/budget.ts';
import type { BudgetLimits } from '../policy/budget-limits.ts';
import type { BudgetAccount } from './parent-link.ts';
import { readSpending, SPENDING_ENTRY } from './read-spending.ts';
import type { SessionLimits } from './session-limits.ts';
import type { SessionState } from './session-state.ts';

/** A subagent has no limits of its own. Its spending is counted and charged to its parent. */
const COUNT_ONLY = { warnAtRatio: 1 };
/** How often spending is logged if no message is stored meanwhile, for example spending of subagents. */
const LOG_INTERVAL_MS = 1000;
/** The maximum run time that a crash can lose. */
const MAX_UNLOGGED_MS = 15_000;

export class LimitFacet implements SessionLimits {
  readonly #state: SessionState;
  readonly #parentAccount: BudgetAccount | undefined;
  /** Fixed for this facet: new limits get a new facet. */
  readonly #limits: BudgetLimits | undefined;
  #budget: Budget | undefined;
  #turns = 0;
  /** The work in progress, a run and tasks of the host: when its time was last counted, and how to stop it. */
  #work: { countedMs: number; readonly stops: Set<() => void> } | undefined;
  #endRun = () => {};
  #cancelTimer: Cancel = () => {};
  /** This subagent has reported that the budget of its parent stopped it. */
  #isExceededReported = false;
  /** Usage of an answer that is already in the log. It is counted when its turn ends. */
  #pendingUsage: Spending = {};
  /** The conversation of this spending, and the state that was last written to its log. */
  #logged: { id: string; json: string; atMs: number };

  constructor(state: SessionState) {
    this.#state = state;
    this.#parentAccount = state.options.parentLink?.budgetAccount;
    this.#limits = state.options.budget;
    this.#logged = this.#restoreBudget();
  }

  get haltReason(): string | undefined {
    if (this.#blockingLimit) return formatBudgetError(this.#blockingLimit);
    const { maxTurns } = this.#state.options;
    return maxTurns !== undefined && this.#turns >= maxTurns ? formatTurnLimit(maxTurns) : undefined;
  }

  get exceededLimit(): BudgetReason | undefined {
    return this.#budget?.exceededLimit ?? this.#parentAccount?.exceededLimit;
  }

  get stoppingLimit(): BudgetReason | undefined {
    return this.#budget?.findExceededLimitExcept('subagents') ?? this.#parentAccount?.stoppingLimit;
  }

  assertWithinBudget(): void {
    if (this.#blockingLimit) throw new Fault('refused', formatBudgetError(this.#blockingLimit));
  }

  get #blockingLimit(): BudgetReason | undefined {
    return this.#parentAccount ? this.stoppingLimit : this.exceededLimit;
  }

  startRun(stop: () => void): void {
    this.#turns = 0;
    this.#endRun = this.startWork(stop);
  }

  startWork(stop: () => void): () => void {
    if (!this.#budget) return () => {};
    // The timer is set from the time that is counted.
    if (this.#work) void this.charge({});
    this.#work ??= { countedMs: this.#state.ports.clock.now(), stops: new Set() };
    this.#work.stops.add(stop);
    this.#setTimer();
    return () => this.#endWork(stop);
  }

  #endWork(stop: () => void): void {
    void this.charge({});
    this.#work?.stops.delete(stop);
    if (this.#work?.stops.size === 0) {
      this.#work = undefined;
      this.#cancelTimer();
    }
    void this.#logSpending();
  }

  resetTurns(): void {
    this.#turns = 0;
  }

  endRun(): void {
    this.#endRun();
  }

  onConversationChanged(): undefined | Promise<void> {
    const { conversation } = this.#state;
    if (conversation.header.id !== this.#logged.id) {
      this.#logged = this.#restoreBudget();
      return undefined;
    }
    // The new branch does not contain the spending that was logged on the other branches.
    this.#logged.json = '';
    return conversation.record(this.takeSpendingEntries());
  }

  adoptSpending(spent: Spending = this.#budget?.spent ?? {}): undefined | Promise<void> {
    if (!this.#limits) return undefined;
    this.#budget = createBudget(this.#limits);
    const events = this.#budget.charge(spent);
    return waitForAll(events.map((item) => this.#state.broadcast.emit(item)));
  }

  countToolCall(): undefined | Promise<void> {
    return this.charge({ toolCalls: 1 });
  }

  countTurn(answer: AssistantMessage, needsAnotherTurn: boolean): undefined | Promise<void> {
    this.#turns += 1;
    this.#pendingUsage = {};
    const charged = this.chargeUsage(answer.usage);
    const { maxTurns } = this.#state.options;
    if (this.#turns !== maxTurns || !needsAnotherTurn || this.#budget?.exceededLimit) return charged;
    const notice = { type: 'notice', level: 'warning', message: formatTurnLimit(maxTurns), source: 'limits' } as const;
    return waitForAll([charged, this.#state.broadcast.emit(notice)]);
  }

  chargeUsage(usage: Usage): undefined | Promise<void> {
    return this.charge(usageToSpending(usage));
  }

  charge(spending: Spending): undefined | Promise<void> {
    if (!this.#budget) return undefined;
    const events = this.#budget.charge({ ...spending, wallTimeMs: this.#takeElapsedMs() });
    // Wall time is not charged to the parent: the parent counts its own.
    if (this.#parentAccount) return waitForAll([this.#parentAccount.charge(spending), this.#reportExceededOnce()]);
    const isDue = spending.subagents || this.#state.ports.clock.now() - this.#logged.atMs >= LOG_INTERVAL_MS;
    const logging = this.#work && isDue ? this.#logSpending() : undefined;
    return waitForAll([logging, ...events.map((item) => this.#state.broadcast.emit(item))]);
  }

  get spent(): Spending | undefined {
    if (!this.#budget || this.#parentAccount) return undefined;
    const since = this.#work ? this.#state.ports.clock.now() - this.#work.countedMs : 0;
    return addSpending(this.#budget.spent, { ...this.#pendingUsage, wallTimeMs: Math.max(0, since) });
  }

  takeSpendingEntries(message?: AgentMessage): EntryBody[] {
    if (message?.role === 'assistant') this.#pendingUsage = usageToSpending(message.usage);
    const data = this.spent;
    const json = JSON.stringify(data);
    if (!data || json === this.#logged.json) return [];
    this.#logged = { ...this.#logged, json, atMs: this.#state.ports.clock.now() };
    return [{ type: 'custom', customType: SPENDING_ENTRY, data }];
  }

  #logSpending(): undefined | Promise<void> {
    const entries = this.takeSpendingEntries();
    return entries.length > 0 ? this.#state.conversation.record(entries) : undefined;
  }

  /** Creates the budget of the open conversation, with the spending from its log. */
  #restoreBudget(): { id: string; json: string; atMs: number } {
    const { conversation, ports } = this.#state;
    const limits = this.#limits;
    const spent = this.#parentAccount || !limits ? undefined : readSpending(conversation.lazyPath);
    if (this.#parentAccount) this.#budget = createBudget(COUNT_ONLY, 'subagent');
    else this.#budget = limits && createBudget(limits, 'session', spent);
    this.#pendingUsage = {};
    return { id: conversation.header.id, json: JSON.stringify(this.spent) ?? '', atMs: ports.clock.now() };
  }

  /** The run time since the previous call. */
  #takeElapsedMs(): number {
    if (!this.#work) return 0;
    const now = this.#state.ports.clock.now();
    const elapsedMs = Math.max(0, now - this.#work.countedMs);
    this.#work.countedMs = now;
    return elapsedMs;
  }

  #reportExceededOnce(): undefined | Promise<void> {
    const reason = this.#parentAccount?.stoppingLimit;
    if (!reason || this.#isExceededReported || !this.#budget) return undefined;
    this.#isExceededReported = true;
    const snapshot = { ...this.#budget.snapshot(reason), status: 'exceeded' as const };
    return this.#state.options.parentLink?.emit({ type: 'budget_exceeded', scope: 'subagent', snapshot });
  }

  /** Fires at the next wall-time threshold, and at least every MAX_UNLOGGED_MS, so that a crash loses little run time. */
  #setTimer(): void {
    const { maxWallTimeMs, warnAtRatio = 1 } = this.#limits ?? {};
    this.#cancelTimer();
    if (maxWallTimeMs === undefined || !this.#budget || !this.#work) return;
    const { wallTimeMs } = this.#budget.spent;
    const thresholds = [maxWallTimeMs * warnAtRatio, maxWallTimeMs];
    const next = thresholds.find((threshold) => threshold > wallTimeMs);
    if (next === undefined) return;
    const delayMs = Math.min(Math.ceil(next - wallTimeMs), MAX_UNLOGGED_MS);
    this.#cancelTimer = this.#state.ports.clock.after(delayMs, () => {
      void this.charge({});
      if (this.#budget?.exceededLimit !== 'wall_time') this.#setTimer();
      else for (const stop of this.#work?.stops ?? []) stop();
    });
  }
}

function formatBudgetError(reason: BudgetReason): string {
  return `Session budget exceeded (${reason})`;
}

function formatTurnLimit(turns: number): string {
  return `The run was stopped after ${turns} ${turns === 1 ? 'turn' : 'turns'}, which is its limit`;
}

function waitForAll(waits: readonly (undefined | Promise<void>)[]): undefined | Promise<void> {
  const promises = waits.filter((wait) => wait !== undefined);
  return promises.length > 0 ? Promise.all(promises).then(() => {}) : undefined;
}

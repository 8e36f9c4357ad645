// First floor, core: keeps a session within its limits: counts, tells, refuses. The arithmetic is in policy/budget.
import { Fault } from '../../base/index.ts';
import type { Cancel } from '../../contracts/index.ts';
import type { AssistantMessage, BudgetReason, Usage } from '../../protocol/index.ts';
import type { RunLimits } from '../agent/scope.ts';
import { type Budget, createBudget, type Spending, spendingOf } from '../policy/budget.ts';
import type { Purse } from './family.ts';
import type { Seat } from './seat.ts';

/** A subagent has no limits of its own; it is counted, and spends what its parent may. */
const NO_LIMITS = { warnAtRatio: 1 };

export class LimitFacet implements RunLimits, Purse {
  readonly #seat: Seat;
  readonly #parent: Purse | undefined;
  #budget: Budget | undefined;
  #turns = 0;
  /** A run is going: when its time was last counted, and how to end it. */
  #run: { countedMs: number; stop(): void } | undefined;
  #cancelTimer: Cancel = () => {};
  /** A subagent has said that its parent's budget stopped it. */
  #told = false;

  constructor(seat: Seat) {
    this.#seat = seat;
    this.#parent = seat.options.family?.purse;
    this.reset();
  }

  /** Whether there is anything to keep to. Without limits nothing is counted. */
  get isNeeded(): boolean {
    return this.#budget !== undefined || this.#seat.options.maxTurns !== undefined;
  }

  get halted(): string | undefined {
    if (this.#reason) return sentence(this.#reason);
    const { maxTurns } = this.#seat.options;
    return maxTurns !== undefined && this.#turns >= maxTurns ? turnLimit(maxTurns) : undefined;
  }

  get violation(): BudgetReason | undefined {
    return this.#budget?.violation ?? this.#parent?.violation;
  }

  get exhausted(): BudgetReason | undefined {
    return this.#budget?.violationBeside('subagents') ?? this.#parent?.exhausted;
  }

  /** Nothing new is taken on once the budget is used up. */
  refuse(): void {
    if (this.#reason) throw new Fault('refused', sentence(this.#reason));
  }

  get #reason(): BudgetReason | undefined {
    return this.#parent ? this.exhausted : this.violation;
  }

  /** A prompt was accepted. `stop` ends it when its time is up, for nobody knows when the next safe point would come. */
  begin(stop: () => void): void {
    this.#turns = 0;
    if (!this.#budget) return;
    this.#run = { countedMs: this.#seat.ports.clock.now(), stop };
    this.#setTimer();
  }

  /** Time between runs does not count. */
  end(): void {
    void this.spend({});
    this.#run = undefined;
    this.#cancelTimer();
  }

  /** Another conversation: a budget of its own. */
  reset(): void {
    const { budget } = this.#seat.options;
    if (this.#parent) this.#budget = createBudget(NO_LIMITS, 'subagent');
    else this.#budget = budget && createBudget(budget);
  }

  toolStarts(): undefined | Promise<void> {
    return this.spend({ toolCalls: 1 });
  }

  turnOver(answer: AssistantMessage, goesOn: boolean): undefined | Promise<void> {
    this.#turns += 1;
    const told = this.spendUsage(answer.usage);
    const { maxTurns } = this.#seat.options;
    if (this.#turns !== maxTurns || !goesOn || this.#budget?.violation) return told;
    const notice = { type: 'notice', level: 'warning', message: turnLimit(maxTurns), source: 'limits' } as const;
    return together([told, this.#seat.broadcast.emit(notice)]);
  }

  spendUsage(usage: Usage): undefined | Promise<void> {
    return this.spend(spendingOf(usage));
  }

  spend(spending: Spending): undefined | Promise<void> {
    if (!this.#budget) return undefined;
    const news = this.#budget.charge({ ...spending, wallTimeMs: this.#passed() });
    if (!this.#parent) return together(news.map((item) => this.#seat.broadcast.emit(item)));
    // The parent's own time passes by itself.
    return together([this.#parent.spend(spending), this.#tellOnce()]);
  }

  /** Since it was last asked. */
  #passed(): number {
    if (!this.#run) return 0;
    const now = this.#seat.ports.clock.now();
    const passed = Math.max(0, now - this.#run.countedMs);
    this.#run.countedMs = now;
    return passed;
  }

  #tellOnce(): undefined | Promise<void> {
    const reason = this.#parent?.exhausted;
    if (!reason || this.#told || !this.#budget) return undefined;
    this.#told = true;
    const snapshot = { ...this.#budget.snapshot(reason), status: 'exceeded' as const };
    return this.#seat.options.family?.emit({ type: 'budget_exceeded', scope: 'subagent', snapshot });
  }

  /** Rings when the next threshold of the time is reached, instead of looking now and then. */
  #setTimer(): void {
    const { budget } = this.#seat.options;
    if (budget?.maxWallTimeMs === undefined || !this.#budget || !this.#run) return;
    const { wallTimeMs } = this.#budget.snapshot();
    const thresholds = [budget.maxWallTimeMs * budget.warnAtRatio, budget.maxWallTimeMs];
    const next = thresholds.find((threshold) => threshold > wallTimeMs);
    if (next === undefined) return;
    this.#cancelTimer = this.#seat.ports.clock.after(Math.ceil(next - wallTimeMs), () => {
      void this.spend({});
      if (this.#budget?.violation === 'wall_time') this.#run?.stop();
      else this.#setTimer();
    });
  }
}

function sentence(reason: BudgetReason): string {
  return `Session budget exceeded (${reason})`;
}

function turnLimit(turns: number): string {
  return `The run was stopped after ${turns} ${turns === 1 ? 'turn' : 'turns'}, which is its limit`;
}

function together(waits: readonly (undefined | Promise<void>)[]): undefined | Promise<void> {
  const real = waits.filter((wait) => wait !== undefined);
  return real.length > 0 ? Promise.all(real).then(() => {}) : undefined;
}

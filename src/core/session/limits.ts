// First floor, core: keeps a session within its limits: counts, tells, refuses. The arithmetic is in policy/budget.
import { Fault } from '../../base/index.ts';
import type { Cancel } from '../../contracts/index.ts';
import type { AssistantMessage, BudgetReason, Usage } from '../../protocol/index.ts';
import type { RunLimits } from '../agent/scope.ts';
import { type Budget, type BudgetNews, createBudget, type Spending, spendingOf } from '../policy/budget.ts';
import type { Seat } from './seat.ts';

export class LimitFacet implements RunLimits {
  readonly #seat: Seat;
  #budget: Budget | undefined;
  #turns = 0;
  /** A run is going: when its time was last counted, and how to end it. */
  #run: { countedMs: number; stop(): void } | undefined;
  #cancelTimer: Cancel = () => {};

  constructor(seat: Seat) {
    this.#seat = seat;
    this.reset();
  }

  /** Whether there is anything to keep to. Without limits nothing is counted. */
  get isNeeded(): boolean {
    return this.#budget !== undefined || this.#seat.options.maxTurns !== undefined;
  }

  get halted(): string | undefined {
    const violation = this.#budget?.violation;
    if (violation) return sentence(violation);
    const { maxTurns } = this.#seat.options;
    return maxTurns !== undefined && this.#turns >= maxTurns ? turnLimit(maxTurns) : undefined;
  }

  /** Nothing new is taken on once the budget is used up. */
  refuse(): void {
    const violation = this.#budget?.violation;
    if (violation) throw new Fault('refused', sentence(violation));
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
    this.#budget = budget && createBudget(budget);
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
    return this.#tell(this.#budget.charge({ ...spending, wallTimeMs: this.#passed() }));
  }

  /** Since it was last asked. */
  #passed(): number {
    if (!this.#run) return 0;
    const now = this.#seat.ports.clock.now();
    const passed = Math.max(0, now - this.#run.countedMs);
    this.#run.countedMs = now;
    return passed;
  }

  #tell(news: readonly BudgetNews[]): undefined | Promise<void> {
    return together(news.map((item) => this.#seat.broadcast.emit(item)));
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

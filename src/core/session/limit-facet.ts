// First floor, core: keeps a session within its limits: counts, tells, refuses, and remembers in the log what was spent. The
// arithmetic is in policy/budget. Loaded only where there is a limit.
import { Fault } from '../../base/index.ts';
import type { Cancel } from '../../contracts/index.ts';
import type { AgentMessage, AssistantMessage, BudgetReason, EntryBody, Usage } from '../../protocol/index.ts';
import { addSpending, type Budget, createBudget, type Spending, spendingOf } from '../policy/budget.ts';
import type { BudgetLimits } from '../policy/budget-limits.ts';
import type { Purse } from './family.ts';
import type { Limits } from './limits.ts';
import type { Seat } from './seat.ts';
import { SPENT_ENTRY, spentIn } from './spent.ts';

/** A subagent has no limits of its own; it is counted, and spends what its parent may. */
const NO_LIMITS = { warnAtRatio: 1 };
/** What is spent without any message that is kept, by subagents for example, goes to the log this often. */
const KEEP_EVERY_MS = 1000;
/** Run time that a crash may make us forget, at most. */
const FORGOTTEN_MS = 15_000;

export class LimitFacet implements Limits {
  readonly #seat: Seat;
  readonly #parent: Purse | undefined;
  /** As they are when a session is made: others may come, but with a facet of their own. */
  readonly #limits: BudgetLimits | undefined;
  #budget: Budget | undefined;
  #turns = 0;
  /** A run is going: when its time was last counted, and how to end it. */
  #run: { countedMs: number; stop(): void } | undefined;
  #cancelTimer: Cancel = () => {};
  /** A subagent has said that its parent's budget stopped it. */
  #told = false;
  /** Of an answer that is in the log, and is counted when its turn is over. */
  #due: Spending = {};
  /** The conversation whose spending this is, and what its log says of it. */
  #kept: { id: string; words: string; atMs: number };

  constructor(seat: Seat) {
    this.#seat = seat;
    this.#parent = seat.options.family?.purse;
    this.#limits = seat.options.budget;
    this.#kept = this.#restore();
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

  refuse(): void {
    if (this.#reason) throw new Fault('refused', sentence(this.#reason));
  }

  get #reason(): BudgetReason | undefined {
    return this.#parent ? this.exhausted : this.violation;
  }

  begin(stop: () => void): void {
    this.#turns = 0;
    if (!this.#budget) return;
    this.#run = { countedMs: this.#seat.ports.clock.now(), stop };
    this.#setTimer();
  }

  restartTurns(): void {
    this.#turns = 0;
  }

  end(): void {
    void this.spend({});
    this.#run = undefined;
    this.#cancelTimer();
    void this.#keep();
  }

  arrived(): undefined | Promise<void> {
    const { conversation } = this.#seat;
    if (conversation.header.id !== this.#kept.id) {
      this.#kept = this.#restore();
      return undefined;
    }
    // The line on which it stands now may not know what was spent on the others.
    this.#kept.words = '';
    return conversation.record(this.ledger());
  }

  inherit(spent: Spending = this.#budget?.spent ?? {}): undefined | Promise<void> {
    if (!this.#limits) return undefined;
    this.#budget = createBudget(this.#limits);
    const news = this.#budget.charge(spent);
    return together(news.map((item) => this.#seat.broadcast.emit(item)));
  }

  toolStarts(): undefined | Promise<void> {
    return this.spend({ toolCalls: 1 });
  }

  turnOver(answer: AssistantMessage, goesOn: boolean): undefined | Promise<void> {
    this.#turns += 1;
    this.#due = {};
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
    // The parent's own time passes by itself.
    if (this.#parent) return together([this.#parent.spend(spending), this.#tellOnce()]);
    const isDue = spending.subagents || this.#seat.ports.clock.now() - this.#kept.atMs >= KEEP_EVERY_MS;
    const kept = this.#run && isDue ? this.#keep() : undefined;
    return together([kept, ...news.map((item) => this.#seat.broadcast.emit(item))]);
  }

  get spent(): Spending | undefined {
    if (!this.#budget || this.#parent) return undefined;
    const since = this.#run ? this.#seat.ports.clock.now() - this.#run.countedMs : 0;
    return addSpending(this.#budget.spent, { ...this.#due, wallTimeMs: Math.max(0, since) });
  }

  ledger(message?: AgentMessage): EntryBody[] {
    if (message?.role === 'assistant') this.#due = spendingOf(message.usage);
    const data = this.spent;
    const words = JSON.stringify(data);
    if (!data || words === this.#kept.words) return [];
    this.#kept = { ...this.#kept, words, atMs: this.#seat.ports.clock.now() };
    return [{ type: 'custom', customType: SPENT_ENTRY, data }];
  }

  #keep(): undefined | Promise<void> {
    const entries = this.ledger();
    return entries.length > 0 ? this.#seat.conversation.record(entries) : undefined;
  }

  /** A budget for the conversation that is open, with what its log says was spent. */
  #restore(): { id: string; words: string; atMs: number } {
    const { conversation, ports } = this.#seat;
    const limits = this.#limits;
    const spent = this.#parent || !limits ? undefined : spentIn(conversation.sketch);
    if (this.#parent) this.#budget = createBudget(NO_LIMITS, 'subagent');
    else this.#budget = limits && createBudget(limits, 'session', spent);
    this.#due = {};
    return { id: conversation.header.id, words: JSON.stringify(this.spent) ?? '', atMs: ports.clock.now() };
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

  /** Rings when the next threshold of the time is reached, and now and then before, so that a crash forgets little. */
  #setTimer(): void {
    const { maxWallTimeMs, warnAtRatio = 1 } = this.#limits ?? {};
    if (maxWallTimeMs === undefined || !this.#budget || !this.#run) return;
    const { wallTimeMs } = this.#budget.spent;
    const thresholds = [maxWallTimeMs * warnAtRatio, maxWallTimeMs];
    const next = thresholds.find((threshold) => threshold > wallTimeMs);
    if (next === undefined) return;
    const wait = Math.min(Math.ceil(next - wallTimeMs), FORGOTTEN_MS);
    this.#cancelTimer = this.#seat.ports.clock.after(wait, () => {
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

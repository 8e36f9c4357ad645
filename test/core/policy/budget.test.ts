// Budget: each limit by itself, and arbitrary sequences of spending.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createBudget, type Spending, usageToSpending } from '../../../src/core/policy/budget.ts';
import { type BudgetLimits, hasLimit } from '../../../src/core/policy/budget-limits.ts';
import type { BudgetReason } from '../../../src/protocol/index.ts';

type Limit = Exclude<keyof BudgetLimits, 'warnAtRatio'>;

const DIMENSIONS: [BudgetReason, Limit, keyof Spending][] = [
  ['wall_time', 'maxWallTimeMs', 'wallTimeMs'],
  ['input_tokens', 'maxInputTokens', 'inputTokens'],
  ['output_tokens', 'maxOutputTokens', 'outputTokens'],
  ['total_tokens', 'maxTotalTokens', 'totalTokens'],
  ['cost', 'maxCostUsd', 'costUsd'],
  ['tool_calls', 'maxToolCalls', 'toolCalls'],
  ['subagents', 'maxSubagents', 'subagents'],
];

describe.each(DIMENSIONS)('%s', (reason, limit, counter) => {
  test('warns once at the ratio, reports the exceeded limit once, and then emits nothing', () => {
    const budget = createBudget({ [limit]: 10, warnAtRatio: 0.8 });
    const events = Array.from({ length: 12 }, () => budget.charge({ [counter]: 1 }));
    expect(events.map((items) => items.map((item) => item.type).join())).toEqual([
      ...Array(7).fill(''),
      'budget_warning',
      '',
      'budget_exceeded',
      '',
      '',
    ]);
    expect(events[7]?.[0]).toMatchObject({ scope: 'session', snapshot: { status: 'warning', reason, [counter]: 8 } });
    expect(events[9]?.[0]).toMatchObject({ scope: 'session', snapshot: { status: 'exceeded', reason, [counter]: 10 } });
    expect(budget.exceededLimit).toBe(reason);
    expect(budget.snapshot()).toMatchObject({ status: 'exceeded', [counter]: 12 });
  });
});

test('a warning for one limit does not suppress the warning for another', () => {
  const budget = createBudget({ maxToolCalls: 10, maxSubagents: 10, warnAtRatio: 0.5 });
  const reasons = Array.from({ length: 8 }, (_, i) =>
    budget.charge(i < 5 ? { toolCalls: 1 } : { subagents: 3 }).map((item) => item.snapshot.reason),
  );
  expect(reasons.flat()).toEqual(['tool_calls', 'subagents']);
});

test('if several limits are exceeded at once, the first is reported', () => {
  const budget = createBudget({ maxCostUsd: 1, maxOutputTokens: 5, warnAtRatio: 0.8 });
  const events = budget.charge({ costUsd: 2, outputTokens: 6 });
  expect(events.map((item) => [item.type, item.snapshot.reason])).toEqual([['budget_exceeded', 'output_tokens']]);
  expect(budget.findExceededLimitExcept('output_tokens')).toBe('cost');
});

test('usageToSpending converts the usage of an answer', () => {
  const cost = { input: 1, output: 2, cacheRead: 3, cacheWrite: 4, total: 10 };
  expect(usageToSpending({ input: 10, output: 20, cacheRead: 30, cacheWrite: 40, cost })).toEqual({
    inputTokens: 10,
    outputTokens: 20,
    totalTokens: 100,
    costUsd: 10,
  });
});

test('a warning ratio alone is not a limit', () => {
  expect(hasLimit({ warnAtRatio: 0.8 })).toBe(false);
  expect(hasLimit({ warnAtRatio: 0.8, maxCostUsd: 0 })).toBe(true);
});

const limits = fc.record(
  {
    ...Object.fromEntries(DIMENSIONS.map(([, limit]) => [limit, fc.integer({ min: 1, max: 50 })])),
    warnAtRatio: fc.double({ min: 0, max: 1, noNaN: true }),
  },
  { requiredKeys: ['warnAtRatio'] },
) as fc.Arbitrary<BudgetLimits>;
const spending = fc.record(
  Object.fromEntries(DIMENSIONS.map(([, , counter]) => [counter, fc.integer({ min: 0, max: 20 })])),
  { requiredKeys: [] },
) as fc.Arbitrary<Spending>;

test('for any limits and spending: sums are exact, and each event is emitted exactly once at the right time', () => {
  fc.assert(
    fc.property(limits, fc.array(spending, { maxLength: 30 }), (budgetLimits, spendings) => {
      const budget = createBudget(budgetLimits);
      const warned: BudgetReason[] = [];
      let exceededReason: BudgetReason | undefined;
      const sums = Object.fromEntries(DIMENSIONS.map(([, , counter]) => [counter, 0])) as Required<Spending>;
      for (const item of spendings) {
        const events = budget.charge(item);
        for (const [, , counter] of DIMENSIONS) sums[counter] += item[counter] ?? 0;
        expect(budget.snapshot()).toMatchObject(sums);
        const reached = (ratio: number) =>
          DIMENSIONS.filter(([, limit, counter]) => {
            const maximum = budgetLimits[limit];
            return maximum !== undefined && sums[counter] >= maximum * ratio;
          }).map(([reason]) => reason);
        const over = reached(1);
        const due = exceededReason
          ? []
          : reached(budgetLimits.warnAtRatio).filter((r) => !over.includes(r) && !warned.includes(r));
        const warnings = events.filter((n) => n.type === 'budget_warning').map((n) => n.snapshot.reason);
        expect(warnings).toEqual(due);
        warned.push(...due);
        const exceeded = events.filter((n) => n.type === 'budget_exceeded').map((n) => n.snapshot.reason);
        expect(exceeded).toEqual(exceededReason || over.length === 0 ? [] : [over[0]]);
        exceededReason ??= over[0];
        expect(budget.exceededLimit).toBe(over[0]);
      }
    }),
  );
});

test('a budget that is resumed at any point emits the same events as an uninterrupted one', () => {
  fc.assert(
    fc.property(limits, fc.array(spending, { maxLength: 20 }), fc.nat(20), (budgetLimits, spendings, cut) => {
      const uninterrupted = createBudget(budgetLimits);
      for (const item of spendings.slice(0, cut)) uninterrupted.charge(item);
      fc.pre(Object.values(uninterrupted.spent).some((sum) => sum > 0));
      const resumed = createBudget(budgetLimits, 'session', { ...uninterrupted.spent });
      for (const item of spendings.slice(cut)) expect(resumed.charge(item)).toEqual(uninterrupted.charge(item));
      expect([resumed.snapshot(), resumed.exceededLimit]).toEqual([
        uninterrupted.snapshot(),
        uninterrupted.exceededLimit,
      ]);
    }),
  );
});

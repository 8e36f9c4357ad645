// The arithmetic of a budget: every dimension by itself, and any sequence of spending whatever.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createBudget, type Spending, spendingOf } from '../../../src/core/policy/budget.ts';
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
  test('warns once at the ratio, is exceeded once at the limit, and then is silent', () => {
    const budget = createBudget({ [limit]: 10, warnAtRatio: 0.8 });
    const news = Array.from({ length: 12 }, () => budget.charge({ [counter]: 1 }));
    expect(news.map((items) => items.map((item) => item.type).join())).toEqual([
      ...Array(7).fill(''),
      'budget_warning',
      '',
      'budget_exceeded',
      '',
      '',
    ]);
    expect(news[7]?.[0]).toMatchObject({ scope: 'session', snapshot: { status: 'warning', reason, [counter]: 8 } });
    expect(news[9]?.[0]).toMatchObject({ scope: 'session', snapshot: { status: 'exceeded', reason, [counter]: 10 } });
    expect(budget.violation).toBe(reason);
    expect(budget.snapshot()).toMatchObject({ status: 'exceeded', [counter]: 12 });
  });
});

test('one dimension in warning does not hide another', () => {
  const budget = createBudget({ maxToolCalls: 10, maxSubagents: 10, warnAtRatio: 0.5 });
  const reasons = Array.from({ length: 8 }, (_, i) =>
    budget.charge(i < 5 ? { toolCalls: 1 } : { subagents: 3 }).map((item) => item.snapshot.reason),
  );
  expect(reasons.flat()).toEqual(['tool_calls', 'subagents']);
});

test('of several limits that are crossed at once, the first is named', () => {
  const budget = createBudget({ maxCostUsd: 1, maxOutputTokens: 5, warnAtRatio: 0.8 });
  const news = budget.charge({ costUsd: 2, outputTokens: 6 });
  expect(news.map((item) => [item.type, item.snapshot.reason])).toEqual([['budget_exceeded', 'output_tokens']]);
  expect(budget.violationBeside('output_tokens')).toBe('cost');
});

test('what an answer costs', () => {
  const cost = { input: 1, output: 2, cacheRead: 3, cacheWrite: 4, total: 10 };
  expect(spendingOf({ input: 10, output: 20, cacheRead: 30, cacheWrite: 40, cost })).toEqual({
    inputTokens: 10,
    outputTokens: 20,
    totalTokens: 100,
    costUsd: 10,
  });
});

test('a ratio alone is no limit', () => {
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

test('any limits and any spending: sums are exact, each warning comes once and in time, the end once', () => {
  fc.assert(
    fc.property(limits, fc.array(spending, { maxLength: 30 }), (given, spendings) => {
      const budget = createBudget(given);
      const warned: BudgetReason[] = [];
      let ended: BudgetReason | undefined;
      const sums = Object.fromEntries(DIMENSIONS.map(([, , counter]) => [counter, 0])) as Required<Spending>;
      for (const item of spendings) {
        const news = budget.charge(item);
        for (const [, , counter] of DIMENSIONS) sums[counter] += item[counter] ?? 0;
        expect(budget.snapshot()).toMatchObject(sums);
        const reached = (ratio: number) =>
          DIMENSIONS.filter(([, limit, counter]) => {
            const most = given[limit];
            return most !== undefined && sums[counter] >= most * ratio;
          }).map(([reason]) => reason);
        const over = reached(1);
        const due = ended ? [] : reached(given.warnAtRatio).filter((r) => !over.includes(r) && !warned.includes(r));
        const said = news.filter((n) => n.type === 'budget_warning').map((n) => n.snapshot.reason);
        expect(said).toEqual(due);
        warned.push(...due);
        const exceeded = news.filter((n) => n.type === 'budget_exceeded').map((n) => n.snapshot.reason);
        expect(exceeded).toEqual(ended || over.length === 0 ? [] : [over[0]]);
        ended ??= over[0];
        expect(budget.violation).toBe(over[0]);
      }
    }),
  );
});

test('a budget that goes on after any part of any spending says what an uninterrupted one would have said', () => {
  fc.assert(
    fc.property(limits, fc.array(spending, { maxLength: 20 }), fc.nat(20), (given, spendings, cut) => {
      const whole = createBudget(given);
      for (const item of spendings.slice(0, cut)) whole.charge(item);
      fc.pre(Object.values(whole.spent).some((sum) => sum > 0));
      const resumed = createBudget(given, 'session', { ...whole.spent });
      for (const item of spendings.slice(cut)) expect(resumed.charge(item)).toEqual(whole.charge(item));
      expect([resumed.snapshot(), resumed.violation]).toEqual([whole.snapshot(), whole.violation]);
    }),
  );
});

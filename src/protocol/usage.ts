// Ground floor: what an answer cost. Data and its sums; knows no prices.
import { type InferOutput, number, object } from 'valibot';

const tokenCounts = { input: number(), output: number(), cacheRead: number(), cacheWrite: number() };

export const usage = object({ ...tokenCounts, cost: object({ ...tokenCounts, total: number() }) });

export type Usage = InferOutput<typeof usage>;

export function noUsage(): Usage {
  return {
    input: 0,
    output: 0,
    cacheRead: 0,
    cacheWrite: 0,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
  };
}

/** Everything that counted towards the context of the request that this usage describes. */
export function totalTokens(of: Usage): number {
  return of.input + of.output + of.cacheRead + of.cacheWrite;
}

export function addUsage(sum: Usage, more: Usage): void {
  for (const key of ['input', 'output', 'cacheRead', 'cacheWrite'] as const) {
    sum[key] += more[key];
    sum.cost[key] += more.cost[key];
  }
  sum.cost.total += more.cost.total;
}

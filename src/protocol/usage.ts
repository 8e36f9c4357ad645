// Schema of the token usage and cost of an answer, and sums of it.
import { type InferOutput, number, object, optional } from 'valibot';

const tokenCounts = { input: number(), output: number(), cacheRead: number(), cacheWrite: number() };

export const usage = object({
  ...tokenCounts,
  /** The sum of the four counts. Present when the answer is complete. */
  totalTokens: optional(number()),
  cost: object({ ...tokenCounts, total: number() }),
});

export type Usage = InferOutput<typeof usage>;

export function createEmptyUsage(): Usage {
  return {
    input: 0,
    output: 0,
    cacheRead: 0,
    cacheWrite: 0,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
  };
}

/** The tokens of a request and its answer: the size of the context after the answer. */
export function sumTokens({ input, output, cacheRead, cacheWrite }: Usage): number {
  return input + output + cacheRead + cacheWrite;
}

export function addUsage(sum: Usage, added: Usage): void {
  for (const key of ['input', 'output', 'cacheRead', 'cacheWrite'] as const) {
    sum[key] += added[key];
    sum.cost[key] += added.cost[key];
  }
  sum.cost.total += added.cost.total;
}

// Collects the tokens and the cost of the turns of a session, in the order of the log, as the bars of a chart. Pure.
import type { AgentMessage } from '../../protocol/index.ts';

export interface UsageBar {
  /** The turns of this bar, counted from 1. */
  readonly firstTurn: number;
  lastTurn: number;
  /** The position of the entry of the first turn. */
  readonly position: number;
  input: number;
  cacheRead: number;
  cacheWrite: number;
  output: number;
  /** Of this bar. */
  cost: number;
  /** Of this bar and all bars before it. */
  totalCost: number;
  /** Whether a compaction came directly before this bar, or is inside it. */
  isAfterCompaction: boolean;
}

export const TOKEN_KINDS = ['cacheRead', 'cacheWrite', 'input', 'output'] as const;

/** More turns than bars: each bar is the sum of several turns. */
const MAX_BARS = 96;

export function collectUsageBars(messages: readonly (AgentMessage | undefined)[]): UsageBar[] {
  const turns = messages.filter(hasUsage).length;
  const turnsPerBar = Math.max(1, Math.ceil(turns / MAX_BARS));
  const bars: UsageBar[] = [];
  let turn = 0;
  let totalCost = 0;
  let isAfterCompaction = false;
  messages.forEach((message, position) => {
    if (message?.role === 'compactionSummary') isAfterCompaction = true;
    if (!hasUsage(message)) return;
    if (turn % turnsPerBar === 0) bars.push(createBar(turn + 1, position));
    turn++;
    const bar = bars.at(-1) as UsageBar;
    bar.lastTurn = turn;
    for (const kind of TOKEN_KINDS) bar[kind] += limit(message.usage[kind]);
    const cost = limit(message.usage.cost.total);
    totalCost += cost;
    bar.cost += cost;
    bar.totalCost = totalCost;
    bar.isAfterCompaction ||= isAfterCompaction;
    isAfterCompaction = false;
  });
  return bars;
}

function hasUsage(message: AgentMessage | undefined): message is Extract<AgentMessage, { role: 'assistant' }> {
  if (message?.role !== 'assistant') return false;
  const { usage } = message;
  return TOKEN_KINDS.some((kind) => usage[kind] > 0) || usage.cost.total > 0;
}

/** A log may contain any number. The sums must stay finite. */
function limit(value: number): number {
  return Math.min(Math.max(0, value), 1e12);
}

function createBar(turn: number, position: number): UsageBar {
  const counts = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0, cost: 0, totalCost: 0 };
  return { firstTurn: turn, lastTurn: turn, position, ...counts, isAfterCompaction: false };
}

export function sumBar(bar: UsageBar): number {
  return TOKEN_KINDS.reduce((sum, kind) => sum + bar[kind], 0);
}

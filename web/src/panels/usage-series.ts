// Tokens, context use and cost of the turns of a session, as the points of a chart. Pure.
import type { AgentMessage, SessionEntry } from '../../../src/protocol/index.ts';

export const TOKEN_KINDS = ['cacheRead', 'cacheWrite', 'input', 'output'] as const;

export type TokenKind = (typeof TOKEN_KINDS)[number];

export interface UsagePoint extends Readonly<Record<TokenKind, number>> {
  /** The turns of this point, counted from 1. */
  readonly firstTurn: number;
  readonly lastTurn: number;
  /** Tokens in the context window after the last turn. */
  readonly context: number;
  readonly cost: number;
  /** Of this point and all before it. */
  readonly totalCost: number;
  readonly isAfterCompaction: boolean;
}

/** More turns: each point is the sum of several. */
const MAX_POINTS = 80;

interface Turn extends Record<TokenKind, number> {
  readonly cost: number;
  readonly isAfterCompaction: boolean;
}

export function collectUsage(entries: readonly SessionEntry[]): UsagePoint[] {
  const turns = listTurns(entries);
  const perPoint = Math.max(1, Math.ceil(turns.length / MAX_POINTS));
  const points: UsagePoint[] = [];
  let totalCost = 0;
  for (let at = 0; at < turns.length; at += perPoint) {
    const group = turns.slice(at, at + perPoint);
    const last = group.at(-1) as Turn;
    const sum = (kind: TokenKind | 'cost') => group.reduce((total, turn) => total + turn[kind], 0);
    totalCost += sum('cost');
    points.push({
      firstTurn: at + 1,
      lastTurn: at + group.length,
      ...{ cacheRead: sum('cacheRead'), cacheWrite: sum('cacheWrite'), input: sum('input'), output: sum('output') },
      context: last.cacheRead + last.cacheWrite + last.input + last.output,
      cost: sum('cost'),
      totalCost,
      isAfterCompaction: group.some((turn) => turn.isAfterCompaction),
    });
  }
  return points;
}

function listTurns(entries: readonly SessionEntry[]): Turn[] {
  const turns: Turn[] = [];
  let isAfterCompaction = false;
  for (const entry of entries) {
    if (entry.type === 'compaction') isAfterCompaction = true;
    const message = entry.type === 'message' ? (entry as { message: AgentMessage }).message : undefined;
    if (message?.role !== 'assistant') continue;
    const { input, output, cacheRead, cacheWrite, cost } = message.usage;
    if (input + output + cacheRead + cacheWrite === 0 && cost.total === 0) continue;
    const counts = {
      input: limit(input),
      output: limit(output),
      cacheRead: limit(cacheRead),
      cacheWrite: limit(cacheWrite),
    };
    turns.push({ ...counts, cost: limit(cost.total), isAfterCompaction });
    isAfterCompaction = false;
  }
  return turns;
}

/** A log may contain any number. The sums must stay finite. */
function limit(value: number): number {
  return Number.isFinite(value) ? Math.min(Math.max(0, value), 1e12) : 0;
}

export function sumTokens(point: UsagePoint): number {
  return TOKEN_KINDS.reduce((sum, kind) => sum + point[kind], 0);
}

/** 1, 2, 2.5 or 5 times a power of ten. */
export function roundUpNicely(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const step = [1, 2, 2.5, 5, 10].find((candidate) => candidate * power >= value * 0.999_999) ?? 10;
  return step * power;
}

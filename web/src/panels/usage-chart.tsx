// Draws the points of the usage of a session: bars for tokens, lines for the context and for the cost so far.
import { formatCost, formatNumber, formatShort } from '../parts/format.ts';
import { roundUpNicely, sumTokens, TOKEN_KINDS, type UsagePoint } from './usage-series.ts';

const WIDTH = 360;
const HEIGHT = 220;
const LEFT = 40;
const RIGHT = 48;
const TOP = 18;
const BOTTOM = 30;
const PLOT_WIDTH = WIDTH - LEFT - RIGHT;
const PLOT_HEIGHT = HEIGHT - TOP - BOTTOM;
const MAX_BAR_WIDTH = 26;

const NAMES = { input: 'input', cacheRead: 'from cache', cacheWrite: 'to cache', output: 'output' } as const;

interface UsageChartProps {
  readonly points: readonly UsagePoint[];
  readonly contextWindow: number | undefined;
}

export function UsageChart({ points, contextWindow }: UsageChartProps) {
  const last = points.at(-1) as UsagePoint;
  const maxTokens = roundUpNicely(Math.max(1, ...points.map((point) => Math.max(sumTokens(point), point.context))));
  const maxCost = last.totalCost > 0 ? roundUpNicely(last.totalCost) : 0;
  const tokens = points.reduce((sum, point) => sum + sumTokens(point), 0);
  const summary = `${last.lastTurn} turns, ${formatNumber(tokens)} tokens, ${formatCost(last.totalCost)}`;
  return (
    <figure class="chart-figure">
      <figcaption>{summary}</figcaption>
      <svg class="chart" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={`Usage: ${summary}`}>
        <Axes maxTokens={maxTokens} maxCost={maxCost} />
        {points.map((point, at) => (
          <Bar key={point.firstTurn} point={point} at={at} count={points.length} maxTokens={maxTokens} />
        ))}
        {contextWindow !== undefined && contextWindow <= maxTokens ? (
          <line
            class="window"
            x1={LEFT}
            x2={WIDTH - RIGHT}
            y1={getY(contextWindow / maxTokens)}
            y2={getY(contextWindow / maxTokens)}
          />
        ) : null}
        <polyline class="context-line" points={joinPoints(points, ({ context }) => context / maxTokens)} />
        {maxCost > 0 ? (
          <polyline class="cost-line" points={joinPoints(points, ({ totalCost }) => totalCost / maxCost)} />
        ) : null}
        <TurnNumbers points={points} />
      </svg>
    </figure>
  );
}

function getX(at: number, count: number): number {
  return LEFT + (PLOT_WIDTH / count) * (at + 0.5);
}

function getY(share: number): number {
  return TOP + PLOT_HEIGHT * (1 - share);
}

function joinPoints(points: readonly UsagePoint[], getShare: (point: UsagePoint) => number): string {
  return points
    .map((point, at) => `${getX(at, points.length).toFixed(1)},${getY(getShare(point)).toFixed(1)}`)
    .join(' ');
}

function Axes({ maxTokens, maxCost }: { readonly maxTokens: number; readonly maxCost: number }) {
  return (
    <g>
      {[0, 0.25, 0.5, 0.75, 1].map((share) => (
        <g key={share}>
          <line class="grid" x1={LEFT} x2={WIDTH - RIGHT} y1={getY(share)} y2={getY(share)} />
          <text class="axis" x={LEFT - 6} y={getY(share) + 3.5} text-anchor="end">
            {formatShort(maxTokens * share)}
          </text>
          {maxCost > 0 ? (
            <text class="axis" x={WIDTH - RIGHT + 6} y={getY(share) + 3.5}>
              {formatAmount(maxCost * share, maxCost)}
            </text>
          ) : null}
        </g>
      ))}
      <text class="axis" x={LEFT - 6} y={9} text-anchor="end">
        tokens
      </text>
      {maxCost > 0 ? (
        <text class="axis" x={WIDTH - RIGHT + 6} y={9}>
          cost
        </text>
      ) : null}
    </g>
  );
}

function formatAmount(value: number, max: number): string {
  return max >= 40 ? `$${Math.round(value)}` : `$${Number(value.toPrecision(3))}`;
}

interface BarProps {
  readonly point: UsagePoint;
  readonly at: number;
  readonly count: number;
  readonly maxTokens: number;
}

function Bar({ point, at, count, maxTokens }: BarProps) {
  const width = Math.min(MAX_BAR_WIDTH, (PLOT_WIDTH / count) * 0.72);
  const x = getX(at, count) - width / 2;
  let below = 0;
  const parts = TOKEN_KINDS.map((kind) => {
    const height = (PLOT_HEIGHT * point[kind]) / maxTokens;
    below += height;
    return { kind, height, y: TOP + PLOT_HEIGHT - below };
  });
  return (
    <g class="bar">
      <title>{describePoint(point)}</title>
      <rect class="hit" x={x} y={TOP} width={width} height={PLOT_HEIGHT} />
      {parts.map(({ kind, height, y }) =>
        height > 0 ? <rect key={kind} class={kind} x={x} y={y} width={width} height={Math.max(0.5, height)} /> : null,
      )}
      {point.isAfterCompaction ? (
        <path class="compaction" d={`M${getX(at, count)} ${TOP - 12}l5 5l-5 5l-5 -5z`} />
      ) : null}
    </g>
  );
}

function describePoint(point: UsagePoint): string {
  const turns =
    point.firstTurn === point.lastTurn ? `Turn ${point.firstTurn}` : `Turns ${point.firstTurn} to ${point.lastTurn}`;
  const tokens = TOKEN_KINDS.filter((kind) => point[kind] > 0).map(
    (kind) => `${formatNumber(point[kind])} ${NAMES[kind]}`,
  );
  const cost = point.cost > 0 ? [`${formatCost(point.cost)}, ${formatCost(point.totalCost)} so far`] : [];
  const compaction = point.isAfterCompaction ? ['after a compaction'] : [];
  return [turns, ...tokens, ...cost, ...compaction].join(' · ');
}

/** At most about six numbers. */
function TurnNumbers({ points }: { readonly points: readonly UsagePoint[] }) {
  const step = Math.ceil(points.length / 6);
  return (
    <g>
      {points.map((point, at) =>
        at % step === 0 ? (
          <text
            key={point.firstTurn}
            class="axis"
            x={getX(at, points.length)}
            y={HEIGHT - BOTTOM + 14}
            text-anchor="middle"
          >
            {point.firstTurn}
          </text>
        ) : null,
      )}
      <text class="axis" x={LEFT + PLOT_WIDTH / 2} y={HEIGHT - 3} text-anchor="middle">
        turn
      </text>
    </g>
  );
}

// Renders tokens and cost of a session as an inline SVG chart with a table as its text alternative. Pure.
import { formatCost, formatCount, formatNumber, formatShortNumber } from './format.ts';
import { renderDetails } from './html-blocks.ts';
import type { Transcript } from './transcript.ts';
import { collectUsageBars, sumBar, TOKEN_KINDS, type UsageBar } from './usage-bars.ts';

const KIND_NAMES = { input: 'input', cacheRead: 'from cache', cacheWrite: 'to cache', output: 'output' } as const;

const WIDTH = 760;
const HEIGHT = 236;
const LEFT = 50;
const RIGHT = 58;
const TOP = 20;
const BOTTOM = 34;
const PLOT_WIDTH = WIDTH - LEFT - RIGHT;
const PLOT_HEIGHT = HEIGHT - TOP - BOTTOM;
const MAX_BAR_WIDTH = 36;

/** Empty if the session has no usage. */
export function renderChart(transcript: Transcript): string {
  const bars = collectUsageBars(transcript.messages);
  const last = bars.at(-1);
  if (!last) return '';
  const maxTokens = roundUpNicely(Math.max(1, ...bars.map(sumBar)));
  const maxCost = last.totalCost > 0 ? roundUpNicely(last.totalCost) : 0;
  const parts = [
    renderAxes(maxTokens, maxCost),
    ...bars.map((bar, at) => renderBar(bar, at, bars.length, maxTokens)),
    ...bars.map((bar, at) => (bar.isAfterCompaction ? renderCompaction(at, bars.length) : '')),
    maxCost > 0 ? renderCostLine(bars, maxCost) : '',
    renderTurnNumbers(bars),
  ];
  const summary = describe(bars, last);
  const svg = `<svg class="chart" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${summary}">${parts.join('')}</svg>`;
  return `<section class="panel"><h2>Tokens and cost</h2><p class="note">${summary}</p><div class="scroll">${svg}</div>${renderLegend(bars, maxCost)}${renderTable(bars, transcript)}</section>`;
}

function describe(bars: readonly UsageBar[], last: UsageBar): string {
  const tokens = bars.reduce((sum, bar) => sum + sumBar(bar), 0);
  const perBar = (bars[0]?.lastTurn ?? 1) > 1 ? `, each bar is ${bars[0]?.lastTurn} turns` : '';
  const cost = last.totalCost > 0 ? `, ${formatCost(last.totalCost)}` : '';
  return `${formatCount(last.lastTurn, 'turn')}, ${formatNumber(tokens)} tokens${cost}${perBar}`;
}

function getX(at: number, count: number): number {
  return LEFT + (PLOT_WIDTH / count) * (at + 0.5);
}

function getY(share: number): number {
  return TOP + PLOT_HEIGHT * (1 - share);
}

function formatPoint(value: number): string {
  return String(Number(value.toFixed(1)));
}

function renderAxes(maxTokens: number, maxCost: number): string {
  const rows = [0, 0.25, 0.5, 0.75, 1].map((share) => {
    const y = formatPoint(getY(share));
    const line = `<line class="grid" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y}" y2="${y}"/>`;
    const textY = formatPoint(getY(share) + 4);
    const tokens = `<text class="axis" x="${LEFT - 8}" y="${textY}" text-anchor="end">${formatShortNumber(maxTokens * share)}</text>`;
    const cost = `<text class="axis" x="${WIDTH - RIGHT + 8}" y="${textY}">$${formatAmount(maxCost * share, maxCost)}</text>`;
    return `${line}${tokens}${maxCost > 0 ? cost : ''}`;
  });
  const costName = `<text class="axis" x="${WIDTH - RIGHT + 8}" y="10">cost</text>`;
  const names = `<text class="axis" x="${LEFT - 8}" y="10" text-anchor="end">tokens</text>${maxCost > 0 ? costName : ''}`;
  return `${rows.join('')}${names}`;
}

function formatAmount(value: number, max: number): string {
  const digits = max >= 40 ? 0 : Math.min(6, Math.max(2, 2 - Math.floor(Math.log10(max))));
  return value.toFixed(digits);
}

function renderBar(bar: UsageBar, at: number, count: number, maxTokens: number): string {
  const width = Math.min(MAX_BAR_WIDTH, (PLOT_WIDTH / count) * 0.78);
  const x = formatPoint(getX(at, count) - width / 2);
  let below = 0;
  const rects = TOKEN_KINDS.map((kind) => {
    const height = (PLOT_HEIGHT * bar[kind]) / maxTokens;
    below += height;
    if (height === 0) return '';
    const y = formatPoint(TOP + PLOT_HEIGHT - below);
    return `<rect class="${kind}" x="${x}" y="${y}" width="${formatPoint(width)}" height="${formatPoint(Math.max(height, 0.5))}"/>`;
  });
  return `<g class="bar"><title>${describeBar(bar)}</title>${rects.join('')}</g>`;
}

function nameTurns({ firstTurn, lastTurn }: UsageBar): string {
  return firstTurn === lastTurn ? `Turn ${firstTurn}` : `Turns ${firstTurn} to ${lastTurn}`;
}

function describeBar(bar: UsageBar): string {
  const tokens = TOKEN_KINDS.filter((kind) => bar[kind] > 0).map(
    (kind) => `${formatNumber(bar[kind])} ${KIND_NAMES[kind]}`,
  );
  const cost = bar.cost > 0 ? [`${formatCost(bar.cost)}, ${formatCost(bar.totalCost)} so far`] : [];
  return [nameTurns(bar), ...tokens, ...cost].join(' · ');
}

function renderCompaction(at: number, count: number): string {
  const x = formatPoint(LEFT + (PLOT_WIDTH / count) * at);
  const line = `<line class="compaction" x1="${x}" x2="${x}" y1="${TOP - 8}" y2="${TOP + PLOT_HEIGHT}"/>`;
  return `<g><title>Compaction</title>${line}<path class="diamond" d="M${x} ${TOP - 13}l5 5l-5 5l-5 -5z"/></g>`;
}

function renderCostLine(bars: readonly UsageBar[], maxCost: number): string {
  const points = bars.map(
    (bar, at) => `${formatPoint(getX(at, bars.length))},${formatPoint(getY(bar.totalCost / maxCost))}`,
  );
  const end = points.at(-1)?.split(',') ?? [];
  return `<polyline class="cost" points="${points.join(' ')}"/><circle class="cost-end" cx="${end[0]}" cy="${end[1]}" r="3.5"/>`;
}

/** At most about eight numbers. */
function renderTurnNumbers(bars: readonly UsageBar[]): string {
  const step = Math.ceil(bars.length / 8);
  const numbers = bars.map((bar, at) => {
    if (at % step !== 0) return '';
    return `<text class="axis" x="${formatPoint(getX(at, bars.length))}" y="${HEIGHT - BOTTOM + 15}" text-anchor="middle">${bar.firstTurn}</text>`;
  });
  return `${numbers.join('')}<text class="axis" x="${LEFT + PLOT_WIDTH / 2}" y="${HEIGHT - 3}" text-anchor="middle">turn</text>`;
}

function renderLegend(bars: readonly UsageBar[], maxCost: number): string {
  const kinds = TOKEN_KINDS.filter((kind) => bars.some((bar) => bar[kind] > 0)).map((kind) => [kind, KIND_NAMES[kind]]);
  const others = [
    ...(maxCost > 0 ? [['cost', 'cost so far']] : []),
    ...(bars.some((bar) => bar.isAfterCompaction) ? [['compaction', 'compaction']] : []),
  ];
  const items = [...kinds, ...others].map(([kind, name]) => `<li><span class="key ${kind}"></span>${name}</li>`);
  return `<ul class="legend">${items.join('')}</ul>`;
}

function renderTable(bars: readonly UsageBar[], { anchors }: Transcript): string {
  const head = ['turn', ...TOKEN_KINDS.map((kind) => KIND_NAMES[kind]), 'cost', 'cost so far'];
  const rows = bars.map((bar) => {
    const turn = `${nameTurns(bar)}${bar.isAfterCompaction ? ' (after a compaction)' : ''}`;
    const link = anchors ? `<a href="#${anchors[bar.position]}">${turn}</a>` : turn;
    const counts = TOKEN_KINDS.map((kind) => formatNumber(bar[kind]));
    const cells = [link, ...counts, formatCost(bar.cost), formatCost(bar.totalCost)];
    return `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
  });
  const header = `<thead><tr>${head.map((name) => `<th>${name}</th>`).join('')}</tr></thead>`;
  const table = `<div class="scroll"><table class="numbers">${header}<tbody>${rows.join('')}</tbody></table></div>`;
  return renderDetails(`Tokens and cost as a table · ${formatCount(bars.length, 'row')}`, table);
}

/** 1, 2, 2.5 or 5 times a power of ten. */
function roundUpNicely(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  const step = [1, 2, 2.5, 5, 10].find((candidate) => candidate * power >= value) ?? 10;
  return step * power;
}

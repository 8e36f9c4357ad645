// Renders the branch tree of a session as an inline SVG picture whose rows are links to the entries. Pure.
import { escapeHtml } from './escape.ts';
import { formatCount, formatNumber } from './format.ts';
import type { Transcript } from './transcript.ts';
import { layOutTree, type TreeRow } from './tree-rows.ts';

const ROW_HEIGHT = 26;
const LANE_WIDTH = 20;
const LEFT = 16;
/** Deeper branches are drawn in the last lane. */
const MAX_LANE = 10;

/** `branchCount` is the number of leaves. Empty if the session has no messages. */
export function renderTree(transcript: Transcript, leaf: number, branchCount: number): string {
  const { rows, leftOut } = layOutTree(transcript, leaf);
  if (rows.length === 0) return '';
  const edges = rows.map((row, at) => renderEdge(rows, row, at)).join('');
  const nodes = rows.map((row, at) => renderRow(transcript, row, at)).join('');
  const branches = branchCount === 1 ? '1 branch' : `${formatNumber(branchCount)} branches`;
  const entryCount = transcript.index.entries.length;
  const facts = `${branches}, ${entryCount === 1 ? '1 entry' : `${formatNumber(entryCount)} entries`}`;
  const height = rows.length * ROW_HEIGHT;
  const svg = `<svg class="tree" width="100%" height="${height}" role="group" aria-label="Branch tree">${edges}${nodes}</svg>`;
  const note =
    leftOut > 0 ? `<p class="missing">${formatCount(leftOut, 'row')} of other branches are not drawn.</p>` : '';
  return `<section class="panel"><h2>Branches</h2><p class="note">${facts}</p><div class="scroll tall">${svg}</div>${note}</section>`;
}

function getX({ lane }: TreeRow): number {
  return LEFT + Math.min(lane, MAX_LANE) * LANE_WIDTH;
}

function getY(at: number): number {
  return at * ROW_HEIGHT + ROW_HEIGHT / 2;
}

function renderEdge(rows: readonly TreeRow[], row: TreeRow, at: number): string {
  const parent = rows[row.parent];
  if (!parent) return '';
  const [x1, y1, x2, y2] = [getX(parent), getY(row.parent), getX(row), getY(at)];
  const name = row.isOnCurrentBranch ? 'edge now' : 'edge';
  const bend = x1 === x2 ? `V${y2}` : `V${y2 - 12}Q${x1} ${y2} ${x2} ${y2}`;
  return `<path class="${name}" d="M${x1} ${y1}${bend}"/>`;
}

function renderRow({ anchors, index }: Transcript, row: TreeRow, at: number): string {
  const [x, y] = [getX(row), getY(at)];
  const answers = row.answers > 0 ? formatCount(row.answers, 'turn') : '';
  const label = row.label ? `<tspan class="flag"> ⚑ ${escapeHtml(row.label)}</tspan>` : '';
  const current = row.isCurrentLeaf ? '<tspan class="here"> ● current</tspan>' : '';
  const others = row.otherPrompts > 0 ? `+ ${formatCount(row.otherPrompts, 'prompt')}` : '';
  const more = [others, answers]
    .filter((text) => text !== '')
    .map((text) => `<tspan class="more"> · ${text}</tspan>`)
    .join('');
  const time = String(index.entries[row.position]?.timestamp ?? '').slice(0, 16);
  const title = [row.text, row.label, others, answers, time].filter((text) => text).join(' · ');
  const names = `row ${row.kind}${row.isOnCurrentBranch ? ' now' : ''}`;
  const hit = `<rect class="hit" x="0" y="${at * ROW_HEIGHT}" width="100%" height="${ROW_HEIGHT}" rx="6"/>`;
  const text = `<text x="${x + 16}" y="${y + 4}">${escapeHtml(row.text)}${label}${current}${more}</text>`;
  return `<a class="${names}" href="#${anchors?.[row.position]}"><title>${escapeHtml(title)}</title>${hit}${renderNode(row, x, y)}${text}</a>`;
}

function renderNode({ kind, isCurrentLeaf }: TreeRow, x: number, y: number): string {
  const ring = isCurrentLeaf ? `<circle class="ring" cx="${x}" cy="${y}" r="9"/>` : '';
  if (kind === 'compaction') return `${ring}<path class="node diamond" d="M${x} ${y - 7}l7 7l-7 7l-7 -7z"/>`;
  if (kind === 'stretch') return `${ring}<rect class="node" x="${x - 5}" y="${y - 8}" width="10" height="16" rx="5"/>`;
  return `${ring}<circle class="node" cx="${x}" cy="${y}" r="${kind === 'prompt' ? 5 : 4}"/>`;
}

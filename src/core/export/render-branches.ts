// Renders the branches of a session: an outline of its prompts and a branch selector. Pure.

import type { EntryIndex } from '../../protocol/entry-index.ts';
import { extractText } from '../../protocol/index.ts';
import { escapeHtml } from './escape.ts';
import { shortenLine } from './format.ts';
import type { Transcript } from './transcript.ts';

export interface Branches {
  /** Positions of the last entry of each branch, the current branch first. */
  readonly leaves: readonly number[];
  /** Positions on the current branch. */
  readonly current: ReadonlySet<number>;
}

export function findBranches({ parentPositions }: EntryIndex, leaf: number): Branches {
  const isParent = new Set(parentPositions);
  const ends = parentPositions.map((_, at) => at).filter((at) => !isParent.has(at) && at !== leaf);
  const current = new Set<number>();
  for (let at = leaf; at >= 0; at = parentPositions[at] ?? -1) current.add(at);
  return { leaves: leaf < 0 ? ends : [leaf, ...ends], current };
}

/** Deeper forks are not indented further. */
const MAX_INDENT = 6;

/** Lists prompts in depth-first order. Entries after a fork are indented. */
export function renderOutline(transcript: Transcript, current: ReadonlySet<number>): string {
  const children = groupByParent(transcript.index);
  const items: string[] = [];
  const pending = (children.get(-1) ?? []).map((at) => ({ at, depth: 0 })).reverse();
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { at, depth } = next;
    const text = getPromptText(transcript, at);
    const link = { anchor: transcript.anchors?.[at], label: transcript.labels.get(at) };
    if (text !== undefined) items.push(renderOutlineItem(text, depth, current.has(at), link));
    const childPositions = children.get(at) ?? [];
    for (const child of childPositions.toReversed()) {
      pending.push({ at: child, depth: childPositions.length > 1 ? Math.min(depth + 1, MAX_INDENT) : depth });
    }
  }
  return `<ol class="outline">${items.join('\n')}</ol>`;
}

interface EntryLink {
  readonly anchor: string | undefined;
  readonly label: string | undefined;
}

function renderOutlineItem(text: string, depth: number, isCurrent: boolean, { anchor, label }: EntryLink): string {
  const badge = label ? ` <mark>${escapeHtml(label)}</mark>` : '';
  const linkText = escapeHtml(shortenLine(text, 80) || '(no text)');
  return `<li class="d${depth}${isCurrent ? '' : ' elsewhere'}"><a href="#${anchor}">${linkText}</a>${badge}</li>`;
}

/** Empty if there is only one branch. */
export function renderBranchSelect(transcript: Transcript, { leaves, current }: Branches): string {
  if (leaves.length < 2) return '';
  const options = leaves.map((leaf, index) => {
    const name =
      index === 0
        ? 'Current branch'
        : `Branch ${index + 1}: ${shortenLine(findFirstPrompt(transcript, leaf, current), 60)}`;
    return `<option value="${leaf}">${escapeHtml(name)}</option>`;
  });
  return `<div class="tools"><select id="branch" aria-label="Branch">${options.join('')}</select></div>`;
}

/** The first prompt of a branch that is not on the current branch. */
function findFirstPrompt(transcript: Transcript, leaf: number, current: ReadonlySet<number>): string {
  let first = '';
  for (let at = leaf; at >= 0 && !current.has(at); at = transcript.index.parentPositions[at] ?? -1)
    first = getPromptText(transcript, at) ?? first;
  return first;
}

function groupByParent({ parentPositions }: EntryIndex): Map<number, number[]> {
  const children = new Map<number, number[]>();
  parentPositions.forEach((parent, at) => {
    const siblings = children.get(parent);
    if (siblings) siblings.push(at);
    else children.set(parent, [at]);
  });
  return children;
}

function getPromptText({ messages, index }: Transcript, at: number): string | undefined {
  const message = index.entries[at]?.type === 'message' ? messages[at] : undefined;
  return message?.role === 'user' ? extractText(message.content) : undefined;
}

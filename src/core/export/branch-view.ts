// First floor, core: the branches of a conversation: an outline of its prompts, and a choice of lines to read. Pure.
import { textOf } from '../../protocol/index.ts';
import { messageOf } from '../tree/context-path.ts';
import type { Lineage } from '../tree/lineage.ts';
import { escapeHtml } from './escape.ts';
import { opening } from './words.ts';

export interface Branches {
  /** Where each line of conversation ends, the current one first. */
  readonly leaves: readonly number[];
  /** Positions on the current line. */
  readonly current: ReadonlySet<number>;
}

export function branchesOf({ parents }: Lineage, leaf: number): Branches {
  const followed = new Set(parents);
  const ends = parents.map((_, at) => at).filter((at) => !followed.has(at) && at !== leaf);
  const current = new Set<number>();
  for (let at = leaf; at >= 0; at = parents[at] ?? -1) current.add(at);
  return { leaves: leaf < 0 ? ends : [leaf, ...ends], current };
}

/** Deeper forks than this stand at the same indent. */
const DEEPEST = 6;

/** Prompts in the order they followed one another; what comes after a fork is indented. */
export function outline(lineage: Lineage, current: ReadonlySet<number>, about: (at: number) => Mark): string {
  const children = childrenOf(lineage);
  const items: string[] = [];
  const waiting = (children.get(-1) ?? []).map((at) => ({ at, depth: 0 })).reverse();
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { at, depth } = next;
    const text = promptOf(lineage, at);
    if (text !== undefined) items.push(item(text, depth, current.has(at), about(at)));
    const following = children.get(at) ?? [];
    for (const child of following.toReversed()) {
      waiting.push({ at: child, depth: following.length > 1 ? Math.min(depth + 1, DEEPEST) : depth });
    }
  }
  return `<ol class="outline">${items.join('\n')}</ol>`;
}

interface Mark {
  readonly anchor: string;
  readonly label: string | undefined;
}

function item(text: string, depth: number, isCurrent: boolean, { anchor, label }: Mark): string {
  const badge = label ? ` <mark>${escapeHtml(label)}</mark>` : '';
  const words = escapeHtml(opening(text, 80) || '(no text)');
  return `<li class="d${depth}${isCurrent ? '' : ' elsewhere'}"><a href="#${anchor}">${words}</a>${badge}</li>`;
}

/** A list to choose from; nothing when there is only one line. */
export function chooser(lineage: Lineage, { leaves, current }: Branches): string {
  if (leaves.length < 2) return '';
  const options = leaves.map((leaf, index) => {
    const name =
      index === 0 ? 'Current branch' : `Branch ${index + 1}: ${opening(beginning(lineage, leaf, current), 60)}`;
    return `<option value="${leaf}">${escapeHtml(name)}</option>`;
  });
  return `<div class="tools"><select id="branch" aria-label="Branch">${options.join('')}</select></div>`;
}

/** The first prompt of a line that is not on the current one. */
function beginning(lineage: Lineage, leaf: number, current: ReadonlySet<number>): string {
  let first = '';
  for (let at = leaf; at >= 0 && !current.has(at); at = lineage.parents[at] ?? -1)
    first = promptOf(lineage, at) ?? first;
  return first;
}

function childrenOf({ parents }: Lineage): Map<number, number[]> {
  const children = new Map<number, number[]>();
  parents.forEach((parent, at) => {
    const siblings = children.get(parent);
    if (siblings) siblings.push(at);
    else children.set(parent, [at]);
  });
  return children;
}

function promptOf({ entries }: Lineage, at: number): string | undefined {
  const entry = entries[at];
  const [message] = entry?.type === 'message' ? messageOf(entry) : [];
  return message?.role === 'user' ? textOf(message.content) : undefined;
}

// First floor, core: the branches of a conversation, as an outline of its prompts. Pure.
import { type EntryTree, type SessionEntry, textOf } from '../../protocol/index.ts';
import { anchor } from './entry-view.ts';
import { escapeHtml } from './escape.ts';

/** Every end of a line of conversation; the page shows one line at a time. */
export function leavesOf(tree: readonly EntryTree[]): string[] {
  const leaves: string[] = [];
  const walk = [...tree];
  for (let node = walk.pop(); node; node = walk.pop()) {
    if (node.children.length === 0) leaves.push(node.entry.id);
    walk.push(...node.children);
  }
  return leaves.reverse();
}

/** Prompts under the prompts they followed; a fork is a list inside the list. */
export function outline(tree: readonly EntryTree[], current: ReadonlySet<string>): string {
  const items = tree.map((root) => chain(root, current));
  return `<ol class="outline">${items.join('')}</ol>`;
}

/** Walks down without recursion where there is no fork: a conversation can be ten thousand entries deep. */
function chain(start: EntryTree, current: ReadonlySet<string>): string {
  const items: string[] = [];
  let node: EntryTree | undefined = start;
  while (node) {
    const text = promptOf(node.entry);
    if (text) {
      const here = current.has(node.entry.id) ? '' : ' class="elsewhere"';
      items.push(`<li${here}><a href="#${anchor(node.entry)}">${escapeHtml(text.slice(0, 80))}</a></li>`);
    }
    if (node.children.length > 1) {
      items.push(...node.children.map((child) => `<li class="fork"><ol>${chain(child, current)}</ol></li>`));
      node = undefined;
    } else node = node.children[0];
  }
  return items.join('');
}

function promptOf(entry: SessionEntry): string | undefined {
  if (entry.type !== 'message' || entry.message.role !== 'user') return undefined;
  return textOf(entry.message.content).replace(/\s+/g, ' ').trim() || '(no text)';
}

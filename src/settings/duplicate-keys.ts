// Finds keys that an object of a settings file contains twice. JSON uses only the last of them, so a rule of the first would be lost.
import type { Node } from 'jsonc-parser';
import { Fault } from '../base/index.ts';

const RULE_KEYS = ['permissions.allow', 'permissions.ask', 'permissions.deny'];
const RULE_NAMES = ['permissions', 'allow', 'ask', 'deny', ...RULE_KEYS];

/** Throws a Fault if a list of rules, or the object that contains it, is in the text twice. Parses the text only if a name is. */
export async function checkUniqueRuleLists(text: string): Promise<void> {
  if (RULE_NAMES.some((name) => text.split(`"${name}"`).length > 2)) await checkUniqueKeys(text, RULE_KEYS);
}

/** Throws a Fault if one of the dotted `keys`, or an object that contains it, is in the text twice. */
export async function checkUniqueKeys(text: string, keys: readonly string[]): Promise<void> {
  const { parseTree } = await import('jsonc-parser');
  const tree = parseTree(text, [], { allowTrailingComma: true });
  const duplicate = tree && findDuplicate(tree, keys);
  if (!duplicate) return;
  const line = text.slice(0, duplicate.offset).split('\n').length;
  throw new Fault(
    'config',
    `line ${line} contains ${JSON.stringify(duplicate.value)} a second time, and only the last one counts. Put all of its values into one`,
  );
}

/** Returns the node of the second name. */
function findDuplicate({ type, children = [] }: Node, keys: readonly string[]): Node | undefined {
  if (type !== 'object') return undefined;
  const known = new Set<string>();
  for (const { children: [nameNode, valueNode] = [] } of children) {
    const name = String(nameNode?.value);
    const inner = keys.flatMap((key) => (key.startsWith(`${name}.`) ? [key.slice(name.length + 1)] : []));
    if (!keys.includes(name) && inner.length === 0) continue;
    if (known.has(name)) return nameNode;
    known.add(name);
    const found = valueNode && findDuplicate(valueNode, inner);
    if (found) return found;
  }
  return undefined;
}

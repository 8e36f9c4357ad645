// First floor, core: a schema whose expressions somebody else wrote, a model for example: they are tried where a hopeless one can be
// ended. Knows no thread.
import type { TryPatterns } from '../../contracts/index.ts';
import { type Checked, checkJson } from './json-schema.ts';

export interface Expressions {
  readonly tryPatterns: TryPatterns;
  /** This one takes too long: it forbids nothing. Told once for each check. */
  lost(expression: string): void;
}

/** The same as `checkJson`. What an expression says is found out when the check comes to it, hence in rounds. */
export async function checkPatiently(schema: unknown, value: unknown, expressions: Expressions): Promise<Checked> {
  const known = new Map<string, Map<string, boolean>>();
  for (;;) {
    const open: { expression: string; text: string }[] = [];
    const matches = (expression: string, text: string) => {
      const said = known.get(expression)?.get(text);
      if (said === undefined) open.push({ expression, text });
      return said ?? true;
    };
    const checked = checkJson(schema, value, { root: schema, matches });
    if (open.length === 0) return checked;
    const found = await expressions.tryPatterns(open);
    const lost = new Set<string>();
    for (const [at, { expression, text }] of open.entries()) {
      if (found[at] === undefined) lost.add(expression);
      known.set(expression, (known.get(expression) ?? new Map<string, boolean>()).set(text, found[at] ?? true));
    }
    lost.forEach(expressions.lost);
  }
}

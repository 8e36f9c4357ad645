// Rules that deny files, checked when a file is opened. The path is then known with all links resolved, however the call spells it.
import type { FileAccess } from '../contracts/index.ts';
import { type PathBases, restrictsPath } from './path-pattern.ts';
import { getPathPattern, namesTool, parseRule } from './rule.ts';

/** A rule on `read` also applies to changes, as in the decision about a call. */
const TOOLS_OF_ACCESS = { read: ['read'], write: ['read', 'edit', 'write'] } as const;

/** Returns the rule that denies the access; `undefined` when none does. Names and kinds of files are not denied, only their content. */
export function createDeniedPaths(
  rules: readonly string[],
  bases: readonly PathBases[],
): (realPath: string, access: FileAccess) => string | undefined {
  const withPattern = rules.map(parseRule).filter(({ pattern }) => pattern !== undefined);
  return (realPath, access) => {
    if (access !== 'read' && access !== 'write') return undefined;
    const found = withPattern.find(
      (rule) =>
        TOOLS_OF_ACCESS[access].some((tool) => namesTool(rule, tool)) &&
        bases.some((base) => restrictsPath(getPathPattern(rule), realPath, base)),
    );
    return found?.text;
  };
}

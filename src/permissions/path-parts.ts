// Decides about the files that a call names.
import { decideByPolicy, decidePart, type RuleMatch } from './decide-part.ts';
import { allowsPath, type PathBases, restrictsBelow, restrictsPath } from './path-pattern.ts';
import { type PathSubject, resolvePathSubject } from './path-subject.ts';
import {
  type CompiledRule,
  isRestricting,
  listWholeToolRules,
  type PermissionCheck,
  type PermissionPart,
} from './permission-check.ts';
import { getPathPattern, namesTool } from './rule.ts';

/** Tools that show the names of files and not their content. */
const LISTING_TOOLS: readonly string[] = ['ls', 'find'];

export async function checkPath(check: PermissionCheck, path: string): Promise<PermissionPart> {
  const { call, context } = check;
  const subject = await resolvePathSubject(path, { ...context, cwd: call.cwd });
  const access = call.effect === 'read' ? 'read' : 'write';
  const rules = listPathRules(check, access, call.toolName);
  const canListBelow = !LISTING_TOOLS.includes(call.toolName);
  const matches = matchPath(rules, subject, { canReadBelow: access === 'read' && canListBelow });
  const whole = listWholeToolRules(check).map((found): RuleMatch => ({ found, match: 'yes' }));
  return decidePart(`${call.toolName}(${path})`, [...whole, ...matches], decideByPolicy(context.policy, call.effect));
}

/**
 * The rules for files. `read` rules are for all tools that read files, `edit` and `write` rules for all tools that change files. A
 * `read` rule that restricts also applies to changes, because a tool that changes a file shows parts of it.
 */
export function listPathRules(
  { rules }: PermissionCheck,
  access: 'read' | 'write',
  toolName?: string,
): readonly CompiledRule[] {
  const own = toolName === undefined ? [] : [toolName];
  const allowing = [...own, ...(access === 'read' ? ['read'] : ['edit', 'write'])];
  const restricting = access === 'read' ? allowing : [...allowing, 'read'];
  return rules.filter((found) => {
    const isOwnWhole = found.rule.pattern === undefined && own.some((name) => namesTool(found.rule, name));
    const names = isRestricting(found) ? restricting : allowing;
    return !isOwnWhole && names.some((name) => namesTool(found.rule, name));
  });
}

interface PathMatchOptions {
  /** The tool reads all files below a directory. */
  readonly canReadBelow?: boolean;
  /** The directory of a relative path is not known. */
  readonly isUncertain?: boolean;
}

export function matchPath(
  rules: readonly CompiledRule[],
  subject: PathSubject,
  options: PathMatchOptions = {},
): readonly RuleMatch[] {
  return rules.flatMap((found): RuleMatch[] => {
    const match = isRestricting(found)
      ? matchRestricting(found, subject, options)
      : matchAllowing(found, subject, options);
    return match === undefined ? [] : [{ found, match }];
  });
}

function matchRestricting(
  { rule }: CompiledRule,
  { spellings, real, isDirectory, directories, home }: PathSubject,
  { canReadBelow = false, isUncertain = false }: PathMatchOptions,
): RuleMatch['match'] | undefined {
  if (rule.pattern === undefined) return 'yes';
  const pattern = getPathPattern(rule);
  const listBases = directories.map((cwd): PathBases => ({ cwd, home }));
  if (listBases.some((bases) => spellings.some((path) => restrictsPath(pattern, path, bases)))) return 'yes';
  const isBelow = canReadBelow && isDirectory;
  const mayReadBelow = () => listBases.some((bases) => spellings.some((path) => restrictsBelow(pattern, path, bases)));
  return isUncertain || real === undefined || (isBelow && mayReadBelow()) ? 'maybe' : undefined;
}

function matchAllowing(
  { rule }: CompiledRule,
  { real, directories, home }: PathSubject,
  { isUncertain = false }: PathMatchOptions,
): 'yes' | undefined {
  if (rule.pattern === undefined) return 'yes';
  const cwd = directories.at(-1);
  if (real === undefined || cwd === undefined || isUncertain) return undefined;
  return allowsPath(getPathPattern(rule), real, { cwd, home }) ? 'yes' : undefined;
}

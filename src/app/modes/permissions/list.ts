// `parley permissions list`: the mode and the rules that a session in this directory would use.
import { Fault, getErrorMessage } from '../../../base/index.ts';
import { toPermissionMode } from '../../../protocol/index.ts';
import type { ConfiguredRule } from '../../../settings/index.ts';
import { formatTable } from '../format-table.ts';
import { PERMISSIONS_HELP } from './help.ts';
import { createPermissionsSetup, parsePermissionsArguments } from './setup.ts';

/** A rule is shown whole. */
const MAX_RULE_WIDTH = 2000;
/** From the strongest to the weakest. */
const DECISIONS = ['deny', 'ask', 'allow'] as const;

export async function runPermissionsList(argv: readonly string[], warn: (line: string) => void): Promise<string> {
  const { values, positionals } = parsePermissionsArguments(argv);
  if (positionals[0] !== undefined)
    throw new Fault('config', `Unexpected argument: ${positionals[0]}\n\n${PERMISSIONS_HELP}`);
  const { policy, origin, rules } = await createPermissionsSetup(values, { isLenient: true, warn });
  const mode = toPermissionMode(policy);
  const modeOrigin = values['approval-mode'] === undefined ? origin.approval : '--approval-mode';
  const problem = await findStartProblem(values);
  const sorted = DECISIONS.flatMap((decision) => rules.filter((rule) => rule.decision === decision));
  if (values.json) return `${JSON.stringify({ ...toJson(mode, modeOrigin, sorted), problem }, null, 2)}\n`;
  const problemLine = problem === undefined ? '' : `No session starts with these settings: ${problem}\n`;
  const head = `Mode: ${mode} (from: ${modeOrigin})\n${problemLine}`;
  if (sorted.length === 0)
    return `${head}There are no rules. Add one: parley permissions add allow|ask|deny RULE, for example\n  parley permissions add deny 'bash(git push)'\n`;
  const rows = sorted.map(({ decision, text, scope, origin: file }) => [decision, text, scope, file]);
  return `${head}\n${formatTable(['decision', 'rule', 'scope', 'from'], rows, MAX_RULE_WIDTH)}`;
}

function toJson(mode: string, origin: string, rules: readonly ConfiguredRule[]) {
  const rows = rules.map(({ decision, text, scope, origin: file }) => ({ decision, rule: text, scope, origin: file }));
  return { mode, origin, rules: rows };
}

/** Why a session refuses these settings, which are listed as far as they can be read. */
async function findStartProblem(flags: Parameters<typeof createPermissionsSetup>[0]): Promise<string | undefined> {
  try {
    await createPermissionsSetup(flags, { isLenient: false, warn() {} });
    return undefined;
  } catch (thrown) {
    return getErrorMessage(thrown);
  }
}

// `parley permissions add` and `remove`: change the rules in the user's settings file.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Fault, findClosestMatch, getErrorMessage } from '../../../base/index.ts';
import type { PermissionDecision } from '../../../contracts/index.ts';
import { parseRule, type Rule } from '../../../permissions/index.ts';
import { loadSettings, parseSettingValue, resolveAgentDirectory, type SettingKey } from '../../../settings/index.ts';
import { changeSettings } from '../../../settings/write-settings.ts';
import { homeDirectory } from '../../../support/home-directory.ts';
import { createSystemPorts } from '../../system-ports/index.ts';
import { parseWithHelp } from '../parse-with-help.ts';
import { PERMISSIONS_HELP } from './help.ts';
import { loadKnownTools } from './known-tools.ts';

type RuleLists = Readonly<Record<PermissionDecision, readonly string[]>>;

/** From the strongest to the weakest. */
const DECISIONS = ['deny', 'ask', 'allow'] as const;

export async function runPermissionsAdd(argv: readonly string[], warn: (line: string) => void): Promise<string> {
  const [decision, text, ...extra] = parsePositionals(argv);
  if (!isDecision(decision) || text === undefined || extra.length > 0)
    throw createUsageFault('parley permissions add needs allow, ask or deny, and one RULE');
  const rule = await checkRule(decision, text);
  await reportUnknownTool(rule, warn);
  const { options, file, lists } = await readRules();
  const others = DECISIONS.filter((one) => one !== decision && lists[one].includes(rule.text));
  const hints = others.map((other) => `${describeConflict(rule.text, decision, other)}\n`).join('');
  const key = toKey(decision);
  if (lists[decision].includes(rule.text))
    return `${rule.text} is in ${key} of ${file} already. Nothing was changed.\n${hints}`;
  await changeSettings(options, (getValue) => ({
    [key]: [...new Set([...(getValue(key) as readonly string[]), rule.text])],
  }));
  return `Added to ${key} in ${file}: ${rule.text}\n${hints}`;
}

export async function runPermissionsRemove(argv: readonly string[]): Promise<string> {
  const words = parsePositionals(argv);
  const [first] = words;
  const chosen = words.length === 2 && isDecision(first) ? first : undefined;
  const text = words[chosen ? 1 : 0]?.trim();
  if (!text || words.length > (chosen ? 2 : 1)) throw createUsageFault('parley permissions remove needs one RULE');
  const { options, file, lists } = await readRules();
  const found = (chosen ? [chosen] : DECISIONS).filter((decision) => lists[decision].includes(text));
  if (found.length === 0) {
    const where = chosen ? `${toKey(chosen)} of ${file}` : file;
    throw new Fault('not_found', `There is no rule ${text} in ${where}. \`parley permissions list\` shows all rules.`);
  }
  await changeSettings(options, (getValue) =>
    Object.fromEntries(
      found.map((decision) => {
        const key = toKey(decision);
        const rest = (getValue(key) as readonly string[]).filter((one) => one !== text);
        return [key, rest.length > 0 ? rest : undefined];
      }),
    ),
  );
  return found.map((decision) => `Removed from ${toKey(decision)} in ${file}: ${text}\n`).join('');
}

function parsePositionals(argv: readonly string[]): readonly string[] {
  return parseWithHelp(
    PERMISSIONS_HELP,
    () => parseArgs({ args: [...argv], options: {}, allowPositionals: true }).positionals,
  );
}

function createUsageFault(sentence: string): Fault {
  return new Fault('config', `${sentence}\n\n${PERMISSIONS_HELP}`);
}

function isDecision(word: string | undefined): word is PermissionDecision {
  return DECISIONS.some((decision) => decision === word);
}

function toKey(decision: PermissionDecision) {
  return `permissions.${decision}` as const satisfies SettingKey;
}

/** Both as the settings check it and as it is used. */
async function checkRule(decision: PermissionDecision, text: string): Promise<Rule> {
  const rule = parseRule(text);
  try {
    parseSettingValue(toKey(decision), JSON.stringify([rule.text]));
    const { checkPatterns } = await import('../../../settings/check-patterns.ts');
    await checkPatterns(toKey(decision), [rule.text]);
    return rule;
  } catch (thrown) {
    throw new Fault('config', getErrorMessage(thrown), { cause: thrown });
  }
}

/** It may be a tool of an extension, so the rule is added. */
async function reportUnknownTool({ tool }: Rule, warn: (line: string) => void): Promise<void> {
  const [name = '', ...rest] = tool;
  const names = (await loadKnownTools()).map((known) => known.name);
  if (rest.length > 0 || names.includes(name) || name.startsWith('mcp__')) return;
  const nearest = findClosestMatch(name, names);
  warn(
    `There is no built-in tool ${name}${nearest ? ` (did you mean ${nearest}?)` : ''}. The rule is for a tool of an extension or of the host.`,
  );
}

/** The rules of the user's file. Throws a Fault when a part of it is invalid: changing it could lose a rule. */
async function readRules() {
  const ports = createSystemPorts({});
  const agentDirectory = resolveAgentDirectory(process.env, homeDirectory());
  const { rules, restrictionProblems } = await loadSettings({ files: ports.files, agentDirectory });
  if (restrictionProblems[0] !== undefined) throw new Fault('config', `${restrictionProblems[0]}. Fix it first.`);
  const select = (decision: PermissionDecision) =>
    rules.flatMap((rule) => (rule.decision === decision ? [rule.text] : []));
  const lists: RuleLists = { allow: select('allow'), ask: select('ask'), deny: select('deny') };
  return { options: { ports, agentDirectory }, file: join(agentDirectory, 'settings.json'), lists };
}

function describeConflict(text: string, decision: PermissionDecision, other: PermissionDecision): string {
  const winner = DECISIONS.find((one) => one === decision || one === other);
  return `${text} is also in ${toKey(other)}, and ${winner} wins. To remove it there: parley permissions remove ${other} RULE`;
}

// `parley permissions test`: what happens with a call, and which rule decides. Runs nothing.
import { Fault } from '../../../base/index.ts';
import { sanitize } from '../../../base/safe-text.ts';
import {
  type CallToCheck,
  checkPermission,
  type PermissionResult,
  type PermissionRules,
} from '../../../permissions/index.ts';
import { toPermissionMode } from '../../../protocol/index.ts';
import type { ConfiguredRule } from '../../../settings/index.ts';
import { createPermissionContext } from '../../approval/permission-context.ts';
import { formatTable } from '../format-table.ts';
import { PERMISSIONS_HELP } from './help.ts';
import { loadKnownTools } from './known-tools.ts';
import { createPermissionsSetup, type PermissionsSetup, parsePermissionsArguments } from './setup.ts';

/** A part is shown whole. */
const MAX_PART_WIDTH = 100_000;

export async function runPermissionsTest(argv: readonly string[], warn: (line: string) => void): Promise<string> {
  const { values, positionals } = parsePermissionsArguments(argv);
  const [text, ...extra] = positionals;
  if (text === undefined || extra.length > 0)
    throw new Fault(
      'config',
      `parley permissions test needs one CALL, such as 'bash(git push)'\n\n${PERMISSIONS_HELP}`,
    );
  const setup = await createPermissionsSetup(values, { isLenient: false, warn });
  const call = await toCall(text, setup.cwd, warn);
  const context = { ...(await createPermissionContext(setup)), policy: setup.policy };
  const result = await checkPermission(call, toPermissionRules(setup.rules), context);
  if (!values.json) return formatResult(result, setup);
  const { decision, rule, scope, reason, parts } = result;
  return `${JSON.stringify({ decision, rule, scope, reason, parts })}\n`;
}

async function toCall(text: string, cwd: string, warn: (line: string) => void): Promise<CallToCheck> {
  const [, name, argument] = /^([^\s()]+)(?:\((.+)\))?$/s.exec(text.trim()) ?? [];
  if (name === undefined)
    throw new Fault('config', `A call is TOOL or TOOL(ARGUMENT), such as 'bash(git push)' (got "${text}")`);
  const tool = (await loadKnownTools()).find((known) => known.name === name.toLowerCase());
  const call = { toolName: tool?.name ?? name, effect: tool?.effect ?? 'execute', cwd, isEscalated: false } as const;
  if (argument === undefined) return { ...call, input: {}, subjects: [] };
  const input = toInput(argument);
  if (tool) {
    const subjects = tool.listSubjects?.(input) ?? [];
    if (subjects.length > 0) return { ...call, input, subjects };
    throw new Fault('config', `Rules for ${tool.name} have no pattern: use ${tool.name} without an argument`);
  }
  if (URL.canParse(argument) || name.startsWith('mcp__')) return { ...call, input: { url: argument }, subjects: [] };
  warn(`There is no built-in tool ${name}: its argument is not compared with rules, unless it is a URL.`);
  return { ...call, input: {}, subjects: [] };
}

/** The arguments in which a tool may expect a path, a command or a URL. The tool itself says which it uses. */
function toInput(argument: string): Readonly<Record<string, unknown>> {
  return { path: argument, command: argument, url: argument, verify: { commands: [{ command: argument }] } };
}

function toPermissionRules(rules: readonly ConfiguredRule[]): PermissionRules {
  const select = (decision: ConfiguredRule['decision']) => rules.filter((rule) => rule.decision === decision);
  return { allow: select('allow'), ask: select('ask'), deny: select('deny') };
}

function formatResult(
  { decision, rule, scope, reason, parts }: PermissionResult,
  { rules, policy }: Pick<PermissionsSetup, 'rules' | 'policy'>,
): string {
  const origins = rules.flatMap((one) => (one.text === rule && one.scope === scope ? [one.origin] : []));
  const lines = [
    ['Decision:', decision],
    ['Rule:', rule ?? 'none'],
    ...(scope === null ? [] : [['From:', [scope, ...new Set(origins)].join(', ')]]),
    ['Reason:', reason],
    ['Mode:', toPermissionMode(policy)],
  ];
  const head = lines.map(([name = '', value = '']) => `${name.padEnd(10)}${sanitize(value)}\n`).join('');
  const rows = parts.map((part) => [part.decision, part.text, part.reason]);
  return `${head}\n${formatTable(['decision', 'part', 'reason'], rows, MAX_PART_WIDTH)}`;
}

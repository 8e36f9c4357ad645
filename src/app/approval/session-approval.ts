// Creates the approval hook of a session: its rules come from the settings, and answers can be saved there.
import type { ApprovalControl, Hooks, HostUi, PermissionDecision } from '../../contracts/index.ts';
import type { ScopedRule } from '../../permissions/index.ts';
import { homeDirectory } from '../../support/home-directory.ts';
import type { CreatedAgentOptions } from '../agent-options.ts';
import { createApprovalHook } from './approval-hook.ts';
import { createPermissionContext } from './permission-context.ts';

export interface SessionApprovalOptions {
  readonly agent: CreatedAgentOptions;
  readonly approval: Readonly<ApprovalControl>;
  host(): HostUi | undefined;
}

export function createSessionApproval({
  agent,
  approval,
  host,
}: SessionApprovalOptions): NonNullable<Hooks['toolCall']> {
  const { settings, ports, cwd, home = homeDirectory() } = agent;
  return createApprovalHook({
    ...{ settings, approval, host, cwd },
    rules: () => ({ allow: listRules(agent, 'allow'), ask: listRules(agent, 'ask'), deny: listRules(agent, 'deny') }),
    context: () => createPermissionContext({ ports, settings, home }),
    saveRules: (rules) => saveRules(agent, rules),
    onUnanswerable: agent.warn,
  });
}

function listRules({ permissionRules }: CreatedAgentOptions, decision: PermissionDecision): readonly ScopedRule[] {
  return permissionRules.filter((rule) => rule.decision === decision);
}

/** Reads the rules of the file again: another process may have added some. They hold in the next session of this process, too. */
async function saveRules(
  { ports, agentDirectory, permissionRules }: CreatedAgentOptions,
  rules: readonly string[],
): Promise<void> {
  const { changeSettings } = await import('../../settings/write-settings.ts');
  const origin = await changeSettings({ ports, agentDirectory }, (getValue) => ({
    'permissions.allow': [...new Set([...(getValue('permissions.allow') as readonly string[]), ...rules])],
  }));
  permissionRules.push(...rules.map((text) => ({ decision: 'allow', text, scope: 'user', origin }) as const));
}

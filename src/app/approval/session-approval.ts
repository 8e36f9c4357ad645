// Creates the approval hook of a session: its rules come from the settings, and answers can be saved there.
import type { ApprovalControl, Hooks, HostUi, PermissionDecision } from '../../contracts/index.ts';
import type { ScopedRule } from '../../permissions/index.ts';
import { homeDirectory } from '../../support/home-directory.ts';
import type { AgentOptions } from '../agent-options.ts';
import { createApprovalHook } from './approval-hook.ts';
import { createPermissionContext } from './permission-context.ts';

export interface SessionApprovalOptions {
  readonly agent: AgentOptions;
  readonly approval: Readonly<ApprovalControl>;
  host(): HostUi | undefined;
}

export function createSessionApproval({
  agent,
  approval,
  host,
}: SessionApprovalOptions): NonNullable<Hooks['toolCall']> {
  const { settings, ports, home = homeDirectory() } = agent;
  return createApprovalHook({
    ...{ settings, approval, host },
    rules: () => ({ allow: listRules(agent, 'allow'), ask: listRules(agent, 'ask'), deny: listRules(agent, 'deny') }),
    context: () => createPermissionContext({ ports, settings, home }),
    saveRules: (rules) => saveRules(agent, rules),
  });
}

function listRules({ permissionRules = [] }: AgentOptions, decision: PermissionDecision): readonly ScopedRule[] {
  return permissionRules.filter((rule) => rule.decision === decision);
}

/** Reads the rules again: another process may have added some. */
async function saveRules({ ports, agentDirectory }: AgentOptions, rules: readonly string[]): Promise<void> {
  const { changeSettings } = await import('../../settings/write-settings.ts');
  await changeSettings({ ports, agentDirectory }, (getValue) => {
    const saved = getValue('permissions.allow');
    const known = Array.isArray(saved) ? saved : [];
    return { 'permissions.allow': [...new Set([...known, ...rules])] };
  });
}

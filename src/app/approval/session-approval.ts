// Creates the approval hook of a session: its rules come from the settings, and answers can be saved there.
import type { ApprovalControl, Hooks, HostUi, PermissionDecision } from '../../contracts/index.ts';
import type { ScopedRule } from '../../permissions/index.ts';
import type { SettingValues } from '../../settings/index.ts';
import { homeDirectory, resolveUserPath } from '../../support/home-directory.ts';
import { getShell } from '../../tools/shell.ts';
import type { AgentOptions } from '../agent-options.ts';
import { createApprovalHook } from './approval-hook.ts';

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
  const { settings, ports, cwd, home = homeDirectory() } = agent;
  return createApprovalHook({
    ...{ settings, approval, host },
    rules: () => ({ allow: listRules(agent, 'allow'), ask: listRules(agent, 'ask'), deny: listRules(agent, 'deny') }),
    context: async () => ({
      home,
      shell: await getShell(ports, settings.shellPath),
      env: ports.toolEnv,
      writableRoots: listWritableRoots(settings, { cwd, home }),
      files: ports.files,
    }),
    saveRules: (rules) => saveRules(agent, rules),
  });
}

function listRules({ permissionRules = [] }: AgentOptions, decision: PermissionDecision): readonly ScopedRule[] {
  return permissionRules.filter((rule) => rule.decision === decision);
}

function listWritableRoots(settings: SettingValues, base: { cwd: string; home: string }): readonly string[] {
  return settings['sandbox.writableRoots'].map((path) => resolveUserPath(path, base));
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

// Serves a host that opens its sessions itself. Each session has its own directory, settings, trust decision, model and log.

import { commandTable } from '../../commands/command-table.ts';
import { addMultiSessionCommands } from '../../commands/multi-session/index.ts';
import { createMultiSessionHub } from '../../server/multi-session-hub.ts';
import { applyDefaults, applySettingFlags, loadSettingsForRun } from '../../settings/index.ts';
import { homeDirectory } from '../../support/home-directory.ts';
import { createSettingsReader, decideTrust } from '../../trust/index.ts';
import type { AgentOptions } from '../agent-options.ts';
import { createAgent } from '../create-agent.ts';
import { createSessionPool } from '../session-pool/session-pool.ts';
import type { RpcOptions, ServerSetup } from './server-setup.ts';
import { checkUnknownFlagsLazily, type StartContext, toAgentOptions } from './start-agent.ts';

export async function openMultiSession(
  options: RpcOptions,
  warn: (line: string) => void,
  startContext: StartContext,
  defaults: Readonly<Record<string, unknown>> = {},
): Promise<ServerSetup> {
  const { ports, agentDirectory, decision } = startContext;
  const { files } = ports;
  // Problems with the settings of the start directory have been reported already.
  const reported = new Set<string>(startContext.problems);
  const warnOnce = (line: string) => {
    if (!reported.has(line)) warn(line);
    reported.add(line);
  };
  for (const flag of findIgnoredFlags(options)) warn(`${flag} has no effect when the host opens the sessions; ignored`);
  const agent = toAgentOptions(options, startContext, warn);
  await checkFlagsBeforeServing({ ...agent, trusted: decision.trusted, inventory: decision.inventory }, options, warn);
  const hub = createMultiSessionHub((multiHub) =>
    createSessionPool({
      hub: multiHub,
      agent,
      async loadOptionsFor(project) {
        const { trust, noTrust, set: overrides } = options;
        const trustContext = { files, agentDirectory, cwd: project };
        const { trusted, problem, inventory } = await decideTrust({ ...trustContext, trust, noTrust });
        if (problem) warnOnce(problem);
        const readerOptions = { ...trustContext, home: homeDirectory(), inventory, report: warnOnce };
        const settingsFiles = await createSettingsReader({ ...readerOptions, trusted });
        const settingsOptions = { files: settingsFiles, agentDirectory, project: trusted ? project : undefined };
        const loaded = await loadSettingsForRun({ ...settingsOptions, overrides });
        for (const problem of loaded.problems) warnOnce(problem);
        return { trusted, inventory, settings: applySettingFlags(applyDefaults(loaded, defaults), options) };
      },
      // Each session loads its own extensions, which may register the flag or not.
      onAgentCreated: ({ extensions }) => checkUnknownFlagsLazily(extensions, options, warnOnce),
    }),
  );
  return {
    hub,
    commands: addMultiSessionCommands(commandTable),
    sendInitialNotices: async () => {},
    async close() {
      await hub.close();
      await ports.processes.killAll();
      await ports.close();
    },
  };
}

/**
 * Checks flags of extensions and names of tools before a host is served, as in every other mode. For that it creates an agent and
 * closes it. Sessions in other directories have other extensions: they are checked when they are opened.
 */
async function checkFlagsBeforeServing(
  agent: AgentOptions,
  options: RpcOptions,
  warn: (line: string) => void,
): Promise<void> {
  const { unknown = {}, tools, excludeTools = [] } = options;
  if (Object.keys(unknown).length === 0 && !tools && excludeTools.length === 0) return;
  const { extensions, hub } = await createAgent({ ...agent, persist: false });
  await checkUnknownFlagsLazily(extensions, options, warn).finally(() => hub.close());
}

/** Flags that select the initial session have no effect here, because the host opens the sessions. */
function findIgnoredFlags({ session, sessionId, fork, continue: latest, resume, name }: RpcOptions): string[] {
  const sessionFlags = { session, 'session-id': sessionId, fork, continue: latest, resume, name };
  return Object.entries(sessionFlags).flatMap(([flag, value]) => (value ? [`--${flag}`] : []));
}

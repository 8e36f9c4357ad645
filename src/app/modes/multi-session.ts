// Serves a host that opens its sessions itself. Each session has its own directory, settings, trust decision, model and log.

import { commandTable } from '../../commands/command-table.ts';
import { addMultiSessionCommands } from '../../commands/multi-session/index.ts';
import { createMultiSessionHub, type MultiSessionHub } from '../../server/multi-session-hub.ts';
import { FLAGS, getFieldName } from '../../settings/index.ts';
import { homeDirectory } from '../../support/home-directory.ts';
import { type Inventory, loadProjectSettings, offerTrust } from '../../trust/index.ts';
import type { AgentOptions } from '../agent-options.ts';
import { createAgent } from '../create-agent.ts';
import type { SessionPoolOptions } from '../session-pool/open-session.ts';
import { createSharedServices } from '../session-pool/session-pool.ts';
import type { ServerSetup } from './server-setup.ts';
import {
  checkUnknownFlagsLazily,
  createSettingSources,
  type StartContext,
  type StartOptions,
  toAgentOptions,
} from './start-agent.ts';

export interface MultiSessionOptions extends Pick<SessionPoolOptions, 'storesChoices' | 'workspaces'> {
  /** Values of settings that the user has not set. */
  readonly defaults?: Readonly<Record<string, unknown>> | undefined;
  readonly onExitRequested?: AgentOptions['onExitRequested'];
}

export async function openMultiSession(
  options: StartOptions,
  warn: (line: string) => void,
  startContext: StartContext,
  { defaults = {}, storesChoices, workspaces, onExitRequested }: MultiSessionOptions = {},
): Promise<ServerSetup & { readonly hub: MultiSessionHub }> {
  const { ports, agentDirectory, decision } = startContext;
  // Problems with the settings of the start directory have been reported already.
  const reported = new Set<string>(startContext.problems);
  const warnOnce = (line: string) => {
    if (!reported.has(line)) warn(line);
    reported.add(line);
  };
  const agent = { ...toAgentOptions(ignoreSessionFlags(options, warn), startContext, warn), onExitRequested };
  const checked = { ...agent, trusted: decision.trusted, inventory: decision.inventory };
  await checkFlagsBeforeServing(checked, options, { warn, checksModel: storesChoices });
  const hub = createMultiSessionHub((multiHub) =>
    createSharedServices({
      hub: multiHub,
      agent,
      storesChoices,
      workspaces,
      async loadOptionsFor(cwd) {
        const project = { files: ports.files, agentDirectory, cwd, home: homeDirectory(), flags: options };
        const projectOptions = { ...project, loadDefaults: async () => defaults, warn: warnOnce };
        const { decision, values: settings, rules } = await loadProjectSettings(projectOptions);
        const loadTrusted = (inventory: Inventory) =>
          loadProjectSettings(projectOptions, { trusted: true, reason: 'saved', inventory });
        return {
          trusted: decision.trusted,
          inventory: decision.inventory,
          settings,
          permissionRules: rules,
          settingSources: createSettingSources(projectOptions, options),
          offerTrust: (opened) =>
            offerTrust(opened, {
              ...{ ports, agentDirectory, cwd, reason: decision.reason, notify: opened.session.notify },
              ...{ settings: loadTrusted, noUi: options.noUi },
            }),
        };
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
      await startContext.close();
    },
  };
}

/**
 * Checks flags of extensions and names of tools and of the model before a host is served, as in every other mode. For that it creates
 * an agent and closes it. Sessions in other directories have other extensions: they are checked when they are opened.
 */
async function checkFlagsBeforeServing(
  agent: AgentOptions,
  options: StartOptions,
  { warn, checksModel }: { warn(line: string): void; checksModel: boolean | undefined },
): Promise<void> {
  const { unknown = {}, tools, excludeTools = [], mcpConfig = [], model } = options;
  const isChecked = tools || excludeTools.length > 0 || mcpConfig.length > 0 || (checksModel && model !== undefined);
  if (Object.keys(unknown).length === 0 && !isChecked) return;
  const { extensions, hub } = await createAgent({ ...agent, persist: false });
  await checkUnknownFlagsLazily(extensions, options, warn).finally(() => hub.close());
}

/** Removes the flags that select the first session, with a warning for each that was given: the host opens the sessions. */
function ignoreSessionFlags(options: StartOptions, warn: (line: string) => void): StartOptions {
  const flags = FLAGS.filter(({ isForFirstSession }) => isForFirstSession);
  const entries = Object.entries(options);
  for (const flag of flags) {
    const isGiven = entries.some(([field, value]) => field === getFieldName(flag) && value);
    if (isGiven) warn(`--${flag.name} has no effect when the host opens the sessions; ignored`);
  }
  const fields = new Set(flags.map(getFieldName));
  return { ...Object.fromEntries(entries.filter(([field]) => !fields.has(field))), mode: options.mode };
}

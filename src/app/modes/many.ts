// The hall: serving a host that opens its sessions itself. Each has its own directory, settings, trust, model and log.

import { withDeskCommands } from '../../commands/desk/index.ts';
import { commandTable } from '../../commands/table.ts';
import { createManyHub } from '../../server/many-hub.ts';
import { type AgentOptions, createAgent } from '../compose.ts';
import { createDesk } from '../desk/desk.ts';
import { homeDirectory } from '../home.ts';
import { withSettingFlags } from '../setting-flags.ts';
import { settingsForRun, withDefaults } from '../settings.ts';
import { decideTrust } from '../trust/decide.ts';
import { settingsReading } from '../trust/settings-reading.ts';
import type { RpcOptions, Served } from './served.ts';
import { agentOptionsFrom, judgeFlags, type Prepared } from './start.ts';

export async function openMany(
  options: RpcOptions,
  warn: (line: string) => void,
  prepared: Prepared,
  defaults: Readonly<Record<string, unknown>> = {},
): Promise<Served> {
  const { ports, directory, decision } = prepared;
  const { files } = ports;
  // What was said about the settings of the first directory need not be said again.
  const told = new Set<string>(prepared.problems);
  const warnOnce = (line: string) => {
    if (!told.has(line)) warn(line);
    told.add(line);
  };
  for (const flag of idleFlags(options)) warn(`${flag} means nothing where the host opens the sessions; ignored`);
  const agent = agentOptionsFrom(options, prepared, warn);
  await checkFlags({ ...agent, trusted: decision.trusted, inventory: decision.inventory }, options, warn);
  const hub = createManyHub((many) =>
    createDesk({
      hub: many,
      agent,
      async about(project) {
        const { trust, noTrust, set: overrides } = options;
        const question = { files, agentDirectory: directory, cwd: project };
        const { trusted, problem, inventory } = await decideTrust({ ...question, trust, noTrust });
        if (problem) warnOnce(problem);
        const rules = { ...question, home: homeDirectory(), inventory, report: warnOnce };
        const reading = await settingsReading({ ...rules, trusted });
        const place = { files: reading, directory, project: trusted ? project : undefined };
        const loaded = await settingsForRun({ ...place, overrides });
        for (const problem of loaded.problems) warnOnce(problem);
        return { trusted, inventory, settings: withSettingFlags(withDefaults(loaded, defaults), options) };
      },
      // Every session has extensions of its own, and each of them may know a flag or not.
      made: ({ extensions }) => judgeFlags(extensions, options, warnOnce),
    }),
  );
  return {
    hub,
    commands: withDeskCommands(commandTable),
    introduce: async () => {},
    async close() {
      await hub.close();
      await ports.processes.killAll();
      await ports.close();
    },
  };
}

/**
 * Flags that only extensions can know, and names of tools, are checked before a host is served, as in every other mode. For that
 * an agent is made and closed. Sessions in other directories have other extensions: they are checked when they are opened.
 */
async function checkFlags(agent: AgentOptions, options: RpcOptions, warn: (line: string) => void): Promise<void> {
  const { unknown = {}, tools, excludeTools = [] } = options;
  if (Object.keys(unknown).length === 0 && !tools && excludeTools.length === 0) return;
  const { extensions, hub } = await createAgent({ ...agent, persist: false });
  await judgeFlags(extensions, options, warn).finally(() => hub.close());
}

/** Which session there is at the start is not ours to say. */
function idleFlags({ session, sessionId, fork, continue: latest, resume, name }: RpcOptions): string[] {
  const given = { session, 'session-id': sessionId, fork, continue: latest, resume, name };
  return Object.entries(given).flatMap(([flag, value]) => (value ? [`--${flag}`] : []));
}

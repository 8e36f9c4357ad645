// The hall: serving a host that opens its sessions itself. Each has its own directory, settings, trust, model and log.

import { resolve } from 'node:path';
import { withDeskCommands } from '../../commands/desk/index.ts';
import { commandTable } from '../../commands/table.ts';
import { createManyHub } from '../../server/many-hub.ts';
import { createDesk } from '../desk/desk.ts';
import { homeDirectory } from '../home.ts';
import { withLimitFlags } from '../limits.ts';
import { loadSettings, withDefaults } from '../settings.ts';
import { decideTrust } from '../trust/decide.ts';
import type { RpcOptions, Served } from './served.ts';
import { givenFlags, judgeFlags, type Prepared } from './start.ts';

export function openMany(
  options: RpcOptions,
  warn: (line: string) => void,
  prepared: Prepared,
  defaults: Readonly<Record<string, unknown>> = {},
): Served {
  const { ports, directory, cwd } = prepared;
  const { files } = ports;
  // What was said about the settings of the first directory need not be said again.
  const told = new Set<string>(prepared.problems);
  const warnOnce = (line: string) => {
    if (!told.has(line)) warn(line);
    told.add(line);
  };
  for (const flag of idleFlags(options)) warn(`${flag} means nothing where the host opens the sessions; ignored`);
  const hub = createManyHub((many) =>
    createDesk({
      hub: many,
      agent: {
        cwd,
        agentDirectory: directory,
        home: homeDirectory(),
        settings: prepared.settings,
        ports,
        sessionDirectory: options.sessionDir === undefined ? undefined : resolve(options.sessionDir),
        provider: options.provider,
        model: options.model,
        apiKey: options.apiKey,
        redact: ports.redact,
        withhold: ports.withhold,
        warn,
        modelPatterns: options.models,
        thinkingLevel: options.thinking,
        systemPrompt: options.systemPrompt,
        appendSystemPrompt: options.appendSystemPrompt,
        toolNames: options.noTools ? [] : options.tools,
        skillPaths: options.skill,
        noSkills: options.noSkills,
        templatePaths: options.promptTemplate,
        noTemplates: options.noPromptTemplates,
        noRules: options.noRules,
        maxTurns: options.maxTurns,
        extensions: {
          paths: options.extension?.map((path) => resolve(path)),
          discover: !options.noExtensions,
          flags: givenFlags(options),
          mode: options.mode,
        },
      },
      async about(project) {
        const { trust, noTrust, set: overrides } = options;
        const { trusted } = await decideTrust({ files, agentDirectory: directory, cwd: project, trust, noTrust });
        const loaded = await loadSettings({ files, directory, project: trusted ? project : undefined, overrides });
        for (const problem of loaded.problems) warnOnce(problem);
        return { trusted, settings: withLimitFlags(withDefaults(loaded, defaults), options) };
      },
      // Every session has extensions of its own, and each of them may know a flag or not.
      made: ({ extensions }) => void judgeFlags(extensions, options, warnOnce),
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

/** Which session there is at the start is not ours to say. */
function idleFlags({ session, fork, continue: latest, resume, name, noSession }: RpcOptions): string[] {
  const given = { session, fork, continue: latest, resume, name, 'no-session': noSession };
  return Object.entries(given).flatMap(([flag, value]) => (value ? [`--${flag}`] : []));
}

// Creates the skills, templates and mentions of an agent from flags, settings and extensions. Loaded with the first prompt
// that needs them.
import type { Ports, ResourceLocator, SessionFeatures, SessionGuard } from '../contracts/index.ts';
import { createResources, type Resources } from '../core/resources/resources.ts';
import type { ExtensionHost } from '../extensions/index.ts';
import type { FlagOptions, SettingValues } from '../settings/index.ts';
import { resolveUserPath } from '../support/home-directory.ts';

export interface AgentResourcesOptions
  extends Pick<FlagOptions, 'skillPaths' | 'templatePaths' | 'noSkills' | 'noTemplates' | 'noRules'> {
  features?: Pick<SessionFeatures, 'skills'> | undefined;
  cwd: string;
  home?: string | undefined;
  settings: SettingValues;
  ports: Pick<Ports, 'files' | 'clock'>;
  /** Absent: mentions may name all files of the working directory. */
  guard?: Pick<SessionGuard, 'guardFiles'> | undefined;
  warn?: ((sentence: string) => void) | undefined;
}

export function createAgentResources(
  options: AgentResourcesOptions,
  resourceLocator: ResourceLocator,
  extensions: Pick<ExtensionHost, 'resources'>,
): Resources {
  const { settings, cwd, ports, warn = () => {} } = options;
  const toAbsolute = (path: string) => resolveUserPath(path, options);
  return createResources({
    files: options.guard?.guardFiles(cwd, { isForHost: true }) ?? ports.files,
    resourceLocator,
    cwd,
    get skills() {
      return [...(options.skillPaths ?? []), ...settings.skills].map(toAbsolute);
    },
    get templates() {
      return [...(options.templatePaths ?? []), ...settings.prompts].map(toAbsolute);
    },
    async getExtraPaths() {
      const { skills = [], templates = [] } = (await extensions.resources()) ?? {};
      return { skills: skills.map(toAbsolute), templates: templates.map(toAbsolute) };
    },
    shouldFindSkills: !options.noSkills,
    shouldFindTemplates: !options.noTemplates,
    areSkillsEnabled: () => options.features?.skills !== false,
    get hasSkillCommands() {
      return settings.enableSkillCommands;
    },
    warn,
  });
}

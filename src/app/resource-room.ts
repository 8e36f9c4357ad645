// The hall: the room of skills, templates and mentions, furnished as flags, settings and extensions say. Loaded with the first
// prompt that needs it.
import type { Features, Places, Ports } from '../contracts/index.ts';
import { createResources, type Resources } from '../core/resources/resources.ts';
import type { ExtensionFront } from './extensions/front.ts';
import { pathFrom } from './home.ts';
import type { SettingValues } from './settings-table.ts';

/** What whoever starts an agent may say about them. */
export interface ResourceChoices {
  /** Files or folders beside those that are found. */
  skillPaths?: readonly string[] | undefined;
  templatePaths?: readonly string[] | undefined;
  /** Look into none of the usual folders. */
  noSkills?: boolean | undefined;
  noTemplates?: boolean | undefined;
  noRules?: boolean | undefined;
}

export interface Surroundings extends ResourceChoices {
  features?: Pick<Features, 'skills'> | undefined;
  cwd: string;
  home?: string | undefined;
  settings: SettingValues;
  ports: Pick<Ports, 'files' | 'clock'>;
  warn?: ((sentence: string) => void) | undefined;
}

export function openResources(
  options: Surroundings,
  places: Places,
  extensions: Pick<ExtensionFront, 'resources'>,
): Resources {
  const { settings, cwd, ports, warn = () => {} } = options;
  const at = (path: string) => pathFrom(path, options);
  return createResources({
    files: ports.files,
    places,
    cwd,
    get skills() {
      return [...(options.skillPaths ?? []), ...settings.skills].map(at);
    },
    get templates() {
      return [...(options.templatePaths ?? []), ...settings.prompts].map(at);
    },
    async added() {
      const { skills = [], templates = [] } = (await extensions.resources()) ?? {};
      return { skills: skills.map(at), templates: templates.map(at) };
    },
    lookForSkills: !options.noSkills,
    lookForTemplates: !options.noTemplates,
    hasSkills: () => options.features?.skills !== false,
    get skillCommands() {
      return settings.enableSkillCommands;
    },
    warn,
  });
}

// The hall: skills, templates and mentions of an agent, loaded when the first prompt needs them.
import type { Features, Hooks, Places, Ports, PromptResources, WatchPatterns } from '../contracts/index.ts';
import type { RuleOptions } from '../core/index.ts';
import type { Resources } from '../core/resources/resources.ts';
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

interface Surroundings extends ResourceChoices {
  features?: Pick<Features, 'skills'> | undefined;
  cwd: string;
  home?: string | undefined;
  settings: SettingValues;
  ports: Pick<Ports, 'files' | 'clock'>;
  warn?: ((sentence: string) => void) | undefined;
}

export function resourcesFor(
  options: Surroundings,
  places: Places,
  extensions: Pick<ExtensionFront, 'resources'>,
): { hooks: Hooks; prompt: PromptResources } {
  let loaded: Promise<Resources> | undefined;
  const load = () => {
    loaded ??= import('../core/resources/resources.ts').then(({ createResources }) =>
      createResources(chosen(options, places, extensions)),
    );
    return loaded;
  };
  return {
    hooks: {
      async input(said) {
        const isPlain = !said.text.startsWith('/') && !said.text.includes('@');
        return isPlain ? undefined : (await load()).input(said);
      },
      commands: async () => (await load()).commands(),
    },
    prompt: {
      skillsBlock: async () => (await load()).skillsBlock(),
      systemFile: async (name) => (await load()).systemFile(name),
      forget: () => void loaded?.then((resources) => resources.forget()),
    },
  };
}

/** Rules that interrupt an answer. What looks for them is loaded when there are any. */
export function rulesFor(options: Surroundings, places: Places): RuleOptions | undefined {
  const { settings, ports, warn } = options;
  if (options.noRules || !settings['ttsr.enabled']) return undefined;
  let watch: WatchPatterns | undefined;
  return {
    async find() {
      const { findRules } = await import('../core/resources/rules.ts');
      const problems: string[] = [];
      const rules = await findRules(ports.files, await places.folders('rules'), problems);
      for (const problem of problems) warn?.(problem);
      if (rules.length > 0) watch ??= (await import('./system-ports/pattern-watch.ts')).createPatternWatch(ports);
      return rules;
    },
    watch(patterns, news) {
      if (!watch) throw new Error('rules are watched only after they were found');
      return watch(patterns, news);
    },
    contextMode: settings['ttsr.contextMode'],
    repeatMode: settings['ttsr.repeatMode'],
    repeatGap: settings['ttsr.repeatGap'],
  };
}

function chosen(options: Surroundings, places: Places, extensions: Pick<ExtensionFront, 'resources'>) {
  const { settings, cwd, ports, warn = () => {} } = options;
  const at = (path: string) => pathFrom(path, options);
  return {
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
    skillCommands: settings.enableSkillCommands,
    warn,
  };
}

// The hall: skills, templates and mentions of an agent, loaded when the first prompt needs them.
import type { Hooks, Places, PromptResources, WatchPatterns } from '../contracts/index.ts';
import type { RuleOptions } from '../core/index.ts';
import type { Resources } from '../core/resources/resources.ts';
import type { ExtensionFront } from './extensions/front.ts';
import type { Surroundings } from './resource-room.ts';

export function resourcesFor(
  options: Surroundings,
  places: Places,
  extensions: Pick<ExtensionFront, 'resources'>,
): { hooks: Hooks; prompt: PromptResources } {
  let loaded: Promise<Resources> | undefined;
  const load = () => {
    loaded ??= import('./resource-room.ts').then(({ openResources }) => openResources(options, places, extensions));
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
      skills: async () => (await load()).skills(),
      systemFile: async (name) => (await load()).systemFile(name),
      forget: () => void loaded?.then((resources) => resources.forget()),
    },
  };
}

/** Rules that interrupt an answer. What looks for them is loaded when there are any. */
export function rulesFor(options: Surroundings, places: Places): RuleOptions | undefined {
  const { settings, ports, warn } = options;
  if (options.noRules) return undefined;
  let watch: WatchPatterns | undefined;
  return {
    async find() {
      if (!settings['ttsr.enabled']) return [];
      const { findRules } = await import('../core/resources/rules.ts');
      const problems: string[] = [];
      const rules = await findRules(places.reading, await places.folders('rules'), problems);
      for (const problem of problems) warn?.(problem);
      if (rules.length > 0) watch ??= (await import('./system-ports/pattern-watch.ts')).createPatternWatch(ports);
      return rules;
    },
    watch(patterns, news) {
      if (!watch) throw new Error('rules are watched only after they were found');
      return watch(patterns, news);
    },
    get contextMode() {
      return settings['ttsr.contextMode'];
    },
    get repeatMode() {
      return settings['ttsr.repeatMode'];
    },
    get repeatGap() {
      return settings['ttsr.repeatGap'];
    },
  };
}

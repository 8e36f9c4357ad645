// Loads skills, templates and mentions of an agent when the first prompt needs them.
import type { CreatePatternMatcher, Hooks, PromptResources, ResourceLocator } from '../contracts/index.ts';
import type { Resources, RuleOptions } from '../core/index.ts';
import type { ExtensionHost } from '../extensions/index.ts';
import type { AgentResourcesOptions } from './agent-resources.ts';

export interface LazyResources {
  readonly hooks: Hooks;
  readonly prompt: PromptResources;
}

export function createLazyResources(
  options: AgentResourcesOptions,
  resourceLocator: ResourceLocator,
  extensions: Pick<ExtensionHost, 'resources'>,
): LazyResources {
  let loaded: Promise<Resources> | undefined;
  const load = () => {
    loaded ??= import('./agent-resources.ts').then(({ createAgentResources }) =>
      createAgentResources(options, resourceLocator, extensions),
    );
    return loaded;
  };
  return {
    hooks: {
      async input(input) {
        const hasNoReferences = !input.text.startsWith('/') && !input.text.includes('@');
        return hasNoReferences ? undefined : (await load()).input(input);
      },
      listSlashCommands: async () => (await load()).commands(),
    },
    prompt: {
      buildSkillsBlock: async () => (await load()).buildSkillsBlock(),
      listSkills: async () => (await load()).listSkills(),
      readSystemFile: async (name) => (await load()).readSystemFile(name),
      clearCache: () => void loaded?.then((resources) => resources.clearCache()),
    },
  };
}

/** Rules that interrupt an answer. The pattern matcher is loaded only when there are rules. */
export function createRuleOptions(
  options: AgentResourcesOptions,
  resourceLocator: ResourceLocator,
): RuleOptions | undefined {
  const { settings, ports, warn } = options;
  if (options.noRules) return undefined;
  let createMatcher: CreatePatternMatcher | undefined;
  return {
    async loadRules() {
      if (!settings['ttsr.enabled']) return [];
      const { findRules } = await import('../core/resources/rules.ts');
      const problems: string[] = [];
      const rules = await findRules(resourceLocator.reader, await resourceLocator.listDirectories('rules'), problems);
      for (const problem of problems) warn?.(problem);
      if (rules.length > 0)
        createMatcher ??= (await import('./system-ports/pattern-matcher.ts')).createPatternMatcherFactory(ports);
      return rules;
    },
    createPatternMatcher(patterns, listener) {
      if (!createMatcher) throw new Error('createPatternMatcher() was called before loadRules()');
      return createMatcher(patterns, listener);
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

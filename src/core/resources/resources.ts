// Loads skills and templates and expands slash commands and mentions in the input.
import { getErrorMessage } from '../../base/index.ts';
import type {
  Files,
  InputHookResult,
  PromptResources,
  ResourceLocator,
  SlashCommand,
  SubmittedInput,
} from '../../contracts/index.ts';
import type { FrontmatterDocument } from '../../support/frontmatter.ts';
import { readDocument, readTextFile } from './markdown-files.ts';
import { addMentions } from './mentions.ts';
import { expandSkillCommand, findSkills, formatSkillsBlock, type Skill } from './skills.ts';
import { fillTemplate, findTemplates, splitArguments, type Template } from './templates.ts';

export interface ResourceOptions {
  /** Reads mentioned files. */
  readonly files: Pick<Files, 'info' | 'read' | 'realPath'>;
  readonly resourceLocator: ResourceLocator;
  readonly cwd: string;
  /** Files and folders from settings and flags. */
  readonly skills: readonly string[];
  readonly templates: readonly string[];
  /** Paths from extensions. Called whenever the resources are loaded. */
  getExtraPaths?(): Promise<{ readonly skills: readonly string[]; readonly templates: readonly string[] }>;
  /** Whether the default folders are searched. */
  readonly shouldFindSkills: boolean;
  readonly shouldFindTemplates: boolean;
  /** Called each time, because the user can turn skills on and off. */
  areSkillsEnabled?(): boolean;
  /** Whether `/skill:name` is a command. */
  readonly hasSkillCommands: boolean;
  warn(message: string): void;
}

export interface Resources extends PromptResources {
  input(submittedInput: SubmittedInput): Promise<InputHookResult | undefined>;
  commands(): Promise<readonly SlashCommand[]>;
}

interface FoundResources {
  readonly skills: readonly Skill[];
  readonly templates: readonly Template[];
}

const SKILL_COMMAND = /^\/skill:(\S+)\s*([\s\S]*)$/;
const TEMPLATE_COMMAND = /^\/([^\s/]+)\s*([\s\S]*)$/;

export function createResources(options: ResourceOptions): Resources {
  const { resourceLocator } = options;
  const resourceCache = new ResourceCache(options);
  const clearCache = () => resourceCache.clear();
  resourceLocator.onTrusted(clearCache);
  return {
    input: (submittedInput) => expandInput(options, resourceCache, submittedInput),
    commands: () => listCommands(options, resourceCache),
    buildSkillsBlock: async () => formatSkillsBlock(await resourceCache.loadEnabledSkills()),
    async listSkills() {
      const visibleSkills = (await resourceCache.loadEnabledSkills()).filter(({ isHidden }) => !isHidden);
      return visibleSkills.map(({ name, description, path }) => ({ name, description, filePath: path }));
    },
    readSystemFile: (name) => readSystemFile(resourceLocator, name),
    clearCache,
  };
}

/** Finds the resources on first use and reports each problem once. */
class ResourceCache {
  readonly #options: ResourceOptions;
  readonly #reported = new Set<string>();
  #found: Promise<FoundResources> | undefined;

  constructor(options: ResourceOptions) {
    this.#options = options;
  }

  loadAll(): Promise<FoundResources> {
    this.#found ??= findResources(this.#options, (message) => this.#warnOnce(message));
    return this.#found;
  }

  async loadEnabledSkills(): Promise<readonly Skill[]> {
    const { areSkillsEnabled = () => true } = this.#options;
    return areSkillsEnabled() ? (await this.loadAll()).skills : [];
  }

  clear(): void {
    this.#found = undefined;
  }

  #warnOnce(message: string): void {
    if (!this.#reported.has(message)) this.#options.warn(message);
    this.#reported.add(message);
  }
}

async function expandInput(
  options: ResourceOptions,
  resourceCache: ResourceCache,
  { text, images, source }: SubmittedInput,
): Promise<InputHookResult | undefined> {
  if (source === 'extension') return undefined;
  const { templates } = text.startsWith('/') ? await resourceCache.loadAll() : { templates: [] };
  const expandedText = text.startsWith('/')
    ? await expandCommand(options, { skills: await resourceCache.loadEnabledSkills(), templates }, text)
    : undefined;
  const withMentions = text.includes('@')
    ? await addMentions(options.files, options.cwd, expandedText ?? text)
    : undefined;
  if (withMentions) return { text: withMentions.text, images: [...images, ...withMentions.images] };
  return expandedText === undefined ? undefined : { text: expandedText };
}

async function listCommands(
  { hasSkillCommands }: ResourceOptions,
  resourceCache: ResourceCache,
): Promise<readonly SlashCommand[]> {
  const { templates } = await resourceCache.loadAll();
  const commandSkills = hasSkillCommands ? await resourceCache.loadEnabledSkills() : [];
  return [
    ...templates.map(
      ({ name, description, level, path }): SlashCommand => ({
        name,
        description,
        source: 'prompt',
        location: level,
        path,
      }),
    ),
    ...commandSkills.map(
      ({ name, description, level, path }): SlashCommand => ({
        name: `skill:${name}`,
        description,
        source: 'skill',
        location: level,
        path,
      }),
    ),
  ];
}

async function readSystemFile(resourceLocator: ResourceLocator, name: string): Promise<string | undefined> {
  for (const { path } of resourceLocator.listFiles(name)) {
    const text = (await readTextFile(resourceLocator.reader, path).catch(() => undefined))?.trim();
    if (text) return text;
  }
  return undefined;
}

async function findResources(options: ResourceOptions, warn: (message: string) => void): Promise<FoundResources> {
  const { resourceLocator } = options;
  const files = resourceLocator.reader;
  const problems: string[] = [];
  const [skillFolders, templateFolders] = await Promise.all([
    options.shouldFindSkills ? resourceLocator.listDirectories('skills') : [],
    options.shouldFindTemplates ? resourceLocator.listDirectories('prompts') : [],
  ]);
  const extraPaths = await options.getExtraPaths?.();
  const explicitPaths = {
    skills: [...options.skills, ...(extraPaths?.skills ?? [])],
    templates: [...options.templates, ...(extraPaths?.templates ?? [])],
  };
  const skills = await findSkills(files, { folders: skillFolders, named: explicitPaths.skills }, problems);
  const templates = await findTemplates(files, { folders: templateFolders, named: explicitPaths.templates }, problems);
  for (const message of problems) warn(message);
  return { skills, templates };
}

/** The expanded text of a slash command; `undefined` when the command is neither a skill nor a template. */
async function expandCommand(
  options: ResourceOptions,
  { skills, templates }: FoundResources,
  text: string,
): Promise<string | undefined> {
  const [, name, instructions = ''] = SKILL_COMMAND.exec(text) ?? [];
  if (name !== undefined && options.hasSkillCommands) {
    const skill = skills.find((candidate) => candidate.name === name);
    const document = skill && (await readSkillDocument(options, skill.path));
    return skill && document ? expandSkillCommand(skill, document.body, instructions.trim()) : undefined;
  }
  const [, templateName, argumentText = ''] = TEMPLATE_COMMAND.exec(text) ?? [];
  const template = templates.find((candidate) => candidate.name === templateName);
  return template && fillTemplate(template.body, splitArguments(argumentText));
}

/** Reads the file again: the skill may have been edited since it was found. */
async function readSkillDocument(
  { resourceLocator, warn }: ResourceOptions,
  path: string,
): Promise<FrontmatterDocument | undefined> {
  try {
    return await readDocument(resourceLocator.reader, path);
  } catch (thrown) {
    warn(`${path}: ${getErrorMessage(thrown)}`);
    return undefined;
  }
}

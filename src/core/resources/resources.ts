// First floor, core: skills, templates and mentions of one agent, as the hooks by which a prompt is put into words.
import type { Document } from '../../base/frontmatter.ts';
import { messageOf } from '../../base/index.ts';
import type { Files, InputVerdict, Places, PromptResources, Said, SlashCommand } from '../../contracts/index.ts';
import { readDocument, readWhole } from './markdown-files.ts';
import { addMentions } from './mentions.ts';
import { findSkills, type Skill, skillCall, skillsBlock } from './skills.ts';
import { fillIn, findTemplates, splitArguments, type Template } from './templates.ts';

export interface ResourceOptions {
  /** For files that are mentioned. */
  readonly files: Pick<Files, 'info' | 'read' | 'resolve'>;
  readonly places: Places;
  readonly cwd: string;
  /** Files and folders named in settings and flags. */
  readonly skills: readonly string[];
  readonly templates: readonly string[];
  /** Those that others add, asked for whenever they are looked for. */
  added?(): Promise<{ readonly skills: readonly string[]; readonly templates: readonly string[] }>;
  /** Whether the usual folders are looked into. */
  readonly lookForSkills: boolean;
  readonly lookForTemplates: boolean;
  /** Skills may be switched off, and on again. */
  hasSkills?(): boolean;
  /** Whether `/skill:name` is understood. */
  readonly skillCommands: boolean;
  warn(sentence: string): void;
}

export interface Resources extends PromptResources {
  input(said: Said): Promise<InputVerdict | undefined>;
  commands(): Promise<readonly SlashCommand[]>;
}

interface Found {
  readonly skills: readonly Skill[];
  readonly templates: readonly Template[];
}

const SKILL_COMMAND = /^\/skill:(\S+)\s*([\s\S]*)$/;
const TEMPLATE_COMMAND = /^\/([^\s/]+)\s*([\s\S]*)$/;

export function createResources(options: ResourceOptions): Resources {
  const { files, places, cwd, hasSkills = () => true } = options;
  const told = new Set<string>();
  let found: Promise<Found> | undefined;
  const all = () => {
    found ??= find(options, (sentence) => {
      if (!told.has(sentence)) options.warn(sentence);
      told.add(sentence);
    });
    return found;
  };
  const skillsNow = async () => (hasSkills() ? (await all()).skills : []);
  const forget = () => {
    found = undefined;
  };
  places.onTrust(forget);
  return {
    async input({ text, images, source }) {
      if (source === 'extension') return undefined;
      const { templates } = text.startsWith('/') ? await all() : { templates: [] };
      const worded = text.startsWith('/')
        ? await expanded(options, { skills: await skillsNow(), templates }, text)
        : undefined;
      const mentioned = text.includes('@') ? await addMentions(files, cwd, worded ?? text) : undefined;
      if (mentioned) return { text: mentioned.text, images: [...images, ...mentioned.images] };
      return worded === undefined ? undefined : { text: worded };
    },
    async commands() {
      const { templates } = await all();
      const offered = options.skillCommands ? await skillsNow() : [];
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
        ...offered.map(
          ({ name, description, level, path }): SlashCommand => ({
            name: `skill:${name}`,
            description,
            source: 'skill',
            location: level,
            path,
          }),
        ),
      ];
    },
    skillsBlock: async () => skillsBlock(await skillsNow()),
    async skills() {
      const told = (await skillsNow()).filter(({ hidden }) => !hidden);
      return told.map(({ name, description, path }) => ({ name, description, filePath: path }));
    },
    async systemFile(name) {
      for (const { path } of places.files(name)) {
        const text = (await readWhole(places.reading, path).catch(() => undefined))?.trim();
        if (text) return text;
      }
      return undefined;
    },
    forget,
  };
}

async function find(options: ResourceOptions, warn: (sentence: string) => void): Promise<Found> {
  const { places } = options;
  const files = places.reading;
  const problems: string[] = [];
  const [skillFolders, templateFolders] = await Promise.all([
    options.lookForSkills ? places.folders('skills') : [],
    options.lookForTemplates ? places.folders('prompts') : [],
  ]);
  const added = await options.added?.();
  const named = {
    skills: [...options.skills, ...(added?.skills ?? [])],
    templates: [...options.templates, ...(added?.templates ?? [])],
  };
  const skills = await findSkills(files, { folders: skillFolders, named: named.skills }, problems);
  const templates = await findTemplates(files, { folders: templateFolders, named: named.templates }, problems);
  for (const sentence of problems) warn(sentence);
  return { skills, templates };
}

/** What a word with a slash stands for; `undefined` when it is none of ours. */
async function expanded(
  options: ResourceOptions,
  { skills, templates }: Found,
  text: string,
): Promise<string | undefined> {
  const [, name, rest = ''] = SKILL_COMMAND.exec(text) ?? [];
  if (name !== undefined && options.skillCommands) {
    const skill = skills.find((one) => one.name === name);
    const document = skill && (await bodyOf(options, skill.path));
    return skill && document ? skillCall(skill, document.body, rest.trim()) : undefined;
  }
  const [, word, words = ''] = TEMPLATE_COMMAND.exec(text) ?? [];
  const template = templates.find((one) => one.name === word);
  return template && fillIn(template.body, splitArguments(words));
}

/** Read anew: a skill may have been edited since it was found. */
async function bodyOf({ places, warn }: ResourceOptions, path: string): Promise<Document | undefined> {
  try {
    return await readDocument(places.reading, path);
  } catch (thrown) {
    warn(`${path}: ${messageOf(thrown)}`);
    return undefined;
  }
}

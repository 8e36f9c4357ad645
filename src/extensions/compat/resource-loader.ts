// `DefaultResourceLoader` of pi: reads skills, prompt templates and context files. Those of the project count only if it is trusted.
import { dirname, resolve } from 'node:path';
import type { Ports, ResourceLocator } from '../../contracts/index.ts';
import { findContextFiles } from '../../core/context/context-files.ts';
import { findSkills } from '../../core/resources/skills.ts';
import { findTemplates } from '../../core/resources/templates.ts';
import { createSourceInfo } from '../../support/source-info.ts';

export interface ResourceLoaderOptions {
  ports: Ports;
  agentDirectory: string;
  /** The working directory of the agent. */
  cwd: string;
  resourceLocator: Pick<ResourceLocator, 'listDirectories' | 'listFiles' | 'reader'>;
}

/** The options of pi that have an effect. */
export interface LoaderOptions {
  cwd?: string;
  additionalSkillPaths?: readonly string[];
  additionalPromptTemplatePaths?: readonly string[];
  extensionFactories?: readonly unknown[];
  additionalExtensionPaths?: readonly string[];
  noSkills?: boolean;
  noPromptTemplates?: boolean;
  noContextFiles?: boolean;
  systemPrompt?: string;
  appendSystemPrompt?: string | readonly string[];
  skillsOverride?: Override<Listed<'skills', Skill>>;
  promptsOverride?: Override<Listed<'prompts', Prompt>>;
  agentsFilesOverride?: Override<{ agentsFiles: AgentsFile[] }>;
  systemPromptOverride?: Override<string | undefined>;
  appendSystemPromptOverride?: Override<string[]>;
}

type Override<T> = (base: T) => T;
type Listed<K extends string, T> = { [key in K]: T[] } & { diagnostics: Diagnostic[] };
type Diagnostic = { type: 'warning'; message: string };
type AgentsFile = { path: string; content: string };

interface Skill {
  name: string;
  description: string;
  filePath: string;
  baseDir: string;
  sourceInfo: unknown;
  disableModelInvocation: boolean;
}

interface Prompt {
  name: string;
  description: string;
  content: string;
  filePath: string;
  sourceInfo: unknown;
}

/** The methods that `createAgentSession` uses. */
export interface PiResourceLoader {
  getSkills(): Listed<'skills', Skill>;
  getPrompts(): Listed<'prompts', Prompt>;
  getAgentsFiles(): { agentsFiles: AgentsFile[] };
  getSystemPrompt(): string | undefined;
  getAppendSystemPrompt(): string[];
  getExtensions(): { extensions: unknown[]; errors: { path: string; error: string }[]; runtime: unknown };
  reload(): Promise<void>;
}

const NO_NESTED_EXTENSIONS = 'Parley loads no extensions in the session of an extension';

export function createResourceLoaderClass(
  context: ResourceLoaderOptions,
): new (
  options?: LoaderOptions,
) => PiResourceLoader {
  return class DefaultResourceLoader extends ResourceLoader {
    constructor(options: LoaderOptions = {}) {
      super(context, options);
    }
  };
}

class ResourceLoader implements PiResourceLoader {
  readonly #context: ResourceLoaderOptions;
  readonly #options: LoaderOptions;
  readonly #cwd: string;
  #skills: Listed<'skills', Skill> = { skills: [], diagnostics: [] };
  #prompts: Listed<'prompts', Prompt> = { prompts: [], diagnostics: [] };
  #agentsFiles: AgentsFile[] = [];
  #systemPrompt: string | undefined;
  #appendSystemPrompt: string[] = [];

  constructor(context: ResourceLoaderOptions, options: LoaderOptions) {
    this.#context = context;
    this.#options = options;
    this.#cwd = resolve(options.cwd ?? context.cwd);
  }

  readonly getSkills = () => this.#skills;
  readonly getPrompts = () => this.#prompts;
  readonly getThemes = () => ({ themes: [], diagnostics: [] });
  readonly getAgentsFiles = () => ({ agentsFiles: this.#agentsFiles });
  readonly getSystemPrompt = () => this.#systemPrompt;
  readonly getAppendSystemPrompt = () => this.#appendSystemPrompt;
  readonly getSystemPromptSource = (): undefined => undefined;
  readonly getAppendSystemPromptSources = (): never[] => [];
  readonly getPathMetadata = () => new Map();
  readonly extendResources = (): void => {};

  /** The extensions that were asked for are listed as errors. */
  readonly getExtensions = () => {
    const { extensionFactories = [], additionalExtensionPaths = [] } = this.#options;
    const paths = [...extensionFactories.map((_, at) => `<inline:${at + 1}>`), ...additionalExtensionPaths];
    return { extensions: [], errors: paths.map((path) => ({ path, error: NO_NESTED_EXTENSIONS })), runtime: {} };
  };

  readonly reload = async (): Promise<void> => {
    const { noContextFiles, agentsFilesOverride, systemPromptOverride, appendSystemPromptOverride } = this.#options;
    await Promise.all([this.#loadSkills(), this.#loadPrompts()]);
    const found = noContextFiles
      ? []
      : (await findContextFiles(this.#context.ports.files, this.#context.agentDirectory, this.#cwd)).found;
    this.#agentsFiles = (agentsFilesOverride?.({ agentsFiles: [...found] }) ?? { agentsFiles: [...found] }).agentsFiles;
    const systemPrompt = this.#options.systemPrompt ?? (await this.#readSystemFile('SYSTEM.md'));
    this.#systemPrompt = systemPromptOverride ? systemPromptOverride(systemPrompt) : systemPrompt;
    const append = this.#options.appendSystemPrompt ?? (await this.#readSystemFile('APPEND_SYSTEM.md')) ?? [];
    const parts = typeof append === 'string' ? [append] : [...append];
    this.#appendSystemPrompt = appendSystemPromptOverride ? appendSystemPromptOverride(parts) : parts;
  };

  async #loadSkills(): Promise<void> {
    const { noSkills, additionalSkillPaths = [], skillsOverride } = this.#options;
    const problems: string[] = [];
    const named = additionalSkillPaths.map((path) => resolve(this.#cwd, path));
    const folders = noSkills ? [] : await this.#listFolders('skills');
    const found = await findSkills(this.#context.resourceLocator.reader, { folders, named }, problems);
    const skills = found.map(({ name, description, path, level, isHidden }) => ({
      name,
      description,
      filePath: path,
      baseDir: dirname(path),
      sourceInfo: createSourceInfo({ path, location: level }),
      disableModelInvocation: isHidden,
    }));
    const base = { skills, diagnostics: problems.map(toDiagnostic) };
    this.#skills = skillsOverride?.(base) ?? base;
  }

  async #loadPrompts(): Promise<void> {
    const { noPromptTemplates, additionalPromptTemplatePaths = [], promptsOverride } = this.#options;
    const problems: string[] = [];
    const named = additionalPromptTemplatePaths.map((path) => resolve(this.#cwd, path));
    const folders = noPromptTemplates ? [] : await this.#listFolders('prompts');
    const found = await findTemplates(this.#context.resourceLocator.reader, { folders, named }, problems);
    const prompts = found.map(({ name, description, path, level, body }) => ({
      name,
      description,
      content: body,
      filePath: path,
      sourceInfo: createSourceInfo({ path, location: level }),
    }));
    const base = { prompts, diagnostics: problems.map(toDiagnostic) };
    this.#prompts = promptsOverride?.(base) ?? base;
  }

  /** The project of another directory is not trusted. */
  async #listFolders(kind: 'skills' | 'prompts') {
    const folders = await this.#context.resourceLocator.listDirectories(kind);
    return this.#cwd === this.#context.cwd ? folders : folders.filter(({ level }) => level === 'user');
  }

  async #readSystemFile(name: string): Promise<string | undefined> {
    for (const { path, level } of this.#context.resourceLocator.listFiles(name)) {
      if (level === 'project' && this.#cwd !== this.#context.cwd) continue;
      const bytes = await this.#context.resourceLocator.reader.read(path).catch(() => undefined);
      if (bytes) return new TextDecoder().decode(bytes).trim();
    }
    return undefined;
  }
}

function toDiagnostic(message: string): Diagnostic {
  return { type: 'warning', message };
}

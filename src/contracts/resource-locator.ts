// Locates the resources of the user and of a trusted project: extensions, skills, prompts, rules, agents and system prompt files.
import type { SystemPromptSources } from './hooks.ts';
import type { Files } from './ports.ts';

export type ResourceKind = 'extensions' | 'skills' | 'prompts' | 'rules' | 'agents';

export interface ResourcePath {
  readonly path: string;
  readonly level: 'project' | 'user';
}

/** The files of the user and the project that become part of the system prompt. */
export interface PromptResources {
  /** The description of the skills for the model; empty when there are none. */
  buildSkillsBlock(): Promise<string>;
  /** The skills that are described to the model. */
  listSkills(): Promise<SystemPromptSources['skills']>;
  /** The project's file when the project is trusted and has one, otherwise the user's file. */
  readSystemFile(name: 'SYSTEM.md' | 'APPEND_SYSTEM.md'): Promise<string | undefined>;
  /** The next session reads the files again. */
  clearCache(): void;
}

export interface ResourceLocator {
  /** Whether the resources of the project are used. Before that, none of them are read. */
  readonly isTrusted: boolean;
  /** Search paths by precedence: the project's directories when it is trusted, then the user's. They may not exist. */
  listDirectories(kind: ResourceKind): Promise<readonly ResourcePath[]>;
  /** The files with MCP servers, by precedence. */
  listMcpFiles(): readonly ResourcePath[];
  /** Search paths of a single file next to those directories, such as SYSTEM.md. */
  listFiles(name: string): readonly ResourcePath[];
  /**
   * Reads the paths of `listDirectories` and `listFiles`. A file of a trusted project that links out of the project, or that has
   * changed since it was trusted, is treated as absent and reported to the user.
   */
  readonly reader: Pick<Files, 'info' | 'list' | 'read'>;
  /** Throws a Fault when project code at this path, or a file that it imports, has changed since it was trusted. */
  verifyCode(path: string): Promise<void>;
  /** Calls `act` when the user trusts the project while the agent is running. A returned promise delays the confirmation. */
  onTrusted(act: () => void | Promise<void>): void;
}

// Ground floor: where things lie that shape the agent: the user's own, and the project's once it is trusted.
import type { PromptSources } from './hooks.ts';
import type { Files } from './ports.ts';

export type ResourceKind = 'extensions' | 'skills' | 'prompts' | 'rules' | 'agents';

export interface Place {
  readonly path: string;
  readonly level: 'project' | 'user';
}

/** Texts that users and projects keep in files, as far as they stand before a conversation. */
export interface PromptResources {
  /** What the model is told of its skills; empty when there are none. */
  skillsBlock(): Promise<string>;
  /** The project's when it is trusted and has one, otherwise the user's. */
  /** Those that the model is told of. */
  skills(): Promise<PromptSources['skills']>;
  systemFile(name: 'SYSTEM.md' | 'APPEND_SYSTEM.md'): Promise<string | undefined>;
  /** The next conversation looks anew. */
  forget(): void;
}

export interface Places {
  /** Whether what the project brings along counts. Until it does, none of it is read. */
  readonly trusted: boolean;
  /** Where to look, the strongest first: the project's folders when it is trusted, then the user's. They need not exist. */
  folders(kind: ResourceKind): Promise<readonly Place[]>;
  /** The same for a single file beside those folders, such as SYSTEM.md. */
  files(name: string): readonly Place[];
  /**
   * Reads what `folders` and `files` name. A file of a trusted project that leads out of the project, or that is not what was
   * trusted, is as if it were not there; the user is told.
   */
  readonly reading: Pick<Files, 'info' | 'list' | 'read'>;
  /** Throws a Fault when code of the project at this path, or what it imports, is not what was trusted. */
  verifyCode(path: string): Promise<void>;
  /** Runs `act` when the person at the host trusts the project while the agent runs. A promise is waited for before they are told. */
  onTrust(act: () => void | Promise<void>): void;
}

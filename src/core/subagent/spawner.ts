// Dependencies and settings of the subagent runner. The app provides them. Interfaces only.
import type { AgentSession, ProcessIdentity, SessionStore, TestPatterns } from '../../contracts/index.ts';
import type { VerificationOnFailure } from '../../protocol/index.ts';
import type { SessionOptions } from '../session/session-options.ts';
import type { AgentRegistry } from './agent-registry.ts';

export interface VerificationProfile {
  mode?: string | undefined;
  commands?: readonly unknown[] | undefined;
  lspDiagnostics?: boolean | undefined;
  maxRetries?: number | undefined;
  onFailure?: VerificationOnFailure | undefined;
}

export interface SubagentSettings {
  readonly maxConcurrency: number;
  readonly maxRecursionDepth: number;
  readonly disabledAgents: readonly string[];
  /** Model by agent name. Takes precedence over the model in the agent's file. */
  readonly modelOverrides: Readonly<Record<string, string>>;
  readonly isolation: {
    readonly mode: 'none' | 'worktree' | 'fuse-overlay' | 'fuse-projfs';
    readonly merge: 'patch' | 'branch';
    readonly commits: 'generic' | 'ai';
  };
  readonly verification: {
    readonly enabled: boolean;
    readonly defaultProfile: string;
    readonly requireForIsolated: boolean;
    readonly maxRetries: number;
    readonly failureContextLineLimit: number;
    readonly profiles: Readonly<Record<string, VerificationProfile>>;
  };
}

export interface Spawner {
  /** Options of the user's own session. A subagent's session overrides some of them. */
  readonly base: SessionOptions;
  openSession(options: SessionOptions): Promise<AgentSession>;
  getAgentRegistry(): Promise<AgentRegistry>;
  /** A store whose next log is the file `name` in this folder; an in-memory store when sessions are not saved. */
  createLogStore(folder: string, name: string): SessionStore;
  readonly savesLogs: boolean;
  readonly testPatterns: TestPatterns;
  readonly settings: SubagentSettings;
  readonly worktreesDirectory: string;
  readonly processIdentity: ProcessIdentity;
}

// First floor, core: what whoever starts subagents has to work with. The app fills it in. Interfaces only.
import type { AgentSession, SessionStore, TryPatterns } from '../../contracts/index.ts';
import type { VerificationOnFailure } from '../../protocol/index.ts';
import type { SessionOptions } from '../session/options.ts';
import type { Roster } from './roster.ts';

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
  /** The model of an agent by its name, in the place of what its file says. */
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

/** This process among others, for whoever finds what it left behind. */
export interface ProcessMark {
  readonly self: { readonly pid: number; readonly startTime?: number | undefined; readonly host: string };
  isAlive(pid: number, startTime: number | undefined): Promise<boolean>;
}

export interface Spawner {
  /** What the user's own session was made with; a subagent's differs from it in a few things. */
  readonly base: SessionOptions;
  open(options: SessionOptions): Promise<AgentSession>;
  roster(): Promise<Roster>;
  /** A store whose next log is the file `name` in this folder; in memory when nothing is kept. */
  logs(folder: string, name: string): SessionStore;
  readonly keepsLogs: boolean;
  readonly tryPatterns: TryPatterns;
  readonly settings: SubagentSettings;
  /** Where worktrees are made. */
  readonly worktrees: string;
  readonly process: ProcessMark;
}

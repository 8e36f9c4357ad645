// First floor, core: where isolated tasks work and how their work comes back. Interfaces only; git is behind them.
import type { SubagentResult } from '../../protocol/index.ts';

/** A copy of the repository for one task. */
export interface Workspace {
  readonly cwd: string;
  /**
   * What was changed since it was made, as a patch or a branch; nothing of it has reached the main tree. When it is
   * called again, the files of the last call are replaced as soon as the new ones are complete.
   */
  capture(how: CaptureHow): Promise<Captured>;
  /** Removes what was captured. */
  discard(): Promise<void>;
  /** Removes it. Never rejects. */
  leave(): Promise<void>;
}

export interface CaptureHow {
  readonly asBranch: boolean;
  /** The words of the commit, when there is one. */
  message(patch: string): string | Promise<string>;
}

export type Captured = Pick<SubagentResult, 'patchPath' | 'branchName' | 'nestedPatches' | 'newRepositories'>;

export interface Merged {
  readonly text: string;
  /** Nothing is left that exists only as a patch or a branch. */
  readonly isComplete: boolean;
}

/** The copies of one call of the task tool: all begin with the same state. */
export interface Isolation {
  enter(id: string): Promise<Workspace>;
  /** Brings back what is good. The sentence is for the model; a task whose work does not fit gets an error. */
  merge(results: SubagentResult[]): Promise<Merged>;
  /** Applies nothing: the changes stay in their patches and branches. The reason is a clause without a full stop. */
  keep(results: SubagentResult[], reason: string): Promise<Merged>;
  close(): Promise<void>;
}

export type BeginIsolation = (options: { folder: string; signal: AbortSignal }) => Promise<Isolation>;

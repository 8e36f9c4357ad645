// Interfaces of isolated workspaces and of merging their changes. The implementation uses git.
import type { SubagentResult } from '../../protocol/index.ts';

/** A copy of the repository for one task. */
export interface Workspace {
  readonly cwd: string;
  /**
   * Saves the changes since the workspace was created as a patch or a branch. Does not touch the main tree. A second call
   * replaces the files of the first one as soon as the new files are complete.
   */
  capture(options: CaptureOptions): Promise<CapturedChange>;
  /** Removes the captured files. */
  discardCapture(): Promise<void>;
  /** Removes the workspace. Never rejects. */
  remove(): Promise<void>;
}

export interface CaptureOptions {
  readonly asBranch: boolean;
  /** The commit message; called only for a branch. */
  createMessage(patch: string): string | Promise<string>;
}

export type CapturedChange = Pick<SubagentResult, 'patchPath' | 'branchName' | 'nestedPatches' | 'newRepositories'>;

export interface MergeResult {
  readonly text: string;
  /** Whether every change was applied: none exists only as a patch or a branch. */
  readonly isComplete: boolean;
}

/** The workspaces of one call of the task tool. All of them start from the same snapshot. */
export interface Isolation {
  /** `patch` is an earlier change of the task, which is applied to the workspace. Throws a Fault when it does not apply. */
  createWorkspace(id: string, patch?: string): Promise<Workspace>;
  /** Applies the changes of successful tasks. The text is for the model. A task whose change does not apply gets an error. */
  merge(results: SubagentResult[]): Promise<MergeResult>;
  /** Applies nothing; the changes stay in their patches and branches. `reason` is a clause without a full stop. */
  skipMerge(results: SubagentResult[], reason: string): Promise<MergeResult>;
  close(): Promise<void>;
}

export type BeginIsolation = (options: { folder: string; signal: AbortSignal }) => Promise<Isolation>;

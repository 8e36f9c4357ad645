// Types for the decision whether a project is trusted.
import type { Files } from '../contracts/index.ts';
import type { Inventory } from './inventory.ts';

export interface DecideTrustOptions {
  readonly files: Pick<Files, 'info' | 'list' | 'read' | 'realPath' | 'userId'>;
  readonly agentDirectory: string;
  readonly cwd: string;
  /** `--trust`, `--no-trust`. */
  readonly trust?: boolean | undefined;
  readonly noTrust?: boolean | undefined;
}

export interface TrustDecision {
  readonly trusted: boolean;
  /**
   * - `flag`: decided by a flag, for this run.
   * - `saved`: decided earlier, and the project is unchanged.
   * - `changed`: decided earlier, but the project has changed since.
   * - `undecided`: not decided.
   */
  readonly reason: 'flag' | 'saved' | 'changed' | 'undecided';
  readonly problem?: string | undefined;
  /** The configuration and extensions of the project, when a saved decision trusts them. */
  readonly inventory?: Inventory | undefined;
}

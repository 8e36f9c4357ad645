// The hall: the question whether a project counts, and its answer. Words only.
import type { Files } from '../../contracts/index.ts';
import type { Inventory } from './inventory.ts';

export interface TrustQuestion {
  readonly files: Pick<Files, 'info' | 'list' | 'read' | 'resolve' | 'userId'>;
  readonly agentDirectory: string;
  readonly cwd: string;
  /** `--trust`, `--no-trust`. */
  readonly trust?: boolean | undefined;
  readonly noTrust?: boolean | undefined;
}

export interface TrustDecision {
  readonly trusted: boolean;
  /**
   * - `said`: a flag, for this run.
   * - `remembered`: decided earlier, and nothing has changed.
   * - `changed`: decided earlier, but about something else.
   * - `open`: nobody has decided.
   */
  readonly because: 'said' | 'remembered' | 'changed' | 'open';
  readonly problem?: string | undefined;
  /** The configuration and extensions of the project as they were compared with an earlier decision that trusts them. */
  readonly inventory?: Inventory | undefined;
}

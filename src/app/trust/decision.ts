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
  /** Gets what is there, when an earlier decision trusts it. */
  onInventory?(inventory: Inventory): void;
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
}

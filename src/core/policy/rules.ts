// First floor, core: how rules act upon answers. Words only; the app fills them in.
import type { WatchPatterns } from '../../contracts/index.ts';
import type { Rule } from '../../protocol/index.ts';

export interface RuleOptions {
  /** Looked for once for each conversation. */
  find(): Promise<readonly Rule[]>;
  watch: WatchPatterns;
  readonly contextMode: 'discard' | 'keep';
  readonly repeatMode: 'once' | 'after-gap';
  /** In turns. */
  readonly repeatGap: number;
}

/** Written on an answer that a rule interrupted and that the model shall not see again. */
export const DISCARDED = 'Interrupted by a rule';

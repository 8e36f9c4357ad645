// Options for rules that interrupt answers.
import type { CreatePatternMatcher } from '../../contracts/index.ts';
import type { Rule } from '../../protocol/index.ts';

export interface RuleOptions {
  /** Called once per conversation. */
  loadRules(): Promise<readonly Rule[]>;
  createPatternMatcher: CreatePatternMatcher;
  readonly contextMode: 'discard' | 'keep';
  readonly repeatMode: 'once' | 'after-gap';
  /** In turns. */
  readonly repeatGap: number;
}

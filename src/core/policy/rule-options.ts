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

/** The error message of an answer that a rule interrupted and that is not sent to the model again. */
export const INTERRUPTED_BY_RULE = 'Interrupted by a rule';

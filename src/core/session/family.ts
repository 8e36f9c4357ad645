// First floor, core: what ties a subagent's session to the one that started it. Interfaces only.
import type { Subagents, Tool } from '../../contracts/index.ts';
import type { BudgetReason, Model, SubagentSnapshot, ThinkingLevel } from '../../protocol/index.ts';
import type { Spending } from '../policy/budget.ts';
import type { Emit } from './broadcast.ts';

/** What is spent from. A subagent's is filled by its parent's. */
export interface Purse {
  spend(spending: Spending): undefined | Promise<void>;
  /** Why nothing more may be begun. */
  readonly violation: BudgetReason | undefined;
  /** Why what has begun must stop. Having started as many subagents as allowed is no reason. */
  readonly exhausted: BudgetReason | undefined;
}

/** The subagents of all depths under one session of a user. */
export interface Children {
  /** Those at work, by their ids. */
  readonly live: Map<string, SubagentSnapshot>;
  /** Where the words of each are kept, also when it is over. */
  readonly files: Map<string, string>;
}

/** What a subagent's session knows of where it comes from. */
export interface Family {
  /** 1 for those that the user's own session started. */
  readonly depth: number;
  readonly id: string;
  readonly agent: string;
  /** Which agents it may start itself. */
  readonly spawns: '*' | readonly string[];
  /** To the host: subagents of all depths are told of in one stream. */
  readonly emit: Emit;
  readonly children: Children;
  readonly purse: Purse | undefined;
  /** What its answer must look like; asked of those that it starts, too, unless they have a form of their own. */
  readonly schema: unknown;
}

/** What a session lends to whoever starts subagents for it. */
export interface SubagentHost {
  readonly family: Family | undefined;
  readonly cwd: string;
  readonly model: Model | null;
  readonly thinkingLevel: ThinkingLevel;
  readonly purse: Purse | undefined;
  readonly emit: Emit;
  readonly children: Children;
  tools(): Promise<readonly Tool[]>;
  /** Where logs, outputs and patches go. */
  folder(): Promise<string>;
  /** Something in it is wanted after the end, also of a session that is not kept. */
  keepFolder(): void;
  /** Closing the session waits for it. */
  track(work: Promise<unknown>): void;
}

export type CreateSubagents = (host: SubagentHost) => Subagents;

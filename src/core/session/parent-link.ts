// Interfaces between a subagent's session and the session that started it.
import type { Emit, SubagentRunner, Tool } from '../../contracts/index.ts';
import type { BudgetReason, Model, SubagentSnapshot, ThinkingLevel } from '../../protocol/index.ts';
import type { Spending } from '../policy/budget.ts';

/** A budget that spending is charged to. A subagent charges the account of its parent. */
export interface BudgetAccount {
  charge(spending: Spending): undefined | Promise<void>;
  /** Why no new work may start. */
  readonly exceededLimit: BudgetReason | undefined;
  /** Why running work must stop. Unlike `exceededLimit` it ignores the limit on the number of subagents. */
  readonly stoppingLimit: BudgetReason | undefined;
}

/** All direct and indirect subagents of a user's session. */
export interface SubagentRegistry {
  /** Running subagents by id. */
  readonly running: Map<string, SubagentSnapshot>;
  /** Log file of each subagent by id, including finished ones. */
  readonly logFiles: Map<string, string>;
}

/** What a subagent's session knows about its parent. */
export interface ParentLink {
  /** 1 for a subagent of the user's session. */
  readonly depth: number;
  readonly id: string;
  readonly agent: string;
  /** The agents that this subagent may start. */
  readonly spawns: '*' | readonly string[];
  /** Emits to the host. Events of all depths go into one stream. */
  readonly emit: Emit;
  readonly subagentRegistry: SubagentRegistry;
  readonly budgetAccount: BudgetAccount | undefined;
  /** Schema of the answer. Subagents that this one starts use it too, unless they have their own schema. */
  readonly outputSchema: unknown;
}

/** What a session provides to the code that starts its subagents. */
export interface SubagentHost {
  readonly parentLink: ParentLink | undefined;
  readonly cwd: string;
  readonly model: Model | null;
  readonly thinkingLevel: ThinkingLevel;
  readonly budgetAccount: BudgetAccount | undefined;
  readonly emit: Emit;
  readonly subagentRegistry: SubagentRegistry;
  listInheritableTools(): Promise<readonly Tool[]>;
  /** The directory for logs, outputs and patches. */
  ensureArtifactDirectory(): Promise<string>;
  /** Keeps the directory after the session closes, even if the session has no file. */
  retainArtifacts(): void;
  /** Closing the session waits for `work`. */
  trackWork(work: Promise<unknown>): void;
}

export type SubagentsFactory = (host: SubagentHost) => SubagentRunner;

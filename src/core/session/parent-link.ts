// Interfaces between a subagent's session and the session that started it.
import type { Emit, SubagentRunner, TaskOptions, TaskRequest, Tool, ToolResult } from '../../contracts/index.ts';
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

/** Controls a running subagent. */
export interface SubagentHandle {
  steer(message: string): Promise<void>;
  /** Resolves when it has ended. */
  stop(reason?: string): Promise<void>;
}

/** What is kept of a subagent, to list it and to continue it. */
export interface SubagentRecord {
  readonly snapshot: SubagentSnapshot;
  /** The options of its task. */
  readonly request: Pick<TaskRequest, 'isolated' | 'verify' | 'schema'>;
  /** Its change includes nested repositories. */
  readonly hasNestedChanges?: boolean | undefined;
  /** The directory of its log, its output and its change. */
  readonly folder: string;
}

/** All direct and indirect subagents of a user's session. */
export interface SubagentRegistry {
  /** Running subagents by id. */
  readonly running: Map<string, SubagentSnapshot>;
  /** Controls of the running subagents by id. */
  readonly handles: Map<string, SubagentHandle>;
  /** Log file of each subagent by id, including finished ones. */
  readonly logFiles: Map<string, string>;
  /** Records of subagents by id. Those of an earlier process are read when they are needed. */
  readonly records: Map<string, SubagentRecord>;
  /** Resolves when the merges so far are done: two merges must not change the same tree at the same time. */
  lastMerge: Promise<unknown>;
}

export function createSubagentRegistry(): SubagentRegistry {
  return {
    running: new Map(),
    handles: new Map(),
    logFiles: new Map(),
    records: new Map(),
    lastMerge: Promise.resolve(),
  };
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
  /** The same directory, if it exists. */
  findArtifactDirectory(): Promise<string | undefined>;
  /** Keeps the directory after the session closes, even if the session has no file. */
  retainArtifacts(): void;
  /** Closing the session waits for `work`. */
  trackWork(work: Promise<unknown>): void;
}

/** Runs the subagents of a session. */
export interface Subagents extends SubagentRunner {
  /** Continues a subagent that has ended. `message` is its next prompt. */
  resume(record: SubagentRecord, message: string, options: TaskOptions): Promise<ToolResult>;
  /** Reads the records of an earlier process into the registry. */
  loadRecords(): Promise<void>;
}

export type SubagentsFactory = (host: SubagentHost) => Subagents;

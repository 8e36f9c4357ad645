// First floor, core: what a session is made with. The app fills it in; nothing here knows where the values come from.
import type {
  Hooks,
  Models,
  Places,
  Ports,
  PromptResources,
  ResumedSession,
  RunShell,
  SessionStore,
  Tool,
  ToolOptions,
} from '../../contracts/index.ts';
import type { InterruptMode, Model, QueueMode, ThinkingLevel } from '../../protocol/index.ts';
import type { BudgetLimits } from '../policy/budget-limits.ts';
import type { CompactionSettings } from '../policy/compaction.ts';
import type { RetrySettings } from '../policy/retry.ts';
import type { RuleOptions } from '../policy/rules.ts';
import type { TodoOptions } from '../policy/todos.ts';
import type { CreateSubagents, Family } from './family.ts';

export interface SessionOptions {
  ports: Ports;
  store: SessionStore;
  models: Models;
  model: Model | null;
  /** The user named the model: it is used also where a resumed session says another. */
  modelAsked?: boolean;
  thinkingLevel: ThinkingLevel;
  /** Loaded when first needed; the same ones every time. */
  tools(): Promise<readonly Tool[]>;
  /** Names of tools that are never offered: not even when an extension or the host brings one of that name. */
  excludedTools?: readonly string[] | undefined;
  /** Names of tools that run any command. A model that is offered none of them may not name verification commands either. */
  commandTools?: readonly string[] | undefined;
  /** Whether one of them can be used now; all of them when absent. */
  offers?: ((tool: Tool) => boolean) | undefined;
  toolOptions: ToolOptions;
  runShell: RunShell;
  cwd: string;
  /** The user's own directory; its notes come before the project's. */
  agentDirectory: string;
  /** Where things lie that shape the agent. */
  places: Places;
  /** Texts that users and projects keep in files. */
  resources?: PromptResources | undefined;
  /** Do not read AGENTS.md and CLAUDE.md. */
  noContextFiles?: boolean | undefined;
  systemPrompt?: string | undefined;
  appendSystemPrompt?: string | undefined;
  name?: string | undefined;
  /** The id of the first conversation, when a host chose it. */
  id?: string | undefined;
  /** The file of the first conversation, when one was chosen: it is empty or absent. */
  file?: string | undefined;
  /** Go on with this conversation instead of beginning one. */
  resumed?: ResumedSession | undefined;
  steeringMode: QueueMode;
  followUpMode: QueueMode;
  interruptMode: InterruptMode;
  compaction: CompactionSettings;
  retry: RetrySettings;
  /** Absent when no limit is set. */
  budget?: BudgetLimits | undefined;
  /** How many turns one prompt may take. */
  maxTurns?: number | undefined;
  /** Of things to do that the model has left; nothing is said of them when absent. */
  todos?: TodoOptions | undefined;
  /** Rules that interrupt an answer; absent when they are off. */
  rules?: RuleOptions | undefined;
  /** Who may object to what happens, or change it, in the order they are asked. */
  hooks?: readonly Hooks[] | undefined;
  /** Absent where there is no task tool. */
  subagents?: CreateSubagents | undefined;
  /** This session is a subagent's. */
  family?: Family | undefined;
}

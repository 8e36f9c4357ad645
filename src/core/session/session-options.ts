// The options of createSession.
import type {
  ApprovalControl,
  CommandPorts,
  Hooks,
  ModelRegistry,
  Ports,
  PromptResources,
  ResourceLocator,
  ResumedSession,
  RunShell,
  SessionGuard,
  SessionMcp,
  SessionStore,
  Tool,
  ToolOptions,
} from '../../contracts/index.ts';
import type { InterruptMode, Model, QueueMode, ThinkingLevel } from '../../protocol/index.ts';
import type { BudgetLimits } from '../policy/budget-limits.ts';
import type { CompactionSettings } from '../policy/compaction-policy.ts';
import type { RetrySettings } from '../policy/retry-policy.ts';
import type { RuleOptions } from '../policy/rule-options.ts';
import type { ParentLink, SubagentsFactory } from './parent-link.ts';

export interface SessionOptions {
  ports: Ports;
  store: SessionStore;
  models: ModelRegistry;
  model: Model | null;
  /** The user chose the model. It overrides the model of a resumed session. */
  isModelExplicit?: boolean;
  thinkingLevel: ThinkingLevel;
  /** Loaded on first use. Every call returns the same tools. */
  tools(): Promise<readonly Tool[]>;
  /** Names of tools that are never offered, even if an extension or the host registers a tool with that name. */
  excludedTools?: readonly string[] | undefined;
  /** Names of tools that run arbitrary commands. A model without such a tool may not specify verification commands either. */
  commandTools?: readonly string[] | undefined;
  /** Whether a tool can be used now. If absent, all tools can. */
  isToolAvailable?: ((tool: Tool) => boolean) | undefined;
  toolOptions: ToolOptions;
  /** Shared with the subagents of the session. */
  mcp?: SessionMcp | undefined;
  runShell: RunShell;
  cwd: string;
  /** The user's directory for settings. Its context file comes before those of the project. */
  agentDirectory: string;
  /** Finds the resource directories of the user and the project. */
  resourceLocator: ResourceLocator;
  /** Prompt files of the user and the project. */
  resources?: PromptResources | undefined;
  /** Do not read AGENTS.md and CLAUDE.md. */
  noContextFiles?: boolean | undefined;
  systemPrompt?: string | undefined;
  appendSystemPrompt?: string | undefined;
  name?: string | undefined;
  /** The id of the first conversation, if a host chose it. */
  id?: string | undefined;
  /** The file of the first conversation, if one was chosen. It is empty or does not exist. */
  file?: string | undefined;
  /** Resume this conversation instead of starting a new one. */
  resumed?: ResumedSession | undefined;
  steeringMode: QueueMode;
  followUpMode: QueueMode;
  interruptMode: InterruptMode;
  compaction: CompactionSettings;
  retry: RetrySettings;
  /** Absent when no limit is set. */
  budget?: BudgetLimits | undefined;
  /** The maximum number of turns per prompt. */
  maxTurns?: number | undefined;
  /** Reminders of open todo items. No reminders if absent. */
  todos?: TodoOptions | undefined;
  /** Rules that interrupt an answer. Absent if they are off. */
  rules?: RuleOptions | undefined;
  /** See AgentSession.loadPorts. */
  loadPorts?: (() => Promise<CommandPorts>) | undefined;
  /** Read by the approval hook. Absent: no approvals. */
  approval?: ApprovalControl | undefined;
  /** Absent: tools may use all files, and there is no sandbox. */
  guard?: SessionGuard | undefined;
  /** In the order in which they are called. */
  hooks?: readonly Hooks[] | undefined;
  /** Absent if there is no task tool. */
  createSubagents?: SubagentsFactory | undefined;
  /** Set if this session belongs to a subagent. */
  parentLink?: ParentLink | undefined;
}

interface TodoOptions {
  readonly reminders: boolean;
  readonly maxReminders: number;
}

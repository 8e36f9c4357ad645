// What the MCP servers of an agent need from it, and what it uses of them.
import type {
  AgentSession,
  HostUi,
  InputHookResult,
  ResourceLocator,
  SessionMcp,
  SlashCommand,
  SubmittedInput,
  Tool,
} from '../../contracts/index.ts';
import type { AgentOptions } from '../agent-options.ts';

export interface McpAgentContext {
  readonly options: AgentOptions;
  readonly resourceLocator: ResourceLocator;
  /** Undefined while the agent is being created. */
  session(): AgentSession | undefined;
  host(): HostUi | undefined;
}

export interface AgentMcp extends SessionMcp {
  readonly tools: readonly Tool[];
  /** The next call of `prepare` reads the definitions again. */
  reload(): void;
  expandPrompt(input: SubmittedInput): Promise<InputHookResult | undefined>;
  listSlashCommands(): readonly SlashCommand[];
}

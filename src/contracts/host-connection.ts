// The connected host for commands: host tool calls, event filter and subagent subscription.
import type { ToolResult } from './tool-result.ts';

export interface HostToolInvocation {
  toolCallId: string;
  toolName: string;
  arguments: Record<string, unknown>;
}

/** `off`: only start and end of subagents. `progress`: also their progress. `events`: also all events of their sessions. */
export type SubagentSubscription = 'off' | 'progress' | 'events';

export interface HostConnection {
  /** Runs a tool of the host. Throws a Fault when the dialect has no host tools, the host has closed, or the result is invalid. */
  callTool(
    call: HostToolInvocation,
    options: { signal: AbortSignal; update(partial: ToolResult): void },
  ): Promise<ToolResult>;
  /** Sends only these events from now on, by their names on the wire; all events with `null`. */
  setEventFilter(events: readonly string[] | null): void;
  setSubagentSubscription(level: SubagentSubscription): Promise<void>;
}

// The connected host for commands: host tool calls, event filter and subagent subscription.
import type { HostUriContent } from './host-uris.ts';
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
  /** Reads or writes a URI in the host. Fails like `callTool`. */
  requestUri(
    request: { operation: 'read' | 'write'; url: string; content?: string | undefined },
    signal: AbortSignal,
  ): Promise<HostUriContent>;
  /** Sends only these events from now on, by their names on the wire; all events with `null`. */
  setEventFilter(events: readonly string[] | null): void;
  setSubagentSubscription(level: SubagentSubscription): Promise<void>;
  /** From now on, frames that are too large for one line are split. Throws a Fault when the dialect cannot do that. */
  enableChunks(): Promise<void>;
  /**
   * Called when the connection has ended, while the session continues with other clients. Absent for a host that has its session for
   * itself.
   */
  onDisconnected?(act: () => void): void;
  /** The JSON Schema of the dialect. Throws a Fault when it is not available. */
  readSchema(): Promise<{ dialect: string; schema: Record<string, unknown> }>;
}

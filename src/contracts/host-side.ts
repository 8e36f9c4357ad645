// Ground floor: what a host does for the agent, and what it wants to hear. Knows no wire.
import type { ToolResult } from './tool-result.ts';

export interface HostedCall {
  toolCallId: string;
  toolName: string;
  arguments: Record<string, unknown>;
}

/** Nothing, what they are doing now and then, or everything that happens in their sessions. */
export type SubagentLevel = 'off' | 'progress' | 'events';

export interface HostSide {
  /** Has a tool of the host carried out. Throws a Fault when the host cannot be asked, has gone, or answers nonsense. */
  carryOut(call: HostedCall, options: { signal: AbortSignal; update(partial: ToolResult): void }): Promise<ToolResult>;
  /** Only these events from here on, by their names on the wire; all of them with `null`. */
  listenTo(events: readonly string[] | null): void;
  watchSubagents(level: SubagentLevel): Promise<void>;
}

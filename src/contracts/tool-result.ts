// The result of a tool call.
import type { ImageContent, TextContent } from '../protocol/index.ts';

export interface ToolResult {
  content: (TextContent | ImageContent)[];
  /** For display by the host; not sent to the model. */
  details?: unknown;
  isError?: boolean;
  /** Ends the run after this turn without another request, when all tool results of the turn set it. Not stored in the session. */
  terminate?: boolean;
}

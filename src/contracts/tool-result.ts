// Ground floor: what a tool answers. Knows no tool.
import type { ImageContent, TextContent } from '../protocol/index.ts';

export interface ToolResult {
  content: (TextContent | ImageContent)[];
  /** For the host's display; the model never sees it. */
  details?: unknown;
  isError?: boolean;
  /** The run ends after this turn without another request, when every result of the turn says so. Not kept in the session. */
  terminate?: boolean;
}

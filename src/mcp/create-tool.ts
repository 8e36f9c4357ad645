// Adapts a tool of an MCP server to the Tool interface.
import type { Progress } from '@modelcontextprotocol/client';
import { unknown } from 'valibot';
import type { Clock, McpContext, Tool, ToolContext } from '../contracts/index.ts';
import { checkArguments } from '../support/json-schema/check-arguments.ts';
import type { ListedTool } from './read-lists.ts';
import type { ToolCallOptions } from './server-calls.ts';
import { toolNameFor } from './tool-name.ts';
import { type CallResult, toToolResult } from './tool-result.ts';

const MIN_UPDATE_INTERVAL_MS = 100;
const MAX_PROGRESS_LENGTH = 1000;

export interface ToolSource {
  readonly server: string;
  readonly context: McpContext;
  call(tool: ListedTool, args: Record<string, unknown>, options: ToolCallOptions): Promise<CallResult>;
}

export function createTool(listed: ListedTool, { server, context, call }: ToolSource): Tool {
  const toolName = toolNameFor(server, listed.name);
  return {
    name: toolName,
    doc: listed.description,
    effect: listed.isReadOnly ? 'read' : 'execute',
    params: unknown(),
    jsonSchema: listed.inputSchema,
    validateInput: (input) => checkArguments(listed.inputSchema, input, context.ports.testPatterns),
    async run(params, toolContext) {
      const onProgress = createProgressListener(toolContext);
      const args = params as Record<string, unknown>;
      const result = await call(listed, args, { signal: toolContext.signal, onProgress });
      return toToolResult(result, { server, tool: listed.name, toolName }, toolContext);
    },
  };
}

/** A server may report progress much more often than anyone can read. */
function createProgressListener({ update, ports }: ToolContext): (progress: Progress) => void {
  const { clock }: { clock: Clock } = ports;
  let lastUpdate = Number.NEGATIVE_INFINITY;
  return (progress) => {
    const now = clock.now();
    if (now - lastUpdate < MIN_UPDATE_INTERVAL_MS && progress.progress !== progress.total) return;
    lastUpdate = now;
    update({ content: [{ type: 'text', text: formatProgress(progress) }] });
  };
}

function formatProgress({ progress, total, message }: Progress): string {
  const count = total === undefined ? `${progress}` : `${progress}/${total}`;
  return message ? `${message.slice(0, MAX_PROGRESS_LENGTH)} (${count})` : `Progress: ${count}`;
}

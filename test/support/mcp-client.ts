// Starts `parley mcp serve` with the client of the MCP SDK, and ends it when the test ends.
import { Client, type ClientOptions } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { inject, onTestFinished } from 'vitest';
import { createDirectories, NO_METADATA, type ProgramDirectories } from './program.ts';

export interface McpProgram extends ProgramDirectories {
  readonly client: Client;
  readonly pid: number;
  /** Everything that the server has written to stderr. */
  readStderr(): string;
  /** Calls the tool `agent`. */
  callAgent(args: Record<string, unknown>, options?: Parameters<Client['callTool']>[1]): Promise<AgentToolResult>;
}

export interface AgentToolResult {
  readonly content: readonly { type: string; text: string }[];
  readonly structuredContent: { sessionId?: string; status: string; text: string; error?: string; usage?: object };
  readonly isError?: boolean;
}

export interface McpProgramOptions {
  readonly directories?: ProgramDirectories;
  readonly client?: ClientOptions;
  /** Called before the client connects. */
  prepare?(client: Client): void;
}

export async function startMcpServer(
  args: readonly string[] = [],
  options: McpProgramOptions = {},
): Promise<McpProgram> {
  const directories = options.directories ?? createDirectories();
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [inject('program'), 'mcp', 'serve', ...args],
    cwd: directories.cwd,
    env: {
      PATH: process.env.PATH ?? '',
      HOME: directories.home,
      PARLEY_DIR: directories.home,
      ...NO_METADATA,
    },
    stderr: 'pipe',
  });
  let stderr = '';
  transport.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk.toString('utf8');
  });
  const client = new Client({ name: 'test', version: '1' }, options.client);
  options.prepare?.(client);
  onTestFinished(() => client.close());
  await client.connect(transport);
  return {
    ...directories,
    client,
    pid: transport.pid as number,
    readStderr: () => stderr,
    callAgent: async (arguments_, callOptions) =>
      (await client.callTool({ name: 'agent', arguments: arguments_ }, callOptions)) as unknown as AgentToolResult,
  };
}
